"""The study file: a TOML description of a grid of scenarios, read, checked and expanded.

``packwise study init`` writes one in which every key is explained. Whatever is wrong in a file is reported
in one error, with the lines.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, NoReturn

from packwise.experiments.study import Study
from packwise.experiments.study_file.baseline import read_baseline
from packwise.experiments.study_file.claims import read_claims
from packwise.experiments.study_file.estimates import read_estimates
from packwise.experiments.study_file.grid import Grid
from packwise.experiments.study_file.machines import read_machines
from packwise.experiments.study_file.policies import read_policies
from packwise.experiments.study_file.published import read_published_rules
from packwise.experiments.study_file.table import Problems, Table, short
from packwise.experiments.study_file.trim import read_trim
from packwise.experiments.study_file.users import metric_of_study
from packwise.experiments.study_file.workloads import (
    MOST_REPLICAS,
    Shaking,
    Traces,
    read_workloads,
)
from packwise.files.content import file_bytes
from packwise.files.toml_document import parse_toml
from packwise.model.errors import FormatError, InputError
from packwise.workloads.window import Window

DEFAULT_METRICS = ("BSLD", "AF", "wait", "AWF", "P2SF", "max_wait", "utilization", "users_worse")
DEFAULT_STORE = "packwise-results"

_KEYS = (
    "name", "description", "metrics", "baseline", "estimates", "policies", "replicas", "seed", "shake",
    "confidence", "store", "drop_unaffected", "trim", "untrimmed", "workload", "machine", "estimate",
    "policy", "published", "claim", "dask",
)  # fmt: skip
#: Keys that people put at the top of a file, and what they are called here.
_OTHER_WORDS = {
    "cluster": "Machines to try are [[machine]] tables.",
    "clusters": "Machines to try are [[machine]] tables.",
    "machines": "Machines to try are [[machine]] tables.",
    "trace": "Logs are [[workload]] tables.",
    "traces": "Logs are [[workload]] tables.",
    "workloads": "Workloads are [[workload]] tables.",
    "claims": "Claims are [[claim]] tables.",
    "tolerance": "Tolerances are [[published.tolerance]] tables.",
}
_OF_THE_STUDY = {
    key: f"'{key}' belongs to the whole study: put it above the first line in brackets."
    for key in _KEYS[: _KEYS.index("workload")]
}
_INIT = "`packwise study init` writes an example."


def read_study(
    path: str | os.PathLike[str], *, traces: Sequence[Path] = (), store: Path | None = None
) -> Study:
    """The study that a file describes.

    ``traces`` are folders in which archived logs are looked for; ``store`` replaces the file's. Raises
    InputError (FormatError for what is not TOML) with the lines of all problems.
    """
    path = Path(path)
    for folder in traces:
        if not folder.is_dir():
            raise InputError(f"{folder}: no such folder of traces. Check --traces.")
    text = _text(path)
    values, problems = _parsed(path, text)
    study = Table(values, (), problems)
    study.refuse_unknown(_KEYS, _OTHER_WORDS)
    return _study(study, Traces(traces, path.parent), path, store)


def adhoc_study(
    name: str,
    workloads: Sequence[str | os.PathLike[str]],
    *,
    policies: Sequence[str],
    store: Path,
    estimates: Sequence[str] = ("requested",),
    metrics: Sequence[str] = DEFAULT_METRICS,
    trim: str | None = None,
    baseline: str | None = None,
    procs: int | None = None,
    machine: Mapping[str, str] | None = None,
    window: Window | None = None,
    replicas: int = 0,
    seed: int = 1,
    confidence: float = 0.95,
) -> Study:
    """A study of log files without a study file: every policy with every estimate on every log.

    ``machine``: the keys of a ``[[machine]]``, if it is another than that of the logs.
    """
    common = {} if procs is None else {"procs": procs}
    values: dict[str, Any] = {
        "name": name,
        "policies": list(policies),
        "estimates": list(estimates),
        "metrics": list(metrics),
        "replicas": replicas,
        "seed": seed,
        "confidence": confidence,
        "workload": [{"file": os.fspath(path), **common} for path in workloads],
    }
    if baseline is not None:
        values["baseline"] = baseline
    if trim is not None:
        values["trim"] = trim
    if machine is not None:
        values["machine"] = [dict(machine)]
    study = Table(values, (), Problems(None))
    return _study(study, Traces((), Path()), None, store, window or Window())


def example_study() -> str:
    """A study file that runs as it is, with every key explained."""
    return files("packwise.experiments.study_file").joinpath("example.toml").read_text("utf-8")


def _study(
    study: Table,
    traces: Traces,
    file: Path | None,
    store: Path | None,
    window: Window | None = None,
) -> Study:
    problems = study.problems
    name = study.text("name", file.stem if file else "study")
    shaking = Shaking(
        study.whole("replicas", 0, most=MOST_REPLICAS),
        study.whole("seed", 1),
        study.seconds("shake", 60, least=1),
    )
    metrics = _metrics(study, traces.base)
    estimates = read_estimates(study, traces.base, _OF_THE_STUDY)
    policies = read_policies(study, traces.base, _OF_THE_STUDY)
    workloads = read_workloads(study, traces, shaking, window or Window(), _OF_THE_STUDY)
    machines = read_machines(study, traces.base, _OF_THE_STUDY)
    if "workload" not in study:
        problems.add(1, f"a study needs a [[workload]], found none. {_INIT}")
    if not {"policies", "policy"} & set(study.values):
        problems.add(1, f'a study needs policies, found none. Add policies = ["easy"]. {_INIT}')
    grid = Grid(workloads, machines, estimates, policies)
    grid.check(problems)
    own_store = study.text("store", DEFAULT_STORE)
    description = study.text("description", "", lines=True).strip()
    confidence = study.number(
        "confidence", 0.95, "between 0 and 1", lambda v: 0 < v < 1, "For 95 % write 0.95."
    )
    trim, untrimmed = read_trim(study, [entry.choice.label for entry in policies])
    dask = study.table("dask")
    labels = {
        "workload": [copies.label for copies in workloads],
        "policy": [entry.choice.label for entry in policies],
        "estimate": [entry.choice.label for entry in estimates],
        "metric": list(metrics),
    }
    complete = not problems.found
    baseline = read_baseline(study, grid, traces.base, _OF_THE_STUDY, complete)
    published = read_published_rules(study, labels, _OF_THE_STUDY, complete)
    claims = read_claims(study, grid, metrics, traces.base, _OF_THE_STUDY, complete)
    problems.check()
    return Study(
        name=name,
        scenarios=grid.scenarios(),
        metrics=metrics,
        baseline=baseline,
        store=store if store is not None else traces.base / own_store,
        description=description,
        file=file,
        confidence=confidence,
        published=published,
        dask=dict(dask.values) if dask else {},
        drop_unaffected=study.flag("drop_unaffected"),
        trim=trim,
        untrimmed=untrimmed,
        claims=claims,
        swept={copies.label: copies.swept for copies in workloads if copies.swept},
    )


def _metrics(study: Table, folder: Path) -> tuple[str, ...]:
    if "metrics" not in study:
        return DEFAULT_METRICS
    found: dict[str, int] = {}
    for item in study.names("metrics", '["BSLD", "AF"]'):
        try:
            name = metric_of_study(item.value, folder).name
        except InputError as error:
            study.problems.add(item.line, error)
        except (OverflowError, ValueError):
            study.problems.add(item.line, f"metric '{short(item.value)}': the number is too large.")
        else:
            if name in found:
                study.problems.add(item.line, f"metric '{name}' is there twice. Remove one.")
            found[name] = item.line
    return tuple(found)


def _text(path: Path) -> str:
    content = file_bytes(path).removeprefix(b"\xef\xbb\xbf")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FormatError(
            str(path),
            expected="text in UTF-8",
            found=f"the byte 0x{content[error.start]:02x}",
            line=content.count(b"\n", 0, error.start) + 1,
            remedy="Save the file as UTF-8.",
        ) from error


def _parsed(path: Path, text: str) -> tuple[dict[str, Any], Problems]:
    try:
        values, lines = parse_toml(path, text)
    except tomllib.TOMLDecodeError as error:
        _refuse_syntax(path, text, str(error))
    if not values:
        raise FormatError(str(path), expected="a study", found="an empty file", remedy=_INIT)
    return values, Problems(str(path), lines)


def _refuse_syntax(path: Path, text: str, message: str) -> NoReturn:
    """An error with line and advice, out of tomllib's message."""
    what, _, place = message.rpartition(" (at ")
    found = re.match(r"line (\d+), column (\d+)", place)
    rows = text.split("\n")
    line = int(found[1]) if found else len(text.rstrip("\n").split("\n"))
    column = f", column {found[2]}" if found else ""
    row = short(rows[line - 1].strip()) if line <= len(rows) else ""
    quoted = f" in `{row}`" if row else ""
    remedy = "Text goes in quotes, lists in square brackets."
    if "twice" in what or "overwrite" in what:
        remedy = "Keys may come once in a table; a table that is repeated has two brackets, as in [[policy]]."
    elif not found:
        remedy = "Something is not closed: a quote or a bracket."
    raise FormatError(
        str(path),
        expected="TOML",
        found=f"'{what[:1].lower()}{what[1:]}'{column}{quoted}",
        line=line,
        remedy=remedy,
    )
