"""The section about promises: who was told a start, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from packwise.readable import duration
from packwise.reports.charts.chart import Chart
from packwise.reports.charts.place import ChartPlace, place_of
from packwise.reports.material import Case
from packwise.reports.promises.kept import Kinds, Promised
from packwise.reports.promises.words import promise_words
from packwise.reports.readings import MINUS, NARROW

_COLUMNS: Final = (
    ("promised", "jobs that were told a start"),
    ("at once", "started when they were submitted"),
    ("earlier", "waited, but not as long as promised"),
    ("as promised", "to the second"),
    ("broken", "started later than promised"),
    ("gain", "mean of promised start less start"),
)


class PromiseRow(NamedTuple):
    """One kind of jobs under one policy: (count, share) of each column but the last, and the gain."""

    label: str
    kind: str
    parts: tuple[tuple[str, str], ...]
    gain: str


@dataclass(frozen=True)
class PromiseSection:
    """``groups`` are (title or nothing, rows) of the cases that have promises."""

    words: tuple[str, ...]
    what: str
    columns: tuple[tuple[str, str], ...]
    groups: tuple[tuple[str, tuple[PromiseRow, ...]], ...]
    place: ChartPlace


def promise_section(
    cases: Sequence[tuple[Case, Mapping[str, Kinds]]], chart: Chart, *, wide: bool
) -> PromiseSection:
    """A table of all cases that have promises, and a place for the figure of the chosen case."""
    there = [(case, found) for case, found in cases if found]
    groups = (
        (
            case.title if len(cases) > 1 else "",
            tuple(
                _row(label, kind, one)
                for label, kinds in found.items()
                for kind, one in kinds.items()
            ),
        )
        for case, found in there
    )
    return PromiseSection(
        tuple(promise_words([one for _, one in there])),
        there[0][0].compared.capitalize(),
        _COLUMNS,
        tuple(groups),
        place_of(chart, wide=wide),
    )


def _row(label: str, kind: str, one: Promised) -> PromiseRow:
    counts = [(one.told, one.jobs)]
    counts += [(part, one.told) for part in (one.at_once, one.earlier, one.exact, one.late)]
    gain = f"{MINUS}{duration(-one.gain)}" if one.gain < 0 else duration(one.gain)
    parts = tuple((f"{part:,}", _percent(part, whole)) for part, whole in counts)
    return PromiseRow(label, kind, parts, gain)


def _percent(part: int, whole: int) -> str:
    if not whole:
        return "–"
    share = 100 * part / whole
    text = f"{share:.1f}" if not part or share >= 0.05 else "< 0.1"
    return f"{text}{NARROW}%"
