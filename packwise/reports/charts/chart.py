"""A chart as plain data: computed once, drawn by the page and by the static figures alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from packwise.model.workload import Floats
from packwise.pictures.clock import Clock

Mark = Literal["line", "step", "dots", "point", "bar", "stack", "bubble"]

#: Ticks of logarithmic axes of seconds, which powers of ten would make hard to read.
DURATION_TICKS: Final = (
    (1.0, "1 s"),
    (10.0, "10 s"),
    (60.0, "1 min"),
    (600.0, "10 min"),
    (3600.0, "1 h"),
    (6 * 3600.0, "6 h"),
    (86400.0, "1 d"),
    (7 * 86400.0, "1 wk"),
    (30 * 86400.0, "1 mo"),
    (365 * 86400.0, "1 yr"),
)


@dataclass(frozen=True)
class Axis:
    """``ticks`` are (place, text) where the usual ones would not do; ``categories`` are names at
    the places 0, 1, 2, ...; ``seconds`` are told as durations; with a ``clock`` the values are days since
    its origin, told as dates."""

    title: str
    scale: Literal["linear", "log"] = "linear"
    range: tuple[float, float] | None = None
    ticks: tuple[tuple[float, str], ...] = ()
    categories: tuple[str, ...] = ()
    from_zero: bool = False
    zero_line: bool = False
    seconds: bool = False
    clock: Clock | None = None


@dataclass(frozen=True, eq=False)
class Series:
    """One line, or one set of points or bars.

    ``policy`` is a label of the report's legend, which decides colour and dash; without it the
    series is drawn in neutral ink. Bars lie along x, at the places y. ``notes`` belong to the
    points, ``error`` is half the height of error bars in (x, y).

    A "bar" is green or red by its sign; a "stack" has the policy's colour, begins at ``base`` and has
    ``ends`` written behind it. ``sizes`` are the diameters of bubbles. ``pale`` marks a second kind. ``hollow``
    tells which "dots" are rings, for what may be chance.
    """

    label: str
    x: Floats
    y: Floats
    mark: Mark = "line"
    policy: str | None = None
    notes: tuple[str, ...] = ()
    error: tuple[Floats, Floats] | None = None
    dashed: bool = False
    base: Floats | None = None
    ends: tuple[str, ...] = ()
    sizes: Floats | None = None
    pale: bool = False
    hollow: tuple[bool, ...] = ()


@dataclass(frozen=True, eq=False)
class Panel:
    """One pair of axes."""

    x: Axis
    y: Axis
    series: tuple[Series, ...]
    title: str = ""


@dataclass(frozen=True, eq=False)
class Chart:
    """One figure of one or more panels, ``columns`` side by side. ``empty`` says why it shows
    nothing, where it does not. ``note``: what the machine is, where that is a guess."""

    name: str
    title: str
    caption: str
    panels: tuple[Panel, ...]
    columns: int = 1
    empty: str = ""
    note: str = ""


@dataclass(frozen=True, eq=False)
class Choice:
    """Charts of which a reader looks at one at a time, by name."""

    name: str
    title: str
    caption: str
    prompt: str
    charts: Mapping[str, Chart]
