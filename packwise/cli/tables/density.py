"""How the machine's utilization is distributed over time, as a table and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from packwise.metrics.comparison import Comparison
    from packwise.metrics.series import UtilizationDensity
    from packwise.model.run import Run


def densities(comparison: Comparison, runs: Iterable[Run]) -> dict[str, UtilizationDensity]:
    """That of each run, by its label."""
    from packwise.metrics.series import utilization_density

    return {
        one.label: utilization_density(run.workload, run.cluster, run.schedule)
        for one, run in zip(comparison.entries, runs, strict=True)
    }


def density_json(one: UtilizationDensity) -> dict[str, Any]:
    """Edges of the classes, and the share of the time in each."""
    return {"edges": one.edges.tolist(), "share": one.share.tolist()}


def print_density(found: Mapping[str, UtilizationDensity]) -> None:
    """A row for each class of utilization, from the first in which anybody was to the last."""
    from packwise.cli.terminal import stdout, table

    rows = table("processors busy", *found, right=tuple(found), title="Share of the time")
    edges = next(iter(found.values())).edges
    some = [k for k in range(len(edges) - 1) if any(one.share[k] > 0 for one in found.values())]
    for k in range(some[0], some[-1] + 1):
        cells = (f"{100 * one.share[k]:.1f} %" for one in found.values())
        rows.add_row(f"{100 * edges[k]:.0f}-{100 * edges[k + 1]:.0f} %", *cells)
    console = stdout()
    console.print()
    console.print(rows)
