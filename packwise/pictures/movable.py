"""Who could have been moved to cheaper or greener hours, and what waiting longer would have brought."""

from __future__ import annotations

import os
from typing import Any, Final

import numpy as np

from packwise.metrics.energy.account import EnergyAccount
from packwise.metrics.energy.movable import Movable, movable
from packwise.model.errors import InputError
from packwise.pictures.canvas import GREY, picture

_USERS: Final = 15
_HOURS: Final = (0, 1, 2, 3, 4, 6, 8, 12, 16, 20, 24)
_PAID, _SAVED = "#0072B2", "#E69F00"


def plot_movable(account: EnergyAccount, path: str | os.PathLike[str]) -> None:
    """Draw what the jobs of each user paid and could have saved, and the saving over the longest delay."""
    found = _movable(account)
    with picture(path, (13, 6.4)) as figure:
        left, right = figure.subplots(1, 2, width_ratios=(1.25, 1))
        figure.suptitle(
            f"Who could have been moved: {len(account.outcome):,} jobs, energy scenario "
            f"{account.scenario.name}",
            x=0.012,
            ha="left",
            fontsize=14,
            weight="bold",
        )
        _draw_users(left, account, found)
        _draw_delays(right, account)


def _movable(account: EnergyAccount, hours: int = 24) -> Movable:
    found = movable(account, hours * 3600)
    if found is None:
        raise InputError(
            f"who could have been moved depends on prices or carbon, and scenario '{account.scenario.name}' "
            "has neither. Add [price] or [carbon]."
        )
    return found


def _draw_users(axes: Any, account: EnergyAccount, found: Movable) -> None:
    users, place = np.unique(account.outcome.user, return_inverse=True)
    saving = np.bincount(place, weights=found.saving, minlength=len(users))
    sums = np.bincount(place, weights=found.paid, minlength=len(users))
    top = np.argsort(-saving, kind="stable")[:_USERS][::-1]
    labels = ["unknown" if users[i] < 0 else f"user {users[i]}" for i in top.tolist()]
    where = np.arange(len(top))
    axes.barh(where, (sums - saving)[top], color=_PAID, label="paid all the same")
    axes.barh(
        where, saving[top], left=(sums - saving)[top], color=_SAVED, label="could have been saved"
    )
    for at, i in zip(where.tolist(), top.tolist(), strict=True):
        if sums[i] > 0:
            end = max(sums[i], sums[i] - saving[i])
            axes.annotate(
                f"{100 * saving[i] / sums[i]:.0f} %",
                (end, at),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
                fontsize=9,
                color=GREY,
            )
    rest = len(users) - len(top)
    more = f" ({rest} others save less)" if rest else ""
    axes.set_yticks(where, labels)
    axes.set(title=f"Each job alone, by up to a day{more}", xlabel=found.unit)
    axes.grid(visible=False, axis="y")
    axes.margins(x=0.08)
    axes.legend(loc="lower right")


def _draw_delays(axes: Any, account: EnergyAccount) -> None:
    shares = []
    for hours in _HOURS:
        found = _movable(account, hours)
        gross = float(np.abs(found.paid).sum())
        shares.append(100 * float(found.saving.sum()) / gross if gross else 0.0)
    axes.plot(_HOURS, shares, color=_SAVED, marker="o", markersize=4)
    axes.set(
        title="What longer delays could bring, at most",
        xlabel="longest delay of a job, hours",
        ylabel="% of what the jobs pay",
        ylim=(0, None),
        xlim=(0, 24),
    )
    axes.set_xticks((0, 4, 8, 12, 16, 20, 24))
