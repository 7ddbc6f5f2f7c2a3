"""The tables and the picture of docs/balanced.md.

    packwise study run studies/balanced.toml --traces LOGS --store STORE
    packwise study table studies/balanced.toml --traces LOGS --store STORE --csv easy.csv
    packwise study table ... --baseline policy=list-reg,estimate=requested --csv reg.csv
    packwise study table ... --baseline policy=packwise,estimate=requested --csv limits.csv
    python -m scripts.balanced_page --easy easy.csv --reg reg.csv --limits limits.csv

Draws docs/images/balanced.png and fills in docs/balanced.md between its markers.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from packwise.files.output import atomic_output
from packwise.metrics.comparison import NEGLIGIBLE
from packwise.pictures.canvas import GREY, picture
from scripts.page import filled

ROOT = Path(__file__).resolve().parents[1]
PAGE = "balanced.md"
#: The logs of which other windows took part in choosing weights. All others were set apart before.
TOOK_PART = (
    "KTH-SP2",
    "CTC-SP2",
    "SDSC-SP2",
    "SDSC-BLUE",
    "CEA-Curie",
    "Mira-2018",
    "Theta-2022",
    "SDSC-DS",
)
METRICS = ("AF", "AWF", "BSLD", "P2SF", "max_wait", "wait_p99")
FIRST_FOUR = METRICS[:4]
USERS = ("users_worse", "users_better", "worst_size")
_BETTER, _WORSE, _LEVEL = "#0d856b", "#cc4021", "#b0b0b8"
#: Lines end here, in per cent.
_MOST = 60.0


class Change(NamedTuple):
    """A change in per cent with its interval, or a value."""

    value: float
    percent: float
    half_width: float

    @property
    def verdict(self) -> int:
        """-1 better, 1 worse (all these metrics are better when lower), 0 if it means nothing."""
        if abs(self.percent) <= max(self.half_width, NEGLIGIBLE):
            return 0
        return 1 if self.percent > 0 else -1

    def text(self) -> str:
        said = f"{self.percent:+.1f} ± {self.half_width:.1f}".replace("-", "−")
        return f"**{said}**" if self.verdict > 0 else said if self.verdict else f"≈ {said}"


#: By workload, estimate, policy and metric.
Changes = dict[tuple[str, str, str, str], Change]


def read_changes(path: Path) -> Changes:
    """What `packwise study table --csv` wrote."""
    with path.open(newline="") as stream:
        return {
            (row["workload"], row["estimate"], row["policy"], row["metric"]): Change(
                _number(row["value"]),
                _number(row["change_percent"]),
                _number(row["change_half_width"]),
            )
            for row in csv.DictReader(stream)
        }


def _number(text: str) -> float:
    return float(text) if text else 0.0


def logs_of(changes: Changes) -> tuple[list[str], list[str]]:
    """Those that took part, and those that did not."""
    names = list(dict.fromkeys(workload for workload, *_ in changes))
    return [name for name in names if name in TOOK_PART], [
        name for name in names if name not in TOOK_PART
    ]


def changes_table(
    changes: Changes, logs: Iterable[str], metrics: Sequence[str], estimate: str
) -> str:
    """One row per log: what the balanced policy changes."""
    rows = [["log", *metrics], ["---"] * (len(metrics) + 1)]
    rows += [
        [log, *(changes[log, estimate, "packwise", m].text() for m in metrics)] for log in logs
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def users_table(changes: Changes, logs: Iterable[str]) -> str:
    """Who is worse off than under EASY, under three policies."""
    policies = ("easy-sjbf", "list-reg", "packwise")
    head = [f"{one}: worse / better / worst size" for one in policies]
    rows = [["log", *head], ["---"] * (len(policies) + 1)]
    for log in logs:
        cells = []
        for one in policies:
            worse, better, size = (
                changes.get((log, "requested", one, name), Change(float("nan"), 0.0, 0.0)).value
                for name in USERS
            )
            known = worse == worse and (log, "requested", one, USERS[0]) in changes
            users = f"{worse:.0f} % / {better:.0f} %" if known else "no users"
            cells.append(f"{users} / {size:+.0f} %".replace("-", "−"))
        rows.append([log, *cells])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def counted(
    changes: Changes, logs: Sequence[str], metrics: Sequence[str], estimate: str, against: str
) -> str:
    """How many cells are better, level and worse, and which are worse."""
    cells = {(log, m): changes[log, estimate, "packwise", m] for log in logs for m in metrics}
    better = sum(one.verdict < 0 for one in cells.values())
    worse = sorted(
        ((key, one) for key, one in cells.items() if one.verdict > 0),
        key=lambda pair: -pair[1].percent,
    )
    said = (
        f"Against {against}: of {len(cells)} cells, {better} are better, "
        f"{len(cells) - better - len(worse)} cannot be told from it, and {len(worse)} are worse"
    )
    named = ", ".join(f"{m} on {log} {one.percent:+.0f} %" for (log, m), one in worse)
    return f"{said}{': ' + named if worse else ''}."


def plot(changes: Changes, path: Path) -> None:
    """Each log a line from EASY to the balanced policy, a panel for each metric."""
    took, rest = logs_of(changes)
    with picture(path, (13.5, 7.6)) as figure:
        axes = figure.subplots(2, 3).ravel()
        figure.suptitle(
            "From EASY to packwise, users' limits: each line a log",
            x=0.012,
            ha="left",
            fontsize=14.5,
        )
        for place, name in zip(axes, METRICS, strict=True):
            worse: list[tuple[float, str]] = []
            for log in (*took, *rest):
                one = changes[log, "requested", "packwise", name]
                colour = {-1: _BETTER, 0: _LEVEL, 1: _WORSE}[one.verdict]
                shown = max(min(one.percent, _MOST), -_MOST)
                style = "-" if log in rest else (0, (4, 2))
                place.plot([0, 1], [0, shown], color=colour, linestyle=style, linewidth=1.8)
                if one.verdict > 0:
                    worse.append((shown, log))
            for at, log in apart(worse):
                place.annotate(log, (1.03, at), fontsize=7.5, color=_WORSE, va="center")
            place.set_xlim(-0.05, 1.5)
            place.set_ylim(-_MOST - 4, _MOST + 4)
            place.set_xticks([0, 1], ["EASY", "packwise"])
            place.set_title(name)
            place.axhline(0, color=GREY, linewidth=0.8)
            place.set_ylabel("change, %" if place in (axes[0], axes[3]) else "")
        figure.supxlabel(
            "Green: better; grey: within the noise; red: worse. Dashed: other windows of the log took part in "
            f"choosing weights. Beyond {_MOST:g} % a line ends there.",
            fontsize=9,
            color=GREY,
        )


def apart(labels: Iterable[tuple[float, str]], least: float = 5.5) -> list[tuple[float, str]]:
    """Labels moved up until none covers another."""
    placed: list[tuple[float, str]] = []
    for at, label in sorted(labels):
        placed.append((max(at, placed[-1][0] + least) if placed else at, label))
    return placed


def parts_of(easy: Changes, reg: Changes, limits: Changes) -> dict[str, str]:
    """What the page has between its markers."""
    took, rest = logs_of(easy)
    both = [*took, *rest]
    return {
        "count": "\n\n".join(
            [
                "On the logs that took no part. "
                + counted(easy, rest, METRICS, "requested", "EASY")
                + " "
                + counted(reg, rest, FIRST_FOUR, "requested", "List-REG"),
                "On the logs that took part. "
                + counted(easy, took, METRICS, "requested", "EASY")
                + " "
                + counted(reg, took, FIRST_FOUR, "requested", "List-REG"),
            ]
        ),
        "no part": changes_table(easy, rest, METRICS, "requested"),
        "took part": changes_table(easy, took, METRICS, "requested"),
        "list-reg": changes_table(reg, both, FIRST_FOUR, "requested"),
        "users": users_table(easy, both),
        "prediction": changes_table(limits, both, METRICS, "last2"),
        "prediction count": counted(
            limits, both, FIRST_FOUR, "last2", "the balanced policy with limits"
        ),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("easy", "reg", "limits"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--docs", type=Path, default=ROOT / "docs")
    given = parser.parse_args()
    easy = read_changes(given.easy)
    parts = parts_of(easy, read_changes(given.reg), read_changes(given.limits))
    page = given.docs / PAGE
    text = filled(page.read_text(), parts)
    with atomic_output(page) as stream:
        stream.write(text.encode())
    plot(easy, given.docs / "images" / "balanced.png")


if __name__ == "__main__":
    main()
