"""The optimising policies by name."""

from __future__ import annotations

from packwise.model.decision import Policy
from packwise.optimise.cp.nodes.policies import DISPATCHERS
from packwise.optimise.cp.policies import CP_POLICIES
from packwise.optimise.policy import SearchPolicy

_ALL: tuple[Policy, ...] = (SearchPolicy(), *CP_POLICIES, *DISPATCHERS)

OPTIMISERS: dict[str, Policy] = {policy.name: policy for policy in _ALL}
