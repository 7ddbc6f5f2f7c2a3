"""Write docs/energy-front.md and its picture: python -m scripts.energy_front

From what ``python -m benchmarks.energy_front`` has measured.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.dispatchers_store import Store
from benchmarks.energy_front import BASES, ESTIMATES, LOGS, STORE
from packwise.pictures.canvas import GREY, INK, picture
from scripts.page import filled, table

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "energy-front.md"
PICTURE = ROOT / "docs" / "images" / "energy-front.png"
FAMILIES = {
    "ours": ("packwise(energy=...)", "#0072B2", "o-"),
    "cheapest": ("each job at its cheapest hour", "#E69F00", "s-"),
    "night": ("long jobs only at night", "#7A5195", "^-"),
}
BELIEVED = {"exact": "exact run times", "requested": "users' limits"}
HOUR = 3600

Rows = dict[str, dict[str, Any]]


def found(known: Rows, log: str, believed: str, family: str) -> Rows:
    """What was measured of a family, by policy, those with the shortest wait first."""
    begin = f"{log}|{believed}|{family}|"
    rows = [(key.removeprefix(begin), one) for key, one in known.items() if key.startswith(begin)]
    return dict(sorted(rows, key=lambda row: row[1]["wait"]))


def saved(one: dict[str, Any], easy: dict[str, Any]) -> float:
    """Per cent of the cost under EASY."""
    return 100 * (1 - one["energy_cost"] / easy["energy_cost"])


def at_wait(points: list[tuple[float, float]], wait: float) -> float | None:
    """What a front saves at a mean wait, between its points; None before the first and after the last."""
    waits, savings = zip(*sorted(points), strict=True)
    if not waits[0] <= wait <= waits[-1]:
        return None
    return float(np.interp(wait, waits, savings))


def points_of(known: Rows, log: str, believed: str, family: str) -> list[tuple[float, float]]:
    """Mean wait in hours and per cent saved, by rising wait."""
    easy = found(known, log, believed, "base")["easy"]
    rows = found(known, log, believed, family).values()
    return sorted((one["wait"] / HOUR, saved(one, easy)) for one in rows)


def front_table(known: Rows, log: str, believed: str) -> str:
    """Bases and our five points."""
    bases, ours = found(known, log, believed, "base"), found(known, log, believed, "ours")
    easy = bases["easy"]
    rows = [row(f"`{name}`", bases[name], easy) for name in BASES]
    rows += [row(f"`{name}`", one, easy) for name, one in ours.items()]
    head = [
        "policy",
        "mean wait",
        "cost saved",
        "CO2 saved",
        "BSLD",
        "AWF",
        "users worse off than under EASY with limits",
    ]
    return table(head, rows)


def row(name: str, one: dict[str, Any], easy: dict[str, Any]) -> list[str]:
    co2 = 100 * (1 - one["CO2"] / easy["CO2"])
    return [
        name,
        f"{one['wait'] / HOUR:.2f} h",
        f"{saved(one, easy):.1f} %",
        f"{co2:.1f} %",
        f"{one['BSLD']:.1f}",
        f"{one['AWF'] / HOUR:.1f} h",
        f"{one['users_worse']:.0f} %",
    ]


def against_table(known: Rows, log: str) -> str:
    """Each point of the plain rules, and what ours saves for the same mean wait."""
    ours = points_of(known, log, "exact", "ours")
    easy = found(known, log, "exact", "base")["easy"]
    rows = []
    for family in ("cheapest", "night"):
        for name, one in found(known, log, "exact", family).items():
            wait = one["wait"] / HOUR
            rows.append([name, f"{wait:.2f} h", f"{saved(one, easy):.1f} %", _ours_at(ours, wait)])
    return table(["rule", "mean wait", "cost saved", "`packwise(energy=...)` at that wait"], rows)


def _ours_at(ours: list[tuple[float, float]], wait: float) -> str:
    there = at_wait(ours, wait)
    if there is not None:
        return f"{there:.1f} %"
    if wait > ours[-1][0]:
        return f"{ours[-1][1]:.1f} % already at {ours[-1][0]:.2f} h"
    return f"begins at {ours[0][0]:.2f} h with {ours[0][1]:.1f} %"


def beaten(known: Rows, log: str) -> tuple[int, int]:
    """Points of the plain rules that ours is as good as or better than at no more wait, and all of them."""
    ours = points_of(known, log, "exact", "ours")
    rules = [
        point
        for family in ("cheapest", "night")
        for point in points_of(known, log, "exact", family)
    ]
    won = 0
    for wait, saving in rules:
        best = max((s for w, s in ours if w <= wait), default=None)
        between = at_wait(ours, wait)
        reached = max((one for one in (best, between) if one is not None), default=None)
        won += reached is not None and reached >= saving
    return won, len(rules)


def summary(known: Rows) -> str:
    """The claims, as they come out."""
    lines = []
    for log in LOGS:
        for believed in ESTIMATES:
            easy = found(known, log, believed, "base")["easy"]
            one = found(known, log, believed, "ours")["packwise(energy=0.2)"]
            lines.append(
                f"* {log}, {BELIEVED[believed]}: `energy=0.2` saves {saved(one, easy):.1f} % of the cost, "
                f"for a mean wait of {one['wait'] / HOUR:.2f} h (EASY: {easy['wait'] / HOUR:.2f} h)."
            )
    for log in LOGS:
        won, all_of_them = beaten(known, log)
        lines.append(
            f"* {log}: at no more wait it saves as much or more than {won} of {all_of_them} points of the "
            "plain rules."
        )
    return "\n".join(lines)


def parts(known: Rows) -> dict[str, str]:
    """What stands between the markers of the page."""
    text = {"summary": summary(known)}
    for log in LOGS:
        for believed in ESTIMATES:
            text[f"{log} {believed}"] = front_table(known, log, believed)
        text[f"{log} rules"] = against_table(known, log)
    return text


def draw(known: Rows, path: Path) -> None:
    """Cost saved over the mean wait, one picture for each log."""
    with picture(path, (13, 4.8)) as figure:
        for axes, log in zip(figure.subplots(1, len(LOGS)), LOGS, strict=True):
            for family, (label, colour, marks) in FAMILIES.items():
                waits, savings = zip(*points_of(known, log, "exact", family), strict=True)
                axes.plot(waits, savings, marks, color=colour, label=label, markersize=4)
            bases = found(known, log, "exact", "base")
            for name, shift, side in (("easy", (7, -3), "left"), ("packwise", (-6, 5), "right")):
                place = bases[name]["wait"] / HOUR, saved(bases[name], bases["easy"])
                axes.plot(*place, "x", color=INK)
                axes.annotate(
                    name,
                    place,
                    xytext=shift,
                    textcoords="offset points",
                    ha=side,
                    fontsize=8,
                    color=GREY,
                )
            axes.margins(x=0.16)
            axes.set(title=log, xlabel="mean wait, hours")
        figure.axes[0].set_ylabel("% of the cost under EASY that is saved")
        figure.axes[-1].legend(loc="lower right", fontsize=8)


def main() -> None:
    known = Store(STORE).known
    PAGE.write_text(filled(PAGE.read_text(), parts(known)))
    draw(known, PICTURE)


if __name__ == "__main__":
    main()
