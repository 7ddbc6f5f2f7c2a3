"""The accuracy and the calibration of predictors on the terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from packwise.cli.terminal import fits, in_blocks, plain, stdout, table
from packwise.readable import duration, number

if TYPE_CHECKING:
    from rich.table import Table

    from packwise.metrics.prediction import Accuracy, Covered


class Judged(NamedTuple):
    """What is said of one predictor under one policy; ``nominal`` is the share that it means to cover."""

    name: str
    nominal: float | None
    accuracy: Accuracy
    calibration: list[Covered]


_COLUMNS: dict[str, Callable[[Accuracy], str]] = {
    "R²": lambda a: "–" if a.r2 is None else f"{a.r2:.2f}",
    "mean\nerror": lambda a: duration(a.mean_error),
    "median\nerror": lambda a: duration(a.median_error),
    "bias": lambda a: f"{'+' if a.bias > 0 else ''}{duration(a.bias)}",
    "too short\n(jobs)": lambda a: _share(a.under_share),
    "too short\n(work)": lambda a: _share(a.under_area),
    "lack\n(mean)": lambda a: _seconds(a.under_mean),
    "lack\n(median)": lambda a: _seconds(a.under_median),
    "excess\n(median)": lambda a: "–" if a.over_factor is None else number(a.over_factor),
    "corrected\n(per job)": lambda a: number(a.corrections),
    "told just\nthe limit": lambda a: _share(a.at_limit),
}
_LETTERS = 18
_LEGEND = (
    "Estimates at submission against run times. Error: the size of the difference. Bias: estimate less "
    "run time. Lack: of the estimates that are too short. Excess: the others as multiples of the run time."
)


def print_accuracy(judged: Sequence[Judged], policy: str) -> None:
    """How far the estimates are from the truth, and on which side."""
    columns = {head: [cell(one.accuracy) for one in judged] for head, cell in _COLUMNS.items()}
    console = stdout()
    for part in _shown(f"Accuracy under {policy}", judged, columns):
        console.print(part)
    console.print(_LEGEND, style="dim", markup=False)


def print_calibration(judged: Sequence[Judged]) -> None:
    """How many jobs end within their estimate, by its length; and how many should, where that is known."""
    from packwise.metrics.prediction import ESTIMATE_CLASSES, FEW

    columns = {
        "nominal": ["–" if one.nominal is None else _share(one.nominal) for one in judged],
        "jobs": [_share(one.accuracy.coverage) for one in judged],
        "work": [_share(one.accuracy.area_coverage) for one in judged],
    }
    for place, (_, name) in enumerate(ESTIMATE_CLASSES):
        columns[name] = [_covered(one.calibration[place]) for one in judged]
    console = stdout()
    for part in _shown("Calibration: share that ends within the estimate", judged, columns):
        console.print(part)
    legend = "By length of the estimate: only jobs that are told less than their limit"
    console.print(f"{legend}; in parentheses: fewer than {FEW}.", style="dim", markup=False)


def _shown(title: str, judged: Sequence[Judged], columns: dict[str, list[str]]) -> list[Table]:
    """One row per predictor; or one column where that is too wide, in as many tables as it takes."""
    heads = tuple(columns)
    names = tuple(one.name for one in judged)
    shown = table("estimate", *heads, right=heads, title=title)
    longest = max(map(len, names))
    shown.columns[0].overflow = "fold"
    shown.columns[0].min_width = min(longest, _LETTERS)
    for name, *cells in zip(names, *columns.values(), strict=True):
        shown.add_row(plain(name), *cells)
    if fits(shown, max(longest - _LETTERS, 0)):
        return [shown]

    def turned(some: Sequence[int]) -> Table:
        chosen = tuple(names[i] for i in some)
        part = table("", *chosen, right=chosen, title=title)
        for head, cells in columns.items():
            part.add_row(head.replace("\n", " "), *(cells[i] for i in some))
        for column in part.columns[1:]:
            column.overflow = "fold"
        return part

    return list(in_blocks(turned, range(len(names))))


def accuracy_json(one: Judged) -> dict[str, Any]:
    """The same as one object, in seconds and shares."""
    from dataclasses import asdict

    return {
        "estimate": one.name,
        **asdict(one.accuracy),
        "coverage": one.accuracy.coverage,
        "area_coverage": one.accuracy.area_coverage,
        "nominal": one.nominal,
        "calibration": [part._asdict() for part in one.calibration],
    }


def _share(share: float) -> str:
    return f"{100 * share:.1f} %" if 0 < share < 1 else f"{100 * share:.0f} %"


def _covered(part: Covered) -> str:
    from packwise.metrics.prediction import FEW

    if part.coverage is None:
        return "–"
    return _share(part.coverage) if part.jobs >= FEW else f"({_share(part.coverage)})"


def _seconds(value: float | None) -> str:
    return "–" if value is None else duration(value)
