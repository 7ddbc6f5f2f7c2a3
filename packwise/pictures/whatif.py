"""What changes for whom: mean waits of groups of jobs, today and then."""

from __future__ import annotations

import os
from textwrap import wrap
from typing import Any, Final

from packwise.metrics.chance import Change
from packwise.metrics.group_changes import GroupChange
from packwise.pictures.canvas import GREY, INK, picture
from packwise.readable import duration, duration_unit, percent
from packwise.whatif import Answer

_ROWS: Final = 12
_LETTERS: Final = 76
_BETTER, _WORSE, _UNSURE = "#0072B2", "#D55E00", "#9aa1ac"


def plot_whatif(answer: Answer, path: str | os.PathLike[str], kind: str | None = None) -> None:
    """A line for each group, from its mean wait of today to that of then, for all jobs, for groups of a
    ``kind`` (or the best one), and by size.
    """
    chosen = [kind] if kind is not None else answer.kinds()[:1]
    kinds = [*chosen, *(["size"] if "size" not in chosen else [])]
    all_groups = {one: answer.by(one) for one in kinds}
    every = {one: len(groups) for one, groups in all_groups.items()}
    panels = [
        (one, groups if one == "size" else groups[:_ROWS]) for one, groups in all_groups.items()
    ]
    everybody = GroupChange("all jobs", 1.0, answer.overall())
    rows = [len(groups) + (1 if k == 0 else 0) for k, (_, groups) in enumerate(panels)]
    with picture(path, (11, 1.9 + 0.42 * sum(rows) + 0.7 * len(rows))) as figure:
        axes = figure.subplots(
            len(panels), 1, height_ratios=[count + 1.2 for count in rows], sharex=True
        )
        drawn = [axes] if len(panels) == 1 else list(axes)
        title = wrap(f"What if: {', '.join(answer.changes)}", _LETTERS, break_long_words=True)
        title += wrap(_machine(answer), _LETTERS)
        figure.suptitle("\n".join(title), x=0.012, ha="left", fontsize=14, weight="bold")
        longest = max(
            max(one.change.before, one.change.after)
            for one in [everybody, *(one for _, groups in panels for one in groups)]
        )
        unit, width = duration_unit(longest)
        for k, (axis, (name, groups)) in enumerate(zip(drawn, panels, strict=True)):
            rows_of = [everybody, *groups] if k == 0 else groups
            _draw(axis, rows_of, width, withheld=answer.withheld)
            shown = f" ({len(groups)} of {every[name]:,}, by their shares of the machine)"
            part = shown if every[name] > len(groups) else ""
            axis.set_title(f"By {name}{part}" if name != "size" else "By size of job")
        grey = (
            "no verdict, as the machine is in doubt" if answer.withheld else "grey: may be chance"
        )
        drawn[-1].set_xlabel(f"mean wait, {unit}   (ring: today, dot: then; {grey})")
        drawn[-1].set_xlim(-0.02 * longest / width, 1.28 * max(longest, 1) / width)


def _machine(answer: Answer) -> str:
    """What the picture rests on, where that is a guess."""
    cluster = answer.today.cluster
    return (
        f"on {cluster.procs:,} processors, {cluster.sizing.guess}" if cluster.sizing.guess else ""
    )


def _draw(axis: Any, groups: list[GroupChange], width: int, *, withheld: bool) -> None:
    for row, one in enumerate(groups):
        change = one.change
        old, new = change.before / width, change.after / width
        colour = _UNSURE if withheld else _colour(change)
        axis.plot(
            (old, new), (row, row), color=colour, linewidth=2.2, solid_capstyle="round", zorder=2
        )
        axis.plot(old, row, marker="o", markersize=8, mfc="white", mec=colour, mew=1.8, zorder=3)
        axis.plot(new, row, marker="o", markersize=8, color=colour, zorder=4)
        words = duration(change.after)
        if not withheld:
            words += f"  {percent(change.percent)}"
        axis.annotate(
            words, (max(old, new), row), xytext=(10, 0), textcoords="offset points", va="center",
            fontsize=9, color=INK if change.sure and not withheld else GREY,
        )  # fmt: skip
    labels = [f"{one.name[:28]}  ({one.change.jobs:,})" for one in groups]
    axis.set_yticks(range(len(groups)), labels)
    axis.set_ylim(len(groups) - 0.4, -0.6)
    axis.grid(visible=False, axis="y")


def _colour(change: Change) -> str:
    if not change.sure:
        return _UNSURE
    return _BETTER if change.after < change.before else _WORSE
