"""The study: scenarios, what to measure, and what to compare with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from packwise.experiments.claim import Claim, Swept
from packwise.experiments.scenario import Labels, Scenario


@dataclass(frozen=True)
class Baseline:
    """What a scenario is compared with: itself, with these axes set to these labels.

    ``Baseline(policy="list-reg")`` compares each policy with list-reg on the same workload, machine,
    estimate and replica; ``Baseline(estimate="requested")`` each estimate with the users' limits.
    """

    policy: str | None = None
    estimate: str | None = None
    machine: str | None = None

    def of(self, labels: Labels) -> Labels:
        """The labels of the scenario to compare with."""
        changes = {
            axis: label
            for axis in ("policy", "estimate", "machine")
            if (label := getattr(self, axis)) is not None
        }
        return labels._replace(**changes)

    def __str__(self) -> str:
        parts = [self.policy, self.estimate, self.machine]
        return " / ".join(part for part in parts if part is not None)


@dataclass(frozen=True)
class Tolerance:
    """How far from a published value ours may be: ``points`` of percentages, or ``value`` in the metric's
    own unit where values are published, or ``share`` of the published value, if that is more.

    Patterns (* and ?) say which cells it is for; the last tolerance that matches counts.
    """

    points: float = 1.0
    share: float = 0.02
    workload: str = "*"
    policy: str = "*"
    estimate: str = "*"
    metric: str = "*"
    reason: str = ""
    value: float = 0.0


@dataclass(frozen=True)
class Study:
    """A grid of scenarios. ``file`` is where it was read from, None if it was made in memory.

    ``drop_unaffected``: metrics are without the jobs that no policy of a case made wait. ``swept`` tells, by
    label, which workloads differ by a number only.
    """

    name: str
    scenarios: tuple[Scenario, ...]
    metrics: tuple[str, ...]
    baseline: Baseline
    store: Path
    description: str = ""
    file: Path | None = None
    confidence: float = 0.95
    tolerances: tuple[Tolerance, ...] = ()
    dask: Mapping[str, Any] = field(default_factory=dict)
    drop_unaffected: bool = False
    claims: tuple[Claim, ...] = ()
    swept: Mapping[str, Swept] = field(default_factory=dict)

    def axis(self, name: str) -> list[str]:
        """The labels of an axis, each once, in the order of the study."""
        return list(dict.fromkeys(getattr(s.labels, name) for s in self.scenarios))

    def replace(self, **changes: Any) -> Study:
        return replace(self, **changes)
