"""A word where a policy is about deadlines and the jobs have none."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packwise.model.decision import Policy
    from packwise.model.workload import Workload


def deadline_remarks(workload: Workload, policies: Iterable[Policy]) -> list[str]:
    """One line for each policy that could do nothing of its own."""
    from packwise.policies import DeadlinePolicy, ListPolicy
    from packwise.policies.orders import ORDERS

    if workload.deadline_driven.any():
        return []
    hint = "Give some a deadline: --deadlines 'slack(share=20%)'"
    lines = []
    for policy in policies:
        if isinstance(policy, DeadlinePolicy):
            lines.append(f"{policy.name}: no job has a deadline, so it does what cbf does. {hint}")
        elif isinstance(policy, ListPolicy) and ORDERS["edf"] in (
            policy.order,
            policy.backfill_order,
        ):
            lines.append(
                f"{policy.name}: no job has a deadline, so jobs come in their order. {hint}"
            )
    return lines
