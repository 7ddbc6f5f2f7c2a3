"""The policies of constraint programming by name.

The paper's CP-X begin from scratch; ``hint=off`` is that. Here they begin with the best list plan and never end
with a worse one: under a limit of 0.1 s that was better for AF and no worse for AWF (72.1 against 75.2 and 94.0
against 94.4 % of List-REG; first 2,000 jobs of KTH-SP2, E = D, one run each on a busy machine).
"""

from __future__ import annotations

from packwise.optimise.cp.policy import CpPolicy
from packwise.optimise.metrics_of_plan import alpha_of

_PAPER = "Goponenko et al., DEBS 2024"
_METRICS = {
    "AF": "mean response time",
    "AWF": "mean response time weighted by area",
    "BSLD": "mean bounded slowdown",
    "P2SF": "level-2 priority-weighted specific response time",
}
#: Which list plans the "+" policies polish.
_POLISHED = {"BSLD": ("list-spf", "list-saf", "list-sjf"), "P2SF": ("list-reg",)}

CP_POLICIES: tuple[CpPolicy, ...] = (
    *(
        CpPolicy(
            name=f"cp-{metric.lower()}",
            metric=metric,
            meaning=f"constraint programming each round: the plan of the queue with the lowest {meant}",
            source=f"{_PAPER}, sections 2.3 and 4",
            hint="lists" if alpha_of(metric) is None else "search",
        )
        for metric, meant in _METRICS.items()
    ),
    *(
        CpPolicy(
            name=f"cp-{metric.lower()}+",
            metric=metric,
            meaning=f"constraint programming each round, from {', '.join(lists)} and from scratch: the plan "
            f"with the lowest {_METRICS[metric]}",
            source=f"{_PAPER}, section {section}",
            polished=lists,
        )
        for (metric, lists), section in zip(_POLISHED.items(), ("5.2", "5.4"), strict=True)
    ),
)
