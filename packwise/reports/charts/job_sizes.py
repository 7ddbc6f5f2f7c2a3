"""Who waits, by job size: the cumulative wait area."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from packwise.metrics.series import cumulative_wait_area
from packwise.model.workload import Floats
from packwise.reports.charts.chart import Axis, Chart, Panel, Series
from packwise.reports.charts.staircase import Staircase, shorten
from packwise.reports.material import Replayed

_HOUR = 3600.0


@dataclass(frozen=True, eq=False)
class Sizes:
    """One run by job size; areas in processor-hours."""

    jobs: Staircase
    work: Staircase
    wait_area: Staircase


def sizes(run: Replayed) -> Sizes:
    found = cumulative_wait_area(*run)
    area = found.area / _HOUR
    total = float(found.wait_area[-1])
    waited = shorten(area, found.wait_area / total) if total else Staircase(area[:1], np.zeros(1))
    return Sizes(
        jobs=shorten(area, found.jobs),
        work=shorten(area, found.work),
        wait_area=Staircase(waited.x, waited.share * total / _HOUR),
    )


def wait_area_chart(found: dict[str, Sizes], baseline: str) -> Chart:
    """Goponenko et al., SBAC-PAD 2022, Fig. 3."""
    base = found[baseline]
    left = min(float(one.wait_area.x[0]) for one in found.values())
    left = 0.9 * min(left, float(base.jobs.x[0]))
    right = 1.15 * max(float(one.jobs.x[-1]) for one in found.values())
    x = Axis("job area, processor-hours", "log", (left, right), _powers_of_ten(left, right))
    shares = (
        _stairs("share of jobs", base.jobs, x, 100.0),
        _stairs("share of work", base.work, x, 100.0, dashed=True),
    )
    waits = tuple(_stairs(name, one.wait_area, x, 1.0, name) for name, one in found.items())
    caption = (
        "Above: how much of the jobs and of the work is in jobs up to this area. Below: the wait of "
        "those jobs, each weighted by its processors (cumulative wait area, Goponenko et al., "
        "SBAC-PAD 2022, Fig. 3). A line that stays low and shoots up at the right end belongs to a "
        "policy that lets large jobs wait."
    )
    return Chart(
        "wait-area",
        "Who waits, by job size",
        caption,
        (
            Panel(
                replace(x, title=""),
                Axis("% of total", range=(0.0, 101.0)),
                shares,
                "Jobs and work",
            ),
            Panel(
                x,
                Axis("processor-hours", from_zero=True),
                waits,
                "Cumulative wait area",
            ),
        ),
    )


def _stairs(
    label: str,
    one: Staircase,
    axis: Axis,
    scale: float,
    policy: str | None = None,
    *,
    dashed: bool = False,
) -> Series:
    left, right = axis.range or (1.0, 1.0)
    x: Floats = np.concatenate(([left], one.x, [right]))
    y: Floats = scale * np.concatenate(([0.0], one.share, one.share[-1:]))
    return Series(label, x, y, "step", policy, dashed=dashed)


def _powers_of_ten(left: float, right: float) -> tuple[tuple[float, str], ...]:
    powers = range(int(np.ceil(np.log10(left))), int(np.floor(np.log10(right))) + 1)
    return tuple((10.0**k, f"{10**k:,}" if k >= 0 else f"{10.0**k:g}") for k in powers)
