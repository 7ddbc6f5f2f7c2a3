"""The work of one scenario, wherever it is done: a value in, a value out, no access to the store.

Workers compute and whoever handed out the task writes, so a worker needs neither the store nor a shared
disk, and a worker that dies leaves nothing half done.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import time
import traceback
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from tempfile import gettempdir
from typing import Any, NamedTuple

import numpy as np

from packwise import registry
from packwise.experiments.declarations import installed, is_reproducible
from packwise.experiments.provenance import code_digest, versions
from packwise.experiments.scenario import Scenario, TraceFile, load
from packwise.files.output import atomic_output
from packwise.metrics.catalogue import METRICS, metric, standard_metrics, summarize
from packwise.metrics.own import is_own, stored_name
from packwise.model.cluster import Cluster
from packwise.model.demands import misfits
from packwise.model.errors import FormatError, InputError
from packwise.model.schedule import Schedule
from packwise.model.sizing import Sizing
from packwise.model.workload import Ints, Workload
from packwise.simulation import never_under_cap, simulate
from packwise.users_modules import joined, running_with
from packwise.workloads.origin import origin_of
from packwise.workloads.tables.schedule_columns import kept_names, stored_frame, stored_schedule

#: The version of what is written to a store. A store of a higher one is refused.
FORMAT = 1

#: Every result has these, as far as its jobs have deadlines and its policy makes promises; others are
#: measured when a study asks for them.
STANDARD_METRICS = tuple(one.name for one in METRICS.values() if not one.costly)

#: The latest time that a schedule may have: floats tell seconds up to there.
_LATEST = 2**53

#: Workloads that a worker keeps, since scenarios of one workload come one after the other.
_KEPT = 4
_load = lru_cache(maxsize=_KEPT)(load)


@dataclass(frozen=True)
class Task:
    """A scenario to replay and measure.

    ``metrics`` are wanted beyond the standard ones. ``code`` is the digest of the code that made the
    scenario's key, ``packages`` the versions in it: a worker with others must not answer. With
    ``schedule`` (the Parquet file of a result that lacks some metrics) only those are measured, and
    ``record`` is what is known already.
    """

    scenario: Scenario
    metrics: tuple[str, ...] = ()
    code: str = ""
    packages: Mapping[str, str] = field(default_factory=dict)
    schedule: bytes | None = None
    record: dict[str, Any] | None = None


class Done(NamedTuple):
    """A result: the record (plain values, for JSON) and the schedule as a Parquet file.

    ``took``: seconds of the worker, without those in which code was compiled.
    """

    key: str
    record: dict[str, Any]
    schedule: bytes
    took: float = 0.0


class Failed(NamedTuple):
    """A scenario that raised: the record has the error and its traceback."""

    key: str
    record: dict[str, Any]
    took: float = 0.0


def perform(task: Task, content: bytes | None = None) -> Done | Failed:
    """Replay and measure a scenario. Whatever it raises becomes a Failed.

    ``content`` is the trace's file, for workers that cannot read it where the study says.
    """
    from packwise.compiled.told import timed

    compiling: list[float] = []
    began = time.perf_counter()
    with timed(compiling):
        result = _perform(task, content)
    return result._replace(took=max(0.0, time.perf_counter() - began - sum(compiling)))


def _perform(task: Task, content: bytes | None) -> Done | Failed:
    scenario = task.scenario
    try:
        _check_versions(task)
        if content is not None:
            scenario = _with_content(scenario, content)
        if task.schedule is not None:
            return _measure_again(task, task.schedule)
        return _replay(scenario, task)
    except Exception as error:
        return failed(task.scenario, error, "".join(traceback.format_exception(error)))


def _check_versions(task: Task) -> None:
    """Refuse a task whose key was made with other code than there is here."""
    wanted = {"Packwise": task.code} if task.code else {}
    found = {"Packwise": code_digest()} | {name: installed(name) for name in task.packages}
    for name, version in {**wanted, **task.packages}.items():
        if found[name] != version:
            raise InputError(
                f"this worker has {name} {found[name] or '(not installed)'}, the study was started with "
                f"{version or 'none'}. Install the same version on all machines."
            )


def failed(scenario: Scenario, error: BaseException, trace: str = "") -> Failed:
    """The record of a scenario that could not be done."""
    record = {
        "format": FORMAT,
        "key": scenario.key,
        "scenario": scenario.specification(),
        "error": type(error).__name__,
        "message": str(error),
        "traceback": trace,
        "versions": versions(),
        "written": _now(),
    }
    return Failed(scenario.key, record)


def replayed(
    name: str, record: Mapping[str, Any], schedule: bytes
) -> tuple[Workload, Cluster, Schedule]:
    """The jobs, the machine and the schedule of a result, of which ``record`` tells."""
    from polars.exceptions import PanicException

    def check(columns: Mapping[str, Ints]) -> None:
        for column in ("start", "end"):  # a workload's own columns are checked as it is made
            wrong = columns[column][(columns[column] < -1) | (columns[column] > _LATEST)]
            if len(wrong):
                expected = f"a {column} from -1 to {_LATEST}"
                raise FormatError(name, expected=expected, found=str(wrong[0]))

    try:
        workload, found = stored_schedule(name, schedule, check, record.get("names", {}))
    except PanicException as error:
        raise FormatError(name, expected="a schedule", found="a broken Parquet file") from error
    nodes = record.get("cluster")
    sizing = Sizing.from_facts(record.get("sizing", {}))
    if nodes is None:
        return workload, Cluster.pool(record["procs"], name, sizing), found
    return workload, replace(Cluster.from_document(nodes), sizing=sizing), found


def with_metrics(
    name: str, record: dict[str, Any], schedule: bytes, metrics: Sequence[str]
) -> dict[str, Any]:
    """The record of a result with more metrics, measured on its schedule; ``name`` is for messages.

    One of the user's own that does not apply has no value.
    """
    parts = replayed(name, record, schedule)
    wanted = [one for one in metrics if not is_own(one) or metric(one).applies(*parts)]
    values = {**dict.fromkeys(metrics, np.nan), **summarize(*parts, wanted)}
    added = {stored_name(one): value for one, value in _plain(values).items()}
    return {**record, "metrics": {**record["metrics"], **added}}


def _replay(scenario: Scenario, task: Task) -> Done:
    chosen = (scenario.policy, scenario.estimate)
    if all(choice.source is None for choice in chosen):
        return _replay_here(scenario, task)
    with running_with(joined(*(choice.imports for choice in chosen))):
        return _replay_here(scenario, task)


def _replay_here(scenario: Scenario, task: Task) -> Done:
    policy = registry.policy(scenario.policy.name, scenario.policy.source)
    estimate = registry.estimate(scenario.estimate.name, scenario.estimate.source)
    workload, cluster, remarks, wide, counts = _load(scenario.workload, scenario.machine)
    charge = scenario.machine.charge
    with redirect_stdout(sys.stderr):
        run = simulate(
            workload,
            cluster,
            policy,
            estimate,
            reject_too_large=True,
            placement=scenario.machine.placement,
            charge=charge,
        )
    standard = [one.name for one in standard_metrics(run.workload, run.cluster, run.schedule)]
    names = dict.fromkeys([*standard, *task.metrics])
    values = summarize(run.workload, run.cluster, run.schedule, names)
    buffer = BytesIO()
    table = stored_frame(run.workload, run.schedule)
    table.write_parquet(buffer, compression="zstd", statistics=False)
    schedule = buffer.getvalue()
    too_wide = int(misfits(workload, cluster).which.sum())
    if too_wide:
        remarks = (*remarks, f"dropped: wider than the machine: {too_wide:,}")
    capped = int(never_under_cap(workload, cluster, policy, estimate).which.sum())
    if capped:
        remarks = (*remarks, f"rejected: never possible under the power cap: {capped:,}")
    record = {
        "format": FORMAT,
        "key": scenario.key,
        "code": code_digest(),
        "packages": scenario.packages,
        "scenario": task.scenario.specification(),
        "jobs": int(run.schedule.ran.sum()),
        "rejected": len(run.rejected) - too_wide,
        "too_wide": wide + too_wide,
        "procs": cluster.procs,
        "sizing": cluster.sizing._asdict(),
        **({} if cluster.is_pool else {"cluster": cluster.document()}),
        "names": kept_names(run.workload),
        "origin": origin_of(workload)._asdict(),
        "start_time": workload.start_time,
        "time_zone": workload.time_zone,
        "rounds": len(run.rounds),
        "seconds": round(run.seconds, 6),
        "compiled": run.compiled,
        "reproducible": is_reproducible(policy)
        and is_reproducible(estimate)
        and not (charge is not None and charge.measured),
        "remarks": list(remarks),
        "counts": [[label.strip(), int(count)] for label, count in counts],
        "metrics": _plain(values),
        "schedule": {"bytes": len(schedule), "sha256": sha256(schedule).hexdigest()},
        "versions": versions(),
        "written": _now(),
    }
    return Done(scenario.key, record, schedule)


def _measure_again(task: Task, schedule: bytes) -> Done:
    assert task.record is not None
    label = task.scenario.workload.label
    record = with_metrics(label, task.record, schedule, task.metrics)
    return Done(task.scenario.key, record, schedule)


def _plain(values: dict[str, float]) -> dict[str, float | None]:
    """For JSON, which has no infinity and no NaN."""
    return {name: float(value) if np.isfinite(value) else None for name, value in values.items()}


def _with_content(scenario: Scenario, content: bytes) -> Scenario:
    """The scenario with its trace in a file on this machine, there while this process lives."""
    source = scenario.workload.source
    assert isinstance(source, TraceFile)
    folder = Path(gettempdir()) / f"packwise-{os.getpid()}-{source.digest}"
    path = folder / Path(source.path).name
    if not path.exists():
        folder.mkdir(exist_ok=True)
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        with atomic_output(path) as file:
            file.write(content)
    workload = replace(scenario.workload, source=replace(source, path=str(path)))
    return replace(scenario, workload=workload)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
