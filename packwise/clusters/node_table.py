"""A table of nodes as CSV, a row for each: columns cores, memory (MB), gpus, ..., or Alibaba's names for them.

Nodes that are alike become a group, in the order in which the first of each comes. Alibaba's table of 2023
(openb) tells cores in thousandths (``cpu_milli``), memory in MiB (``memory_mib``) and GPUs (``gpu``); ``sn``
and ``model`` are names.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from packwise.files.csv_table import read_csv_table
from packwise.model.cluster import Cluster, NodeGroup
from packwise.model.errors import FormatError, shortened
from packwise.model.workload import CORES, LARGEST

#: Other names of resources, and how many of theirs are one of ours.
_ALIAS = {"cpu_milli": (CORES, 1000), "memory_mib": ("memory", 1), "gpu": ("gpus", 1)}
_NAMES = ("name", "sn", "node", "model", "group")


def read_node_table(path: str | os.PathLike[str]) -> Cluster:
    """The cluster of a CSV file, also of one that is compressed with gzip."""
    table = read_csv_table(path, row="node")
    cells = {name.lower(): table.texts(name) for name in table.names}
    columns = _columns(path, [name.lower() for name in table.names])
    counts: Counter[tuple[str, tuple[tuple[str, int], ...]]] = Counter()
    for place, line in enumerate(table.lines):
        told = {name: column[place].strip() for name, column in cells.items()}
        group = told.get("model") or told.get("group") or "node"
        counts[group, tuple(_capacity(path, line, told, columns).items())] += 1
    return Cluster(Path(path).name.partition(".")[0], _groups(counts))


def _columns(path: str | os.PathLike[str], header: list[str]) -> dict[str, tuple[str, int]]:
    """Which resource a column tells, and how many of its numbers are one."""
    columns = {name: _ALIAS.get(name, (name, 1)) for name in header if name not in _NAMES}
    meant = [resource for resource, _ in columns.values()]
    expected = ""
    if CORES not in meant:
        expected = "a column cores (or cpu_milli), and others such as memory and gpus"
    elif "" in header or len(set(header)) < len(header) or len(set(meant)) < len(meant):
        expected = "a name for each column, and one column for each resource"
    if expected:
        found = shortened(", ".join(header) or "nothing")
        raise FormatError(str(path), line=1, expected=expected, found=found)
    return columns


def _capacity(
    path: str | os.PathLike[str],
    line: int,
    row: Mapping[str, str],
    columns: Mapping[str, tuple[str, int]],
) -> dict[str, int]:
    """What one node has. An empty cell is none."""
    found = {}
    for name, (meant, parts) in columns.items():
        text = row[name] or "0"
        digits = text.isascii() and text.isdigit() and len(text) <= len(str(LARGEST)) + 3
        if not digits or int(text) % parts or int(text) // parts > LARGEST:
            expected = f"a whole number in column '{name}'"
            if parts > 1:
                expected += f", a multiple of {parts}"
            raise FormatError(str(path), line=line, expected=expected, found=shortened(repr(text)))
        found[meant] = int(text) // parts
    if not found[CORES]:
        raise FormatError(str(path), line=line, expected="a node with cores", found="none")
    return found


def _groups(counts: Mapping[tuple[str, tuple[tuple[str, int], ...]], int]) -> tuple[NodeGroup, ...]:
    """A group for each sort of nodes, called by its model; those of one model are numbered."""
    models = Counter(model for model, _ in counts)
    seen: Counter[str] = Counter()
    groups = []
    for (model, capacity), count in counts.items():
        seen[model] += 1
        name = model if models[model] == 1 else f"{model}.{seen[model]}"
        groups.append(NodeGroup(name, count, dict(capacity)))
    return tuple(groups)
