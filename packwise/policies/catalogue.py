"""The named policies: points of the list-scheduling family, and those that make promises."""

from __future__ import annotations

from packwise.policies.conservative import ConservativePolicy
from packwise.policies.deadline_backfilling import DeadlinePolicy
from packwise.policies.list_scheduling import ListPolicy
from packwise.policies.orders import ORDERS, Order
from packwise.policies.relaxed import RelaxedPolicy
from packwise.policies.slack import SlackPolicy

_PAPER_1 = "Goponenko et al., DEBS 2024, section 2.4"
_PAPER_2 = "Goponenko et al., SBAC-PAD 2022, section V"

#: Tie-breaks of the simulator of Goponenko et al.: its schedules come out to the second.
_TIES = {"sjf": "srf", "spf": "saf"}


def _list(order: Order) -> ListPolicy:
    label = "reg" if order.name == "fcfs" else order.name
    return ListPolicy(
        name=f"list-{label}",
        order=order,
        tie=ORDERS[_TIES.get(order.name, "fcfs")],
        meaning=f"{order.meaning}; every job that cannot start gets a reservation, planned afresh "
        "each round",
        source=_PAPER_1 if not order.source or order.name == "fcfs" else order.source,
    )


def _aggressive(order: Order) -> ListPolicy:
    ties = _TIES | {"laf": "ljf"}
    return ListPolicy(
        name=f"{order.name}-aggressive",
        order=order,
        tie=ORDERS[ties.get(order.name, "fcfs")],
        option="greedy",
        meaning=f"{order.meaning}; a job that does not fit is skipped (greedy: large jobs can starve)",
        source=_PAPER_2,
    )


def _easy(order: Order) -> ListPolicy:
    return ListPolicy(
        name=f"{order.name}-easy",
        order=order,
        tie=ORDERS[_TIES.get(order.name, "fcfs")],
        depth=1,
        meaning=f"{order.meaning}; EASY backfilling in that order (one reservation)",
        source=_PAPER_2 if order.name == "saf" else order.source,
    )


def _easy_backfill(order: Order, name: str) -> ListPolicy:
    return ListPolicy(
        name=name,
        depth=1,
        backfill_order=order,
        meaning=f"EASY; candidates for backfilling are tried {order.meaning}",
        source="Tsafrir et al., TPDS 2007" if name == "easy-sjbf" else order.source,
    )


_SHAPED = [order for order in ORDERS.values() if order.name not in ("fcfs", "lcfs")]

_ALL: tuple[ListPolicy | ConservativePolicy | DeadlinePolicy, ...] = (
    ListPolicy(
        name="fcfs",
        option="strict",
        meaning="first come, first served; the round stops at the first job that does not fit",
        source="Schwiegelshohn and Yahyapour, SODA 1998",
    ),
    ListPolicy(
        name="easy",
        depth=1,
        meaning="first come, first served with one reservation; later jobs start where they "
        "do not delay it",
        source="Lifka, JSSPP 1995",
    ),
    _easy_backfill(ORDERS["sjf"], "easy-sjbf"),
    *(_easy_backfill(o, f"easy-{o.name}") for o in _SHAPED if o.name != "sjf"),
    *(_easy(order) for order in _SHAPED),
    *(_list(order) for order in ORDERS.values()),
    ListPolicy(
        name="fcfs-aggressive",
        option="greedy",
        meaning="first come, first served; a job that does not fit is skipped",
        source="Garey and Graham, SIAM J. Comput. 1975",
    ),
    *(_aggressive(order) for order in _SHAPED),
    ConservativePolicy(),
    DeadlinePolicy(),
)

POLICIES: dict[str, ListPolicy | ConservativePolicy | DeadlinePolicy] = {
    policy.name: policy for policy in _ALL
}

#: Policies in Python, which are asked round by round, for pools.
ASKED: dict[str, RelaxedPolicy | SlackPolicy] = {
    policy.name: policy for policy in (RelaxedPolicy(), SlackPolicy())
}

#: Other names that the literature uses.
ALIASES = {
    "justbf": "list-reg",
    "list-fcfs": "list-reg",
    "easy-sjf": "easy-sjbf",
    "conservative": "cbf",
    **{f"{o.name}-justbf": f"list-{o.name}" for o in _SHAPED},
}
