"""Cells of accounting records as whole numbers: durations, limits, memory, resources, states, ids.

Every function takes the text of one cell. What it cannot read is WRONG; what is not told is UNKNOWN.
"""

from __future__ import annotations

import re
from math import ceil, isfinite
from typing import NamedTuple

from packwise.model.clock_text import clock_duration
from packwise.model.workload import LARGEST, UNKNOWN

#: In place of a limit: none at all; or that of the job's partition, whatever it is.
UNLIMITED, OF_PARTITION = -2, -3
#: A cell that is there, and cannot be read.
WRONG = -4
#: Slurm plans with so much where a job has no limit.
YEAR = 365 * 86400

#: What stands for 'not told'.
NOT_TOLD = frozenset(
    {"", "unknown", "none", "n/a", "(null)", "null", "nan", "-", "invalid", "none assigned"}
)

_AMOUNT = re.compile(r"(\d{1,15}(?:\.\d{1,15})?)\s*([kmgtpe]?)(?:i?b)?", re.IGNORECASE)
_REQUEST = re.compile(r"(\d{1,15}(?:\.\d{1,15})?)([kmgtpe]?)([nc]?)", re.IGNORECASE)
#: What may stand in front of a generic resource; and which of them, in brackets behind it.
_GRES, _WITHIN = re.compile(r"^gres[:/]", re.IGNORECASE), re.compile(r"\([^()]*\)")
_MEGABYTES = {"k": 1 / 1024, "m": 1.0, "g": 1024.0, "t": 1024.0**2, "p": 1024.0**3, "e": 1024.0**4}
#: In older requests for memory: this bit says 'for each processor'.
_PER_CPU = 0x80000000
_ID = re.compile(
    r"(\d{1,12})(?:_(\d{1,12})|_\[([^\]]*)\]|\+(\d{1,6})|\[(\d{0,12})\])?(?:\.(?!\d*$|batch$|extern$|interactive$)\S*)?",
)
_STEP = re.compile(r"[0-9_+\[\]\-,%]+\.(?:\d+|batch|extern|interactive|\d+\+\d+)")

#: States in which a job waits.
WAITING = frozenset(
    {"PENDING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT", "CONFIGURING"}
)
#: States in which a job has its nodes, whatever is told of its end.
RUNNING = frozenset(
    {"RUNNING", "SUSPENDED", "COMPLETING", "RESIZING", "STAGE_OUT", "SIGNALING", "STOPPED"}
)
_SHORT = {
    "BF": "BOOT_FAIL", "CA": "CANCELLED", "CD": "COMPLETED", "CF": "CONFIGURING", "CG": "COMPLETING",
    "DL": "DEADLINE", "F": "FAILED", "NF": "NODE_FAIL", "OOM": "OUT_OF_MEMORY", "PD": "PENDING",
    "PR": "PREEMPTED", "R": "RUNNING", "RQ": "REQUEUED", "RS": "RESIZING", "RV": "REVOKED",
    "S": "SUSPENDED", "TO": "TIMEOUT",
}  # fmt: skip


def is_told(text: str) -> bool:
    """Whether a cell says something."""
    return text.strip().lower() not in NOT_TOLD


def whole(text: str) -> int:
    """A whole number of 0 or more; decimals are rounded up."""
    text = text.strip()
    if not is_told(text):
        return UNKNOWN
    try:
        value = float(text) if "_" not in text else float("nan")
    except ValueError:
        return WRONG
    if not isfinite(value) or value > LARGEST:
        return WRONG
    return UNKNOWN if value < 0 else ceil(value)


def seconds(text: str, plain: float = 1) -> int:
    """A duration: 1-02:03:04, 144:00:00, 05:30, or a number of so many seconds each."""
    text = text.strip()
    if not is_told(text):
        return UNKNOWN
    clock = clock_duration(text)
    if clock is not None:
        return clock if clock <= LARGEST else WRONG
    number = _decimal(text)
    if number is None or number * plain > LARGEST:
        return WRONG
    return UNKNOWN if number < 0 else ceil(round(number * plain, 3))


def limit(text: str, plain: float = 60) -> int:
    """A time limit; UNLIMITED and OF_PARTITION are told apart from one that is not told."""
    word = text.strip().lower()
    if word in ("unlimited", "infinite"):
        return UNLIMITED
    if word in ("partition_limit", "partitionlimit", "partition limit"):
        return OF_PARTITION
    return seconds(text, plain)


def megabytes(text: str, plain: str = "m") -> int:
    """An amount of memory in MB, rounded up: 62.50G, 31000M, 1993mb; a plain number is of unit ``plain``."""
    text = text.strip()
    if not is_told(text):
        return UNKNOWN
    found = _AMOUNT.fullmatch(text)
    if found is None:
        return WRONG
    unit = (found[2] or plain).lower()
    plain_bytes = not found[2] and text[-1:].lower() == "b"
    size = (
        float(found[1]) / 1024**2
        if plain_bytes or unit == "b"
        else float(found[1]) * _MEGABYTES[unit]
    )
    return ceil(round(size, 3)) if size <= LARGEST else WRONG


class Asked(NamedTuple):
    """Memory of a request in MB, of the job, of each node or of each processor."""

    megabytes: int
    each: str = ""


def requested_memory(text: str) -> Asked:
    """Slurm's ReqMem: 31000Mn (each node), 2800Mc (each processor), 128G (the job).

    Some versions wrote the flag for 'each processor' as part of the number: 2147486648Mn is 3000 MB of each.
    """
    text = text.strip()
    if not is_told(text):
        return Asked(UNKNOWN)
    found = _REQUEST.fullmatch(text)
    if found is None:
        return Asked(WRONG)
    number, each = float(found[1]), found[3].lower()
    if number >= _PER_CPU:
        number, each = number - _PER_CPU, "c"
    size = number * _MEGABYTES[(found[2] or "m").lower()]
    return Asked(ceil(round(size, 3)) if size <= LARGEST else WRONG, each)


class Tres(NamedTuple):
    """Trackable resources, as far as a text tells them; memory in MB."""

    cpus: int = UNKNOWN
    memory: int = UNKNOWN
    nodes: int = UNKNOWN
    gpus: int = UNKNOWN


_TRES_ID = {"1": "cpu", "2": "mem", "4": "node", "1001": "gres/gpu", "1002": "gres/gpu"}


def tres(text: str) -> Tres:
    """Slurm's TRES: billing=12,cpu=12,gres/gpu:a100=2,mem=62.50G,node=1; or by number: 1=12,2=64000."""
    if not is_told(text):
        return Tres()
    told: dict[str, int] = {}
    typed: list[int] = []
    for part in text.split(","):
        name, equals, value = part.strip().partition("=")
        name = _TRES_ID.get(name, name).lower()
        if not equals:
            continue
        if name == "mem":
            told[name] = megabytes(value)
        elif name in ("cpu", "node", "gres/gpu"):
            told[name] = whole(value)
        elif name.startswith("gres/gpu:"):
            typed.append(whole(value))
    if typed and "gres/gpu" not in told:
        told["gres/gpu"] = WRONG if WRONG in typed else sum(max(count, 0) for count in typed)
    gpus = told.get("gres/gpu", UNKNOWN if WRONG in told.values() else 0)
    return Tres(told.get("cpu", UNKNOWN), told.get("mem", UNKNOWN), told.get("node", UNKNOWN), gpus)


def gpus_of(text: str) -> int:
    """GPUs of a request for generic resources: gpu:2, gpu:a100:2, gres:gpu:1, gres/gpu=1, gpu(IDX:0)."""
    if not is_told(text):
        return UNKNOWN
    total = 0
    for part in _WITHIN.sub("", text).split(","):
        kind, *rest = re.split("[:=]", _GRES.sub("", part.strip().removeprefix("PER_NODE:")))
        if kind.lower() == "gpu":
            count = whole(rest[-1]) if rest and rest[-1].isdecimal() else 1
            if count == WRONG:
                return WRONG
            total += count
    return total


class Number(NamedTuple):
    """A job's id: its number, its place in an array (with the number that the array has), its place in a
    heterogeneous job. A ``step`` is a part of a job.
    """

    number: int
    task: int = UNKNOWN
    component: int = UNKNOWN
    step: bool = False


def job_number(text: str) -> Number:
    """123, 123_4, 123_[5-9] (tasks that still wait), 123+1, 1234[5].server, 6.server; 123.batch is a step."""
    text = text.strip()
    if not is_told(text):
        return Number(UNKNOWN)
    if _STEP.fullmatch(text):
        return Number(UNKNOWN, step=True)
    found = _ID.fullmatch(text)
    if found is None:
        return Number(WRONG)
    task = found[2] or found[5] or ""
    return Number(
        int(found[1]), int(task) if task else UNKNOWN, int(found[4]) if found[4] else UNKNOWN
    )


def state_name(text: str) -> str:
    """COMPLETED, CANCELLED, ...: without who cancelled it, and short forms in full."""
    word = text.strip().split(" ", 1)[0].split(",", 1)[0].rstrip("+").upper()
    return _SHORT.get(word, word)


def exit_code(text: str) -> int:
    """The first number of 1:0, of 271, or of an exit by a signal."""
    return whole(text.split(":", 1)[0].replace("-", "")) if is_told(text) else UNKNOWN


def _decimal(text: str) -> float | None:
    try:
        number = float(text) if "_" not in text else float("nan")
    except ValueError:
        return None
    return number if isfinite(number) else None
