"""The workloads of a study: sources found, windows and replicas read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple, cast

from packwise.experiments.claim import Swept
from packwise.experiments.scenario import (
    Generated,
    TraceFile,
    file_digest,
    made_for_nodes,
)
from packwise.experiments.study_file.deadlines import KEYS as DEADLINE_KEYS
from packwise.experiments.study_file.deadlines import Deadlines, read_deadlines
from packwise.experiments.study_file.grid import Copies
from packwise.experiments.study_file.machines import LABEL, SHARE, is_file, read_cluster
from packwise.experiments.study_file.table import Table, short
from packwise.model.errors import InputError, UnknownName
from packwise.model.time_zone import zone_named
from packwise.workloads.archive import find
from packwise.workloads.cleaning import MissingLimit
from packwise.workloads.deadlines.impossible import Impossible
from packwise.workloads.lublin import MOST_JOBS, MOST_USERS
from packwise.workloads.records.meanings import parse_map
from packwise.workloads.selection import Selection
from packwise.workloads.trace import find_archived
from packwise.workloads.window import Window

MOST_REPLICAS = 10_000

_SOURCES = ("archive", "file", "generate")
_KEYS = (
    *_SOURCES, "label", "procs", "replicas", "from", "until", "first", "count", "drop_queues",
    "drop_partitions", "drop_unallocated", "only", "without", "round_demand", "scale_load", "missing_limit",
    "time_zone", "columns", "map",
    *DEADLINE_KEYS,
)  # fmt: skip
_GENERATE_KEYS = ("jobs", "procs", "cluster", "load", "users", "seed", "seeds")
_ENDINGS = (".gz", ".swf", ".csv", ".parquet", ".txt", ".psv", ".json")
_ON_NODES = 'For other nodes give a [[machine]] with cluster = "...".'


class Shaking(NamedTuple):
    """How many shaken copies of each workload, from which seed on, by how many seconds."""

    replicas: int = 0
    seed: int = 1
    seconds: int = 60


@dataclass
class Traces:
    """Where logs are: archived ones in ``folders``, files relative to ``base``."""

    folders: Sequence[Path]
    base: Path
    digests: dict[Path, str] = field(default_factory=dict)

    def archive(self, name: str) -> TraceFile:
        try:
            return self._digested(find_archived(name, self.folders))
        except UnknownName as error:
            raise InputError(f"{error} For a log of your own write file = ...") from error

    def file(self, name: str) -> TraceFile:
        path = self.base / name
        if not is_file(path):
            raise InputError(
                f"there is no file '{short(str(path.absolute()), 300)}'. {_file_remedy(name)}"
            )
        return self._digested(path)

    def _digested(self, path: Path) -> TraceFile:
        path = path.resolve()
        if path not in self.digests:
            self.digests[path] = file_digest(path)
        return TraceFile(str(path), self.digests[path])


def read_workloads(
    study: Table, traces: Traces, shaking: Shaking, window: Window, elsewhere: Mapping[str, str]
) -> list[Copies]:
    """Every ``[[workload]]``, in order; ``window`` is what all of them start from."""
    found: list[Copies] = []
    for table in study.tables("workload"):
        table.refuse_unknown(_KEYS, {**elsewhere, "name": LABEL})
        found += _of_table(table, traces, shaking, window)
    return found


def _of_table(table: Table, traces: Traces, shaking: Shaking, window: Window) -> list[Copies]:
    sources, default_label, numbered = _sources(table, traces)
    replicas = table.whole("replicas", shaking.replicas, most=MOST_REPLICAS)
    if numbered and replicas:
        table.wrong(
            "give seeds or replicas, not both: each seed is a replica. Write replicas = 0 in this "
            "workload, or a single seed."
        )
    window = replace(window, **_window(table))
    procs = table.whole("procs", None, least=1)
    if procs is not None and any(map(made_for_nodes, sources)):
        table.wrong(f"procs is not for jobs that run on nodes. {_ON_NODES}", "procs")
    label = table.text("label", default_label)
    deadlines = read_deadlines(table, window.deadlines, traces.file)
    if not sources:
        return []
    found = []
    for (factor, suffix), due in product(_loads(table), deadlines):
        part = window if factor is None else replace(window, factor=None if factor == 1 else factor)
        part = replace(part, deadlines=due.rules)
        one = Copies(
            label=label + suffix + due.suffix,
            sources=sources,
            window=part,
            replicas=0 if numbered else replicas,
            seed=shaking.seed,
            seconds=shaking.seconds,
            numbered=numbered,
            procs=procs,
            line=table.line(),
            family=label,
            swept=_swept(label, factor, suffix, due),
        )
        found.append(one)
    return found


def _swept(label: str, factor: float | None, suffix: str, due: Deadlines) -> Swept | None:
    """The place in a sweep: over the share of jobs with deadlines or, with none, over the load."""
    if due.share is not None:
        return Swept(label + suffix, due.share)
    return None if factor is None else Swept(label, factor)


def _sources(table: Table, traces: Traces) -> tuple[tuple[TraceFile | Generated, ...], str, bool]:
    """Where the jobs come from, a label, and whether the sources are replicas of one another."""
    given = [key for key in _SOURCES if key in table]
    if len(given) != 1:
        found = " and ".join(given) or "none"
        table.wrong(
            'a [[workload]] needs one source out of archive = "KTH-SP2", file = "log.swf.gz" and '
            f"generate = {{ jobs = 5000, procs = 256 }}; found {found}."
        )
        return (), "", False
    if given == ["generate"]:
        return _generated(table, traces.base)
    key = given[0]
    name = table.text(key, None)
    if name is None:
        return (), "", False
    try:
        source = traces.archive(name) if key == "archive" else traces.file(name)
    except (InputError, OSError, ValueError) as error:
        table.wrong(str(error), key)
        return (), "", False
    return (source,), name if key == "archive" else file_label(Path(name)), False


def file_label(path: Path) -> str:
    """The name of a log's file, without its endings."""
    name = path.name
    for ending in _ENDINGS:
        name = name[: -len(ending)] if name.lower().endswith(ending) else name
    return name or path.name


def _generated(workload: Table, base: Path) -> tuple[tuple[TraceFile | Generated, ...], str, bool]:
    table = workload.table("generate")
    if table is None:
        return (), "", False
    table.refuse_unknown(_GENERATE_KEYS)
    if "jobs" not in table:
        table.wrong("generate needs jobs, as in generate = { jobs = 5000, procs = 256 }.")
    if ("procs" in table) == ("cluster" in table):
        table.wrong(
            "generate needs procs, as in generate = { jobs = 5000, procs = 256 }, or a cluster, as in "
            'generate = { jobs = 5000, cluster = "eurora" }. Give one of them.'
        )
    if "seed" in table and "seeds" in table:
        table.wrong("give seed or seeds, not both.", "seeds")
    jobs = table.whole("jobs", 0, least=1, most=MOST_JOBS)
    load = table.number("load", None, SHARE, lambda v: 0 < v <= 20)
    users = table.whole("users", None, least=1, most=MOST_USERS)
    seeds = table.wholes("seeds") if "seeds" in table else [table.whole("seed", 1)]
    if len(set(seeds)) < len(seeds):
        twice = next(seed for seed in seeds if seeds.count(seed) > 1)
        table.wrong(f"seeds should all differ, found {twice} more than once.", "seeds")
    if len(seeds) > MOST_REPLICAS:
        table.wrong(f"seeds should be {MOST_REPLICAS:,} at most, found {len(seeds):,}.", "seeds")
    procs, document, label = _for_machine(table, base, jobs)
    made = tuple(Generated(jobs, procs, seed, load, users, document) for seed in seeds)
    return made if jobs and procs else (), label, "seeds" in table


def _for_machine(table: Table, base: Path, jobs: int) -> tuple[int, Mapping[str, Any] | None, str]:
    """What jobs are made for: processors (0 if it is wrong), nodes, and how such a workload is called."""
    if "cluster" not in table:
        procs = table.whole("procs", 0, least=1)
        return procs, None, f"lublin-{jobs}-{procs}"
    cluster = read_cluster(table, base)
    if cluster is None:
        return 0, None, ""
    return cluster.procs, cluster.document(), f"{cluster.name}-like-{jobs}"


def _window(table: Table) -> dict[str, Any]:
    """The fields of the window that a workload sets; zeros that change nothing are left out."""
    start, end = table.when("from"), table.when("until", least=1)
    if isinstance(start, int) and isinstance(end, int) and start >= end:
        table.wrong(
            f"until should be later than from, found {start} s to {end} s after the first job.",
            "until",
        )
    changes: dict[str, Any] = {
        "start": start or None,
        "end": end,
        "first": table.whole("first", 0) or None,
        "count": table.whole("count", None, least=1),
        "drop_queues": tuple(sorted(set(table.wholes("drop_queues", least=-1)))),
        "drop_partitions": tuple(sorted(set(table.wholes("drop_partitions", least=-1)))),
        "drop_unallocated": table.flag("drop_unallocated") or None,
        "multiple": table.whole("round_demand", None, least=1),
        "only": _texts(table, "only", lambda text: Selection.parse(text, "only")),
        "without": _texts(table, "without", lambda text: Selection.parse(text, "without")),
        "mapping": _texts(table, "map", lambda text: parse_map([text])),
        "columns": table.text("columns", ""),
        "time_zone": table.text("time_zone", ""),
    }
    if changes["time_zone"]:
        try:
            zone_named(changes["time_zone"])
        except InputError as error:
            table.wrong(str(error), "time_zone")
    if "impossible_deadlines" in table:
        done = table.one_of("impossible_deadlines", "refuse", ("refuse", "count"))
        changes["impossible"] = cast(Impossible, done)
    if "missing_limit" in table:
        limit = table.one_of("missing_limit", "drop", ("drop", "runtime"))
        changes["missing_limit"] = cast(MissingLimit, limit)
    return {key: value for key, value in changes.items() if value not in (None, (), "")}


def _texts(table: Table, key: str, check: Callable[[str], Any]) -> tuple[str, ...]:
    """A text or several, each of which has to pass a check."""
    found = []
    for item in table.one_or_more(key) if key in table else []:
        try:
            if not isinstance(item.value, str):
                raise InputError(f"{key} should be a text or a list of texts.")
            check(item.value)
            found.append(item.value)
        except InputError as error:
            table.wrong(str(error), key)
    return tuple(found)


def _loads(table: Table) -> list[tuple[float | None, str]]:
    """The factors of scale_load, with what each adds to the label."""
    if "scale_load" not in table:
        return [(None, "")]
    items = table.one_or_more("scale_load")
    found = [table.number_of("scale_load", item, SHARE, lambda v: 0 < v <= 20) for item in items]
    alone = len(items) == 1 and "label" in table
    return [(value, "" if alone else f" x{value:g}") for value in found if value is not None]


def _file_remedy(name: str) -> str:
    try:
        find(name)
    except UnknownName:
        return "Check the path."
    return f'For the log of the archive write archive = "{name}".'
