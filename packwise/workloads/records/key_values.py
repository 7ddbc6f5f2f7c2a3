"""Records as lines of key=value pairs: Slurm's ``jobcomp/filetxt`` and ``scontrol -o show job``; the accounting
logs of PBS and Torque.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping

from packwise.files.content import file_blocks
from packwise.model.workload import UNKNOWN
from packwise.workloads.records.collecting import Collector, Records
from packwise.workloads.records.meanings import Meaning
from packwise.workloads.records.rows import blocks_of_lines
from packwise.workloads.records.times import Clock
from packwise.workloads.records.values import WRONG, gpus_of, megabytes, whole

_BLOCK = 1 << 22
_BATCH = 50_000
_MOST_DIGITS = 15
#: Lines that tell what a file is.
_FIRST = 20
#: A key begins where a word with an equals sign does.
_BREAK = re.compile(r"(?<!\s)\s+(?=[A-Za-z][\w/:.]*=)")
_SLURM_LINE = re.compile(rb"\s*JobId=\d+[^\n]*\bJobState=")
_PBS_LINE = re.compile(rb"\d{2}/\d{2}/\d{4} \d{2}:\d{2}:\d{2};[A-Za-z];")

_SLURM: Mapping[str, Meaning] = {
    "JobId": Meaning("id"),
    "SubmitTime": Meaning("submit"),
    "EligibleTime": Meaning("eligible"),
    "StartTime": Meaning("start"),
    "EndTime": Meaning("end"),
    "TimeLimit": Meaning("limit", "min"),
    "NodeCnt": Meaning("nodes"),
    "ProcCnt": Meaning("cpus"),
    "Tres": Meaning(
        "req_tres"
    ),  # what was asked for: less than a job had that was alone on its nodes
    "UserId": Meaning("user"),
    "GroupId": Meaning("group"),
    "Account": Meaning("account"),
    "Partition": Meaning("partition"),
    "QOS": Meaning("qos"),
    "Name": Meaning("name"),
    "JobState": Meaning("state"),
    "Cluster": Meaning("cluster"),
    "NodeList": Meaning("node_list"),
    "ExitCode": Meaning("exit_code"),
    "Priority": Meaning("priority"),
    "Features": Meaning("features"),
}
#: What ``scontrol`` calls them.
_SAME = {"JobName": "Name", "NumNodes": "NodeCnt", "NumCPUs": "ProcCnt", "TRES": "Tres"}

_PBS = (
    Meaning("id"), Meaning("submit"), Meaning("eligible"), Meaning("start"), Meaning("end"),
    Meaning("limit", "s"), Meaning("cpus"), Meaning("nodes"), Meaning("req_cpus"),
    Meaning("memory", "MB"), Meaning("gpus"), Meaning("user"), Meaning("group"), Meaning("account"),
    Meaning("partition"), Meaning("name"), Meaning("state"), Meaning("exit_code"),
)  # fmt: skip
#: What other records of PBS are about.
_EVENTS = {
    "A": "aborted by the server",
    "B": "reservations begun",
    "C": "checkpoints",
    "D": "deletions",
    "F": "reservations ended",
    "K": "reservations deleted",
    "L": "licences",
    "M": "moved to another server",
    "Q": "submissions",
    "R": "reruns",
    "S": "starts",
    "T": "restarts",
    "U": "reservations made",
    "Y": "reservations confirmed",
}


def is_slurm_lines(head: bytes) -> bool:
    """Whether a file begins as jobcomp/filetxt and ``scontrol -o`` do; its first line may be broken."""
    return any(_SLURM_LINE.match(line) for line in head.split(b"\n")[:_FIRST])


def is_pbs_lines(head: bytes) -> bool:
    """Whether a file begins as an accounting log of PBS or Torque."""
    return any(_PBS_LINE.match(line) for line in head.split(b"\n")[:_FIRST])


def read_slurm_lines(path: str | os.PathLike[str], clock: Clock) -> Records:
    """Jobs of jobcomp/filetxt, or of ``scontrol -o show job``."""
    collector = Collector(str(path), "jobcomp/filetxt", clock)
    unused: dict[str, None] = {}
    rows = _Rows(collector, tuple(_SLURM.values()))
    of_queue = False
    for number, line in _lines(path):
        of_queue = of_queue or " NumCPUs=" in line
        told = {_SAME.get(key, key): value for key, value in _pairs(line).items()}
        if "JobId" not in told or "SubmitTime" not in told or told["JobId"] == "":
            collector.refuse(number, line, "no JobId and SubmitTime")
            continue
        for key in ("UserId", "GroupId"):
            told[key] = told.get(key, "").partition("(")[0]
        if told.get("JobState", "").upper() in ("PENDING", "RUNNING"):
            told["EndTime"] = ""  # when it is expected, not when it was
            if told["JobState"].upper() == "PENDING":
                told["StartTime"] = ""
        rows.add([told.get(key, "") for key in _SLURM])
        unused |= dict.fromkeys(key for key in told if key not in _SLURM)
    rows.flush()
    return collector.records(unused=tuple(unused), of_queue=of_queue)


def read_pbs(path: str | os.PathLike[str], clock: Clock) -> Records:
    """Jobs of an accounting log of PBS or Torque: its records of ends."""
    collector = Collector(str(path), "PBS accounting", clock)
    rows = _Rows(collector, _PBS)
    for number, line in _lines(path):
        _, _, rest = line.partition(";")
        kind, _, rest = rest.partition(";")
        job, semicolon, message = rest.partition(";")
        if not semicolon or len(kind) != 1 or not _PBS_LINE.match(line.encode()):
            collector.refuse(
                number, line, "no record such as 12/21/2009 15:27:00;E;6.server;user=..."
            )
        elif kind != "E":
            collector.leave_out(
                f"other records than ends: {_EVENTS.get(kind.upper(), f'of type {kind}')}"
            )
        else:
            rows.add(_pbs_row(job, _pairs(message)))
    rows.flush()
    return collector.records()


def _pairs(line: str) -> dict[str, str]:
    """Values by key; a value goes on until the next key."""
    parts = (part.partition("=") for part in _BREAK.split(line.strip()))
    return {key: value.strip() for key, equals, value in parts if equals}


class _Rows:
    """Rows of text, given to a collector in batches."""

    def __init__(self, collector: Collector, meanings: tuple[Meaning, ...]) -> None:
        self.collector, self.meanings = collector, meanings
        self.held: list[list[str]] = []

    def add(self, row: list[str]) -> None:
        self.held.append(row)
        if len(self.held) >= _BATCH:
            self.flush()

    def flush(self) -> None:
        import polars as pl

        if self.held:
            columns = zip(self.meanings, zip(*self.held, strict=True), strict=True)
            self.collector.add(
                {
                    meaning.name: (meaning, pl.Series(cells, dtype=pl.String))
                    for meaning, cells in columns
                }
            )
            self.held = []


def _lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, str]]:
    number = 0
    for block in blocks_of_lines(file_blocks(path, _BLOCK)):
        for line in block.decode(errors="replace").split("\n")[:-1]:
            number += 1
            if line.strip():
                yield number, line.rstrip("\r")


def _pbs_row(job: str, told: Mapping[str, str]) -> list[str]:
    asked = {
        key.partition(".")[2]: value
        for key, value in told.items()
        if key.startswith("Resource_List.")
    }
    code = told.get("Exit_status", "")
    state = (
        ""
        if not code
        else "COMPLETED"
        if code == "0"
        else "CANCELLED"
        if code == "271"
        else "FAILED"
    )
    places = _places(told.get("exec_vnode", ""), told.get("exec_host", ""))
    per_node = _nodes(
        asked.get("nodes", "") or asked.get("neednodes", "") or asked.get("nodect", "")
    )
    cpus = places["cpus"] or per_node["cpus"] or whole(asked.get("ncpus", ""))
    nodes = places["nodes"] or per_node["nodes"] or whole(asked.get("nodect", ""))
    gpus = (
        places["gpus"] or whole(asked.get("ngpus", ""))
        if "ngpus" in asked or places["gpus"]
        else UNKNOWN
    )
    gpus = max(gpus, per_node["gpus"], whole(asked.get("gpu", "")))
    memory = megabytes(asked.get("mem", ""))
    return [
        job, told.get("ctime", told.get("qtime", "")), told.get("etime", ""), told.get("start", ""),
        told.get("end", ""), asked.get("walltime", ""), _cell(cpus),
        _cell(nodes), asked.get("ncpus", ""), _cell(memory), _cell(gpus), told.get("user", ""),
        told.get("group", ""), told.get("account", told.get("project", "")), told.get("queue", ""),
        told.get("jobname", ""), state, code,
    ]  # fmt: skip


def _places(vnodes: str, hosts: str) -> dict[str, int]:
    """Processors, nodes and GPUs that a job had: (c1:ncpus=13:ngpus=1)+..., or c1/0*13+c2/0-7+c3/5."""
    found = {"cpus": 0, "nodes": 0, "gpus": 0}
    names: set[str] = set()
    for chunk in filter(None, re.split(r"[()+]+", vnodes)):
        name, *amounts = chunk.split(":")
        names.add(name)
        for key, _, value in (amount.partition("=") for amount in amounts):
            if key in ("ncpus", "ngpus") and value.isascii() and value.isdigit():
                found["cpus" if key == "ncpus" else "gpus"] += _count(value)
    if not found["cpus"]:
        names = set()
        for part in filter(None, hosts.split("+")):
            name, _, slots = part.partition("/")
            names.add(name)
            for slot in slots.split(","):
                found["cpus"] += _slots(slot)
    return {**found, "nodes": len(names)}


def _cell(number: int) -> str:
    """A number as text again: nothing if it is not told, a mark if it could not be read."""
    return "?" if number == WRONG else str(number) if number >= 0 else ""


def _count(digits: str) -> int:
    """More than there can be is more than can be read, and will be said."""
    return int(digits) if len(digits) <= _MOST_DIGITS else 10**_MOST_DIGITS


def _slots(text: str) -> int:
    """0*13: thirteen of them; 0-7: eight; 5: one."""
    first, star, times = text.partition("*")
    low, dash, high = first.partition("-")
    if star:
        return _count(times) if times.isascii() and times.isdigit() else 0
    if dash and (low + high).isascii() and low.isdigit() and high.isdigit():
        return max(_count(high) - _count(low) + 1, 0)
    return 1 if text else 0


def _nodes(text: str) -> dict[str, int]:
    """A request for nodes: 4:ppn=8, 1:ppn=28:gpus=1, 2:ppn=4+1:ppn=8, n01+n02."""
    found = {"cpus": 0, "nodes": 0, "gpus": 0}
    for part in filter(None, text.split("+")):
        count, *amounts = part.split(":")
        nodes = _count(count) if count.isascii() and count.isdigit() else 1
        told = dict(amount.partition("=")[::2] for amount in amounts)
        found["nodes"] += nodes
        found["cpus"] += nodes * max(whole(told.get("ppn", "1")), 1)
        gpus = told.get("gpus", told.get("gpu", ""))
        found["gpus"] += nodes * (
            max(whole(gpus), 0) if gpus.isdigit() else gpus_of(gpus) if gpus else 0
        )
    return found
