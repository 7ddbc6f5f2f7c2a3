"""What a column of a site's records can mean, and the columns that are known by their names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from packwise.model.errors import InputError, UnknownName, shortened

#: What a column can mean, in words for people.
MEANINGS: Mapping[str, str] = {
    "id": "the job's id: 123, 123_4 of an array, 6.server",
    "raw_id": "its number where the id is that of an array (Slurm's JobIDRaw)",
    "submit": "when it was submitted: Unix seconds, or a date and time",
    "eligible": "since when it could have run: later, if it was held or depended on others",
    "start": "when it started",
    "end": "when it ended",
    "elapsed": "how long it ran",
    "wait": "how long it waited before it started",
    "limit": "its time limit",
    "cpus": "the processors that it had",
    "nodes": "the nodes that it had",
    "req_cpus": "the processors that it asked for",
    "req_nodes": "the nodes that it asked for at least",
    "cpus_per_node": "its processors on each node, where its nodes are not told",
    "memory": "its memory",
    "gpus": "its GPUs",
    "alloc_tres": "what it had, as Slurm's TRES: cpu=12,mem=31000M,node=1,gres/gpu=2",
    "req_tres": "what it asked for, as Slurm's TRES",
    "req_mem": "the memory it asked for, as Slurm's ReqMem: 2800Mc, 31000Mn, 128G",
    "gres": "generic resources of each of its nodes, such as gpu:2",
    "user": "whose it was",
    "group": "the group of that user",
    "account": "the account or project that paid for it",
    "partition": "its partition or queue",
    "qos": "its quality of service",
    "name": "its name",
    "state": "how it ended, or that it waits or runs: COMPLETED, PENDING, ...",
    "cluster": "the machine it ran on",
    "node_list": "the nodes it ran on: n[001-016]",
    "features": "the features that it asked of nodes",
    "priority": "its priority",
    "nice": "by how much its user lowered its priority (0 or more)",
    "exit_code": "what it said at its end",
}
#: Moments, durations and amounts.
TIMES = ("submit", "eligible", "start", "end")
DURATIONS = ("elapsed", "wait", "limit")
WHOLE = ("cpus", "nodes", "req_cpus", "req_nodes", "cpus_per_node", "gpus", "priority", "nice")
#: What is kept by name.
NAMED = (
    "user",
    "group",
    "account",
    "partition",
    "qos",
    "name",
    "state",
    "cluster",
    "node_list",
    "features",
)

#: Units of durations in seconds, and of memory as the letters that ``values.megabytes`` takes. Memory may be
#: that of each processor or of each node.
DURATION_UNITS: Mapping[str, float] = {
    "s": 1, "seconds": 1, "ms": 0.001, "min": 60, "minutes": 60, "h": 3600, "hours": 3600, "d": 86400, "days":
    86400,
}  # fmt: skip
MEMORY_UNITS: Mapping[str, str] = {"b": "b", "kb": "k", "mb": "m", "gb": "g", "tb": "t"}
EACH = {"": "", "/cpu": "c", "/node": "n"}


class Meaning(NamedTuple):
    """What a column means, and the unit of plain numbers in it."""

    name: str
    unit: str = ""


#: Columns of sacct and of Slurm's data base, in lower case; of two that mean the same, the first is taken.
SACCT: Mapping[str, Meaning] = {
    "jobid": Meaning("id"),
    "jobidraw": Meaning("raw_id"),
    "submit": Meaning("submit"),
    "eligible": Meaning("eligible"),
    "start": Meaning("start"),
    "end": Meaning("end"),
    "elapsedraw": Meaning("elapsed", "s"),
    "elapsed": Meaning("elapsed", "s"),
    "timelimit": Meaning("limit", "min"),
    "timelimitraw": Meaning("limit", "min"),
    "ncpus": Meaning("cpus"),
    "alloccpus": Meaning("cpus"),
    "nnodes": Meaning("nodes"),
    "allocnodes": Meaning("nodes"),
    "reqcpus": Meaning("req_cpus"),
    "reqnodes": Meaning("req_nodes"),
    "alloctres": Meaning("alloc_tres"),
    "reqtres": Meaning("req_tres"),
    "reqmem": Meaning("req_mem"),
    "reqgres": Meaning("gres"),
    "allocgres": Meaning("gres"),
    "user": Meaning("user"),
    "group": Meaning("group"),
    "account": Meaning("account"),
    "partition": Meaning("partition"),
    "qos": Meaning("qos"),
    "qosraw": Meaning("qos"),
    "jobname": Meaning("name"),
    "state": Meaning("state"),
    "cluster": Meaning("cluster"),
    "nodelist": Meaning("node_list"),
    "constraints": Meaning("features"),
    "priority": Meaning("priority"),
    "nice": Meaning("nice"),
    "exitcode": Meaning("exit_code"),
}
#: Columns of sacct whose cells may hold anything, the separator and line ends among it.
FREE_TEXT = frozenset(
    {"jobname", "comment", "admincomment", "systemcomment", "submitline", "workdir", "wckey", "extra", "stdout",
     "stderr", "stdin", "failednode", "constraints", "container"}
)  # fmt: skip

#: Without a header: the columns in the order in which XDMoD's resource manager interface asks for them.
LAYOUTS: tuple[tuple[str, ...], ...] = tuple(
    tuple(f"JobID JobIDRaw Cluster Partition {rest}".split())
    for rest in (
        "QOS Account Group GID User UID Submit Eligible Start End Elapsed ExitCode State NNodes NCPUS ReqCPUS "
        "ReqMem ReqTRES AllocTRES Timelimit NodeList JobName",
        "Account Group GID User UID Submit Eligible Start End Elapsed ExitCode State NNodes NCPUS ReqCPUS "
        "ReqMem ReqGRES ReqTRES Timelimit NodeList JobName",
        "Account Group GID User UID Submit Eligible Start End Elapsed ExitCode State NNodes NCPUS ReqCPUS "
        "ReqMem ReqGRES Timelimit NodeList JobName",
    )
)

#: Published tables that are known by their columns, and what those mean.
TABLES: Mapping[str, Mapping[str, Meaning]] = {
    "NREL Eagle": {
        "job_id": Meaning("id"),
        "submit_time": Meaning("submit"),
        "start_time": Meaning("start"),
        "end_time": Meaning("end"),
        "run_time": Meaning("elapsed", "s"),
        "wallclock_req": Meaning("limit", "s"),
        "processors_req": Meaning("cpus"),
        "nodes_req": Meaning("nodes"),
        "gpus_req": Meaning("gpus"),
        "user": Meaning("user"),
        "account": Meaning("account"),
        "partition": Meaning("partition"),
        "qos": Meaning("qos"),
        "name": Meaning("name"),
        "state": Meaning("state"),
    },
    "Graham": {
        "job_id": Meaning("id"),
        "submit": Meaning("submit"),
        "eligible": Meaning("eligible"),
        "start": Meaning("start"),
        "end": Meaning("end"),
        "time_limit": Meaning("limit", "s"),
        "req_cpus": Meaning("cpus"),
        "req_nodes": Meaning("nodes"),
        "req_mem_mb": Meaning("memory", "MB"),
        "req_gpus": Meaning("gpus"),
        "partition": Meaning("partition"),
        "account": Meaning("account"),
        "state": Meaning("state"),
        "priority": Meaning("priority"),
    },
    "events of the Slurm simulator": {
        "dt": Meaning("submit"),
        "job_id": Meaning("id"),
        "wall_time": Meaning("elapsed", "s"),
        "user": Meaning("user"),
        "wall_limit": Meaning("limit", "min"),
        "n_tasks": Meaning("cpus"),
        "ntasks_per_node": Meaning("cpus_per_node"),
        "mem": Meaning("memory", "MB/node"),
        "account": Meaning("account"),
        "partition": Meaning("partition"),
        "qos": Meaning("qos"),
        "constraint": Meaning("features"),
        "gres": Meaning("gres"),
    },
}


def known_table(names: Iterable[str]) -> tuple[str, Mapping[str, Meaning]] | None:
    """The published table that has these columns, if it is one that is known here."""
    there = set(names)
    for title, columns in TABLES.items():
        if set(columns) <= there:
            return title, columns
    return None


def sacct_columns(names: Iterable[str]) -> dict[str, Meaning]:
    """What the columns of sacct mean, by their names as they stand; each meaning once."""
    written: dict[str, str] = {}
    for name in names:
        written.setdefault(name.strip().split("%", 1)[0].lower(), name)
    found: dict[str, Meaning] = {}
    for name, meaning in SACCT.items():
        taken = {one.name for one in found.values()}
        if name in written and meaning.name not in taken:
            found[written[name]] = meaning
    if "id" not in {one.name for one in found.values()}:  # its steps have to be told from jobs
        found = {
            name: Meaning("id") if one.name == "raw_id" else one for name, one in found.items()
        }
    return found


def is_sacct(names: Iterable[str]) -> bool:
    """Whether names of columns are those of sacct, with what a job needs at least."""
    told = {meaning.name for meaning in sacct_columns(names).values()}
    return bool(told & {"id", "raw_id"}) and "submit" in told and len(told) > 3


def parse_map(texts: Iterable[str]) -> dict[str, Meaning]:
    """--map column=meaning, as in wallclock=limit:min; several at once are separated by commas."""
    found: dict[str, Meaning] = {}
    for part in (part for text in texts for part in text.split(",") if part.strip()):
        column, equals, told = part.strip().rpartition("=")
        if not equals or not column.strip():
            raise InputError(
                f"--map: expected column=meaning, such as wallclock=limit:min, found '{shortened(part)}'."
            )
        name, _, unit = told.strip().partition(":")
        if name not in MEANINGS:
            raise UnknownName(
                "meaning of a column", name, MEANINGS, remedy="As in --map wallclock=limit:min."
            )
        meaning = Meaning(name, unit.strip())
        _check_unit(part, meaning)
        if any(one.name == name for one in found.values()):
            raise InputError(f"--map: '{name}' is given twice. One column can mean it.")
        found[column.strip()] = meaning
    return found


def _check_unit(part: str, meaning: Meaning) -> None:
    units: Iterable[str] = ()
    if meaning.name in DURATIONS:
        units = DURATION_UNITS
    elif meaning.name == "memory":
        units = [unit.upper() + each for unit in MEMORY_UNITS for each in EACH]
    if meaning.unit and meaning.unit.lower() not in {unit.lower() for unit in units}:
        told = f"one of {', '.join(units)}" if units else f"no unit for {meaning.name}"
        raise InputError(f"--map: expected {told}, found '{shortened(part)}'.")
