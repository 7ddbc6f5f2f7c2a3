"""From a study and its store to what a report shows."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

import packwise
from packwise.experiments.glossary import glossary
from packwise.experiments.provenance import code_digest, versions
from packwise.experiments.scenario import Choice, Generated, Scenario, TraceFile, WorkloadSpec
from packwise.experiments.store import Store
from packwise.experiments.study import Baseline, Study
from packwise.experiments.tables.results import Point, StudyResults
from packwise.metrics.catalogue import metric
from packwise.metrics.own import is_own, stored_name
from packwise.model.errors import InputError
from packwise.reports.material import Material, Sweep
from packwise.reports.study.cases import compared_axis, study_cases

if TYPE_CHECKING:
    import polars as pl

_SWEEP_POINTS = 3
_AXES = ("workload", "machine", "policy", "estimate")


def study_material(
    study: Study, store: Store, command: str, *, title: str = "", site: str = ""
) -> Material:
    """What the store has of a study, under a ``title`` of its own if it is given one. Raises InputError if it
    has nothing.
    """
    frame = store.frame()
    axis = compared_axis(study)
    baseline = Baseline(**{axis: getattr(study.baseline, axis)})
    results = StudyResults.of(study, frame).against(baseline)
    if not results.there.any():
        raise InputError(
            f"{study.store}: the store has no results of this study yet. Run it first: "
            f"packwise study run {study.file or 'STUDY'}."
        )
    names = tuple(metric(name).name for name in study.metrics)
    cases, left_out = study_cases(study, store, results, names)
    if not cases:
        where, reason = left_out[0]
        raise InputError(
            f"{study.name}: there is nothing to compare yet ({where}: {reason}). Run the study, or "
            "choose another --baseline."
        )
    return Material(
        title=title or study.name,
        site=site,
        description=study.description,
        metrics=names,
        cases=cases,
        sweeps=_sweeps(study, results, names),
        confidence=study.confidence,
        provenance=_provenance(study, results, frame, command),
        glossary=glossary(study),
        missing=(*((str(one), _reason(store, one)) for one in results.missing()), *left_out),
    )


def _reason(store: Store, scenario: Scenario) -> str:
    failure = store.failure(scenario.key)
    return str(failure.get("message")) if failure else "not run yet"


def _sweeps(study: Study, results: StudyResults, names: tuple[str, ...]) -> tuple[Sweep, ...]:
    """Each number that takes several values in a study: the distortion of estimates, a depth, ..."""
    groups: dict[tuple[str, str], dict[str, dict[float, Point]]] = {}
    for point, scenario in {Point(*s.labels[:4]): s for s in study.scenarios}.items():
        for axis, choice in (("estimate", scenario.estimate), ("policy", scenario.policy)):
            for parameter, value in choice.parameters.items():
                if isinstance(value, int | float) and not isinstance(value, bool):
                    place = " / ".join(part for part in (point.workload, point.machine) if part)
                    line = _line(point, axis, choice, parameter)
                    group = groups.setdefault((place, parameter), {})
                    group.setdefault(line, {})[float(value)] = point
    sweeps = []
    for (place, parameter), lines in groups.items():
        points = tuple(sorted({value for line in lines.values() for value in line}))
        if len(points) >= _SWEEP_POINTS:
            values = {
                label: {name: _along(results, line, points, name) for name in names}
                for label, line in lines.items()
            }
            what = "distortion of estimates" if parameter == "factor" else parameter
            sweeps.append(Sweep(f"{place}: {what}", _parameter(parameter), points, values))
    return tuple(sweeps)


def _parameter(name: str) -> str:
    return "k, where the estimate is k times the run time" if name == "factor" else name


def _line(point: Point, axis: str, choice: Choice, parameter: str) -> str:
    """What a line is called: everything but the number that is turned."""
    if axis == "estimate":
        return point.policy
    others = [f"{name}={value}" for name, value in choice.parameters.items() if name != parameter]
    base = choice.name.partition("(")[0]
    name = f"{base}({','.join(others)})" if others else base
    return f"{name} / {point.estimate}"


def _along(
    results: StudyResults, line: dict[float, Point], points: tuple[float, ...], name: str
) -> tuple[float, ...]:
    cells = (results.cell(line[at], name) if at in line else None for at in points)
    return tuple(float("nan") if cell is None else cell.value for cell in cells)


def _origin(copies: list[WorkloadSpec]) -> str:
    """Where a workload comes from, and the seeds of its copies."""
    first, last = copies[0], copies[-1]
    if isinstance(first.source, TraceFile):
        name = first.source.path.replace("\\", "/").rpartition("/")[2]
        parts = [f"{name}, sha256 {first.source.digest}"]
    else:
        facts = {name: value for name, value in vars(first.source).items() if value is not None}
        if isinstance(last.source, Generated) and last.source.seed != first.source.seed:
            facts["seed"] = f"{first.source.seed} to {last.source.seed}"
        parts = ["generated: " + ", ".join(f"{name} {value}" for name, value in facts.items())]
    shaken = f" to {last.window.seed}" if last.window.seed != first.window.seed else ""
    parts += [
        f"{line}{shaken}" if line.startswith("submissions shaken") else line
        for line in first.window.words()
    ]
    return "; ".join(parts)


def _provenance(
    study: Study, results: StudyResults, frame: pl.DataFrame, command: str
) -> tuple[tuple[str, str], ...]:
    """Enough to make the report again."""
    rows = [("Command", command), ("Packwise", f"{packwise.__version__} (code {code_digest()})")]
    others = {name: text for name, text in versions().items() if name != "packwise"}
    rows.append(("Made with", ", ".join(f"{name} {text}" for name, text in others.items())))
    if study.file is not None and study.file.is_file():
        digest = sha256(study.file.read_bytes()).hexdigest()
        rows.append(("Study file", f"{study.file.name}, sha256 {digest}"))
    specs: dict[str, dict[WorkloadSpec, None]] = {}
    for scenario in study.scenarios:
        specs.setdefault(scenario.workload.label, {})[scenario.workload] = None
    rows += [(f"Workload {label}", _origin(list(copies))) for label, copies in specs.items()]
    for policy in {s.policy.label: s.policy for s in study.scenarios}.values():
        source = policy.source
        digest = f", sha256 {sha256(source.encode()).hexdigest()}" if source else ""
        name = policy.name.replace("\\", "/").rpartition("/")[2]
        if source or name != policy.label:
            rows.append((f"Policy {policy.label}", name + digest))
    rows += [(f"Metric {name}", stored_name(name)) for name in study.metrics if is_own(name)]
    keys = list({scenario.key for scenario in study.scenarios})
    written = frame.filter(frame["key"].is_in(keys))["written"].to_list()
    rows.append(("Scenarios", f"{len(study.scenarios):,}, {len(written):,} with a result"))
    rows.append(("Results written", f"{min(written)} to {max(written)}"))
    if told := results.chance_words():
        rows.append(("Not reproducible", told.partition(": ")[2]))
    return tuple(rows)
