"""Winners and losers by user: whose mean wait changes most against the baseline."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from packwise.metrics.breakdown import by_user
from packwise.metrics.effects import ENOUGH_USERS, FEWEST_JOBS
from packwise.model.workload import UNKNOWN
from packwise.readable import number
from packwise.reports.charts.chart import Axis, Chart, Choice, Panel, Series
from packwise.reports.material import Replayed

MOST: Final = 10
_HOUR = 3600.0
_TITLE = "Winners and losers by user"


class UserWait(NamedTuple):
    """What a user ran and how long the jobs waited, on average, in seconds."""

    jobs: int
    area_share: float
    mean_wait: float


def users(run: Replayed) -> dict[int, UserWait]:
    """By user; empty if the log does not know its users."""
    table = by_user(*run).select("user", "jobs", "area_share", "mean_wait")
    found = {user: UserWait(*rest) for user, *rest in table.iter_rows()}
    return {} if set(found) == {UNKNOWN} else found


def user_choice(found: dict[str, dict[int, UserWait]], baseline: str) -> Choice:
    """One chart for each policy but the baseline."""
    base = _frequent(found[baseline])
    caption = (
        f"The users whose mean wait is most below and most above that under {baseline}: up to "
        f"{MOST} of each. In brackets their number of jobs and their share of the work, which tell "
        "how much weight a bar deserves."
    )
    if len(base) < len(found[baseline]):
        caption += f" Users with fewer than {FEWEST_JOBS} jobs are left out."
    charts = {
        label: _chart(label, one, base, baseline, caption)
        for label, one in found.items()
        if label != baseline
    }
    return Choice("users", _TITLE, caption, "Policy", charts)


def _frequent(found: dict[int, UserWait]) -> dict[int, UserWait]:
    """Those with enough jobs for a mean to say something; all if only a few have."""
    enough = {user: one for user, one in found.items() if one.jobs >= FEWEST_JOBS}
    return enough if len(enough.keys() - {UNKNOWN}) >= ENOUGH_USERS else found


def _chart(
    label: str, one: dict[int, UserWait], base: dict[int, UserWait], baseline: str, caption: str
) -> Chart:
    changes = sorted(
        (one[user].mean_wait - base[user].mean_wait, user) for user in one if user in base
    )
    winners = [pair for pair in changes if pair[0] < 0][:MOST]
    losers = [pair for pair in changes if pair[0] > 0][::-1][:MOST]
    shown = winners + losers[::-1]
    empty = ""
    if not one:
        empty = "The log does not say whose jobs these are."
    elif not shown:
        empty = f"The mean wait of no user here differs between {label} and {baseline}."
    names = tuple(_name(user, base[user]) for _, user in shown)
    notes = tuple(
        f"{number(base[user].mean_wait / _HOUR)} h under {baseline}, "
        f"{number(one[user].mean_wait / _HOUR)} h under {label}"
        for _, user in shown
    )
    series = Series(
        label,
        np.array([change / _HOUR for change, _ in shown], np.float64),
        np.arange(len(shown), dtype=np.float64),
        "bar",
        None,
        notes,
    )
    panel = Panel(
        Axis("change, hours", zero_line=True),
        Axis("", categories=names),
        (series,),
    )
    return Chart("users", f"{_TITLE}: {label}", caption, (panel,), empty=empty)


def _name(user: int, one: UserWait) -> str:
    who = "unknown users" if user == UNKNOWN else f"user {user}"
    jobs = "1 job" if one.jobs == 1 else f"{one.jobs:,} jobs"
    share = 100 * one.area_share
    work = f"{share:.1f} %" if share >= 0.1 else "< 0.1 %"
    return f"{who} ({jobs}, {work})"
