"""What ``scontrol show`` tells of a site: nodes, partitions, reservations, settings; and what sdiag does.

Only administrators write these texts. Still, each key counts once, where it stands first: what people may write
freely (a node's Reason, a Comment) comes last in a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from packwise.adapters.slurm.snapshot import NOT_TOLD, Diagnosis, NodeState, Reservation
from packwise.workloads.records.values import gpus_of, is_told, tres, whole

_PAIR = re.compile(r"(?:^|\s)([A-Za-z][\w:/]*)=(\S*)")
#: States of nodes on which nothing starts.
_OUT = frozenset({
    "DOWN", "DRAIN", "DRAINED", "DRAINING", "FAIL", "FAILING", "ERROR", "FUTURE", "DYNAMIC_FUTURE", "UNKNOWN",
    "NOT_RESPONDING", "NO_RESPOND", "POWERING_DOWN", "REBOOT", "REBOOT_ISSUED", "REBOOT_REQUESTED", "BLOCKED",
    "INVAL", "INVALID_REG", "MAINT", "MAINTENANCE",
})  # fmt: skip
#: At the end of a state, in short: powered down, booting, in a reservation of maintenance, ...
_MARKS = "*$~#%!@^-"
_OUTPUT_AT = re.compile(r"sdiag output at .*\((\d+)\)")
_FIGURE = re.compile(r"^\s*([A-Za-z][\w ]*?):\s+(\d+)", re.MULTILINE)


def _pairs(line: str) -> dict[str, str]:
    """Keys in lower case and their values, each as it stands first."""
    found: dict[str, str] = {}
    for key, value in _PAIR.findall(line):
        found.setdefault(key.lower(), value)
    return found


def read_nodes(text: str) -> Iterator[NodeState]:
    """The nodes of ``scontrol -o show node``."""
    for line in text.splitlines():
        told = _pairs(line)
        if "nodename" not in told:
            continue
        state = told.get("state", "UNKNOWN").rstrip(_MARKS)
        used = tres(told.get("alloctres", ""))
        there = tres(told.get("cfgtres", ""))
        flags = told.get("state", "UNKNOWN").upper()
        features = told.get("availablefeatures", "")
        cpus = max(whole(told.get("cpuefctv", told.get("cputot", ""))), 0)
        yield NodeState(
            name=told["nodename"],
            state=state,
            cpus=cpus or max(there.cpus, 0),
            used_cpus=max(whole(told.get("cpualloc", "")), used.cpus, 0),
            memory=max(whole(told.get("realmemory", "")), 0),
            used_memory=max(whole(told.get("allocmem", "")), 0),
            gpus=max(gpus_of(told.get("gres", "")), there.gpus, 0),
            used_gpus=max(used.gpus, 0),
            features=tuple(sorted(filter(None, features.split(",")))) if is_told(features) else (),
            weight=max(whole(told.get("weight", "")), 1),
            usable=_usable(flags),
        )


def _usable(state: str) -> bool:
    """Whether jobs may start: word by word, for IDLE+POWERED_DOWN is a node that Slurm wakes."""
    # An asterisk: it does not answer. The other marks: it powers down, or is to reboot.
    words = {word.rstrip(_MARKS) for word in state.split("+")}
    return not words & _OUT and not set(state) & set("*%@^")


def read_partitions(text: str) -> Iterator[dict[str, str]]:
    """The settings of each partition of ``scontrol -o show partition``, by name in lower case."""
    for line in text.splitlines():
        told = _pairs(line)
        if "partitionname" in told:
            yield told


def read_reservations(text: str) -> Iterator[Reservation]:
    """The reservations of ``scontrol -o show reservation``."""
    for line in text.splitlines():
        told = _pairs(line)
        if "reservationname" in told:
            yield Reservation(
                told["reservationname"],
                max(whole(told.get("starttime", "")), 0),
                max(whole(told.get("endtime", "")), 0),
                told.get("nodes", "") if is_told(told.get("nodes", "")) else "",
                told.get("users", ""),
                told.get("flags", ""),
                told.get("state", "").upper() == "ACTIVE",
            )


def read_settings(text: str) -> dict[str, str]:
    """The settings of ``scontrol show config``, by name in lower case; those that say nothing are left out."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        key, equals, value = line.partition("=")
        value = value.strip()
        if equals and value and value != "(null)":
            found.setdefault(key.strip().lower(), value)
    return found


def read_diagnosis(text: str) -> Diagnosis:
    """What sdiag tells. Of the cycles there is one line for the main scheduler and, later, one for backfill."""
    at = _OUTPUT_AT.search(text)
    figures = [(name.strip().lower(), int(value)) for name, value in _FIGURE.findall(text)]
    last = [value for name, value in figures if name == "last cycle"]
    first = dict(reversed(figures))
    return Diagnosis(
        int(at[1]) if at else NOT_TOLD,
        first.get("server thread count", NOT_TOLD),
        first.get("agent queue size", NOT_TOLD),
        last[0] if last else NOT_TOLD,
        last[1] if len(last) > 1 else NOT_TOLD,
    )
