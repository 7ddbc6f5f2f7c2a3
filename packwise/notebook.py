"""What a notebook shows of workloads, runs and comparisons: a few words, a table, and a picture where
Matplotlib is there.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

from packwise.metrics.catalogue import metric, summarize
from packwise.metrics.usual import usual_metrics
from packwise.model.errors import InputError
from packwise.model.run import Run
from packwise.model.workload import Workload
from packwise.pictures.comparison import plot_comparison
from packwise.pictures.replay import plot_replay
from packwise.pictures.workload import plot_workload
from packwise.readable import duration, number, percent
from packwise.side_by_side import SideBySide, machine_lines
from packwise.workloads.describe import describe
from packwise.workloads.trace import Trace


def html(thing: object) -> str:
    """For a workload, what was read from a file, a run, or runs side by side."""
    if isinstance(thing, SideBySide):
        return _side_by_side(thing)
    if isinstance(thing, Run):
        return _run(thing)
    if isinstance(thing, Trace):
        return _trace(thing)
    if isinstance(thing, Workload):
        return _workload(thing)
    return f"<pre>{escape(repr(thing))}</pre>"


def _trace(trace: Trace) -> str:
    jobs, procs = trace.workload, trace.cluster.procs
    remarks = "".join(f"<li>{escape(line)}</li>" for line in trace.remarks())
    drawn = _picture(lambda path: plot_workload(jobs, procs, path))
    return f"<p>{escape(repr(trace)[1:-1])}</p><ul>{remarks}</ul>{drawn}"


def _workload(jobs: Workload) -> str:
    """Without a machine there is no load to draw: a table."""
    facts = describe(jobs, int(jobs.demand.max()))
    heads = ["per job", "minimum", "median", "p90", "maximum"]
    kinds = (
        ("run time", facts.runtime, duration),
        ("limit", facts.limit, duration),
        ("processors", facts.demand, number),
    )
    rows = [
        [label, *(write(getattr(spread, column)) for column in heads[1:])]
        for label, spread, write in kinds
    ]
    return f"<p>{escape(repr(jobs)[1:-1])}</p>{_table(heads, rows)}"


def _run(run: Run) -> str:
    usual = [one.name for one in usual_metrics(run.workload, run.cluster) if not one.costly]
    values = summarize(run.workload, run.cluster, run.schedule, usual)
    rows = [
        [escape(metric(name).title), _value(name, value), escape(name)]
        for name, value in values.items()
    ]
    drawn = _picture(lambda path: plot_replay(run, path))
    lead = "".join(f"<p>{escape(line)}</p>" for line in machine_lines(run.cluster))
    return (
        f"{lead}<p>{escape(repr(run)[1:-1])}</p>{_table(['metric', 'value', 'name'], rows)}{drawn}"
    )


def _side_by_side(found: SideBySide) -> str:
    comparison = found.comparison
    heads = ["", *(one.name for one in comparison.metrics)]
    rows = []
    base = comparison.entries[comparison.baseline]
    for entry in comparison.entries:
        cells = [f"<b>{escape(entry.label)}</b>"]
        for one in comparison.metrics:
            text = _value(one.name, entry.values[one.name])
            if entry is not base and not comparison.withheld:
                colour = {1: "#0b7a5f", -1: "#b3371d"}.get(comparison.verdict(entry, one), "#666")
                change = percent(comparison.change(entry, one))
                text += f' <span style="color:{colour}">{change}</span>'
            cells.append(text)
        rows.append(cells)
    lead, told = (
        "".join(f"<p>{escape(line)}</p>" for line in lines)
        for lines in (machine_lines(found.runs[0].cluster), found.words().split("\n"))
    )
    words = "" if comparison.withheld else told  # they are the lead
    runs, place = list(found.runs), comparison.baseline
    drawn = _picture(lambda path: plot_comparison(runs, place, path))
    return f"{lead}{_table(heads, rows)}{words}{drawn}"


def _value(name: str, value: float) -> str:
    return duration(value) if metric(name).unit == "s" else number(value)


def _table(heads: list[str], rows: list[list[str]]) -> str:
    top = "".join(f"<th>{escape(head)}</th>" for head in heads)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def _picture(draw: Callable[[Path], None]) -> str:
    """An SVG in the page; nothing where it cannot be drawn."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "picture.svg"
        try:
            draw(path)
        except InputError:  # no Matplotlib
            return ""
        text = path.read_text(encoding="utf-8")
    head, _, rest = text[text.index("<svg") :].partition(">")
    head = re.sub(r' (?:width|height)="[^"]*"', "", head)
    return f'<div style="max-width:1000px">{head} style="width:100%;height:auto">{rest}</div>'
