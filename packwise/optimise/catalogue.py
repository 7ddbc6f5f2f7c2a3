"""The optimising policies by name."""

from __future__ import annotations

from packwise.model.decision import Policy

_ALL: tuple[Policy, ...] = ()

OPTIMISERS: dict[str, Policy] = {policy.name: policy for policy in _ALL}
