"""What of Packwise has to be compiled for a purpose: what is needed first comes first."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from packwise.model.cluster import Cluster
from packwise.warm_up.parts import PARTS

#: To read a log in the Standard Workload Format.
READING = ("reader",)
#: To measure with metrics that compare with fair start times.
FAIRNESS = ("fair-starts",)
#: To look for the best schedule of a whole log.
SOLVING = ("offline",)
#: To say why jobs wait in a round, and how good its plan is.
EXPLAINING = ("plans", "bounds")
#: To plan for profit.
PROFIT = ("profit",)
PROFIT_ON_NODES = ("profit", "node-profit")


def of_replay(
    policy: Any, estimate: Any, machine: Cluster, *, matter: bool, stepped: bool = False
) -> list[str]:
    """To replay under a policy with an estimate on a machine. ``matter``: it does on which nodes jobs run.
    ``stepped``: the policy is asked round by round, as one in Python always is.
    """
    stepped = stepped or not hasattr(policy, "replay")
    if stepped:
        needed = ["steps", "decide"]
        needed += [] if machine.is_pool else ["nodes", "node-steps"]
    else:
        needed = ["loop", *(["nodes"] if matter else [])]
        needed += [] if matter or machine.is_pool else ["placing"]
    needed += getattr(estimate, "parts", ())
    needed += ["sleep"] if machine.sleep is not None else []
    needed += ["decide"] if machine.outages else []
    return [*needed, *_of_policy(policy, matter, asked=stepped)]


def of_rounds(policy: Any) -> list[str]:
    """To ask a policy for rounds on a live cluster of nodes."""
    return ["decide", *_of_policy(policy, matter=True, asked=True)]


def _of_policy(policy: Any, matter: bool, asked: bool) -> tuple[str, ...]:
    own: tuple[str, ...] = getattr(policy, "node_parts" if matter else "parts", ())
    return (*own, *getattr(policy, "parts_to_decide", ())) if asked else own


def at_first_sight(
    log: str, pairs: Iterable[tuple[Any, Any]], machine: Cluster | None, *, stepped: bool = False
) -> list[str]:
    """To read a log of this name and replay it under policies with estimates, as far as that can be told before
    it is read; what takes long comes last. ``machine``: None for the pool that the log tells of.
    """
    pool = Cluster.pool(1)
    each = [
        of_replay(
            policy,
            estimate,
            machine or pool,
            matter=machine is not None or getattr(policy, "power_cap", None) is not None,
            stepped=stepped,
        )
        for policy, estimate in pairs
    ]
    by_length = sorted(each, key=lambda names: max(PARTS[name].seconds for name in names))
    reading = READING if ".swf" in log.lower() else ()
    return [*reading, *(name for names in by_length for name in names)]


def on_nodes(cluster: Cluster) -> Cluster | None:
    """The cluster, if it is one of nodes."""
    return None if cluster.is_pool else cluster
