"""Names in the header of an SWF file: '; Queue: 3 gpu', as the format has it, and users, groups and
executables alike.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from packwise.model.workload import Workload
from packwise.workloads.swf.header import Header, parse

#: What the header calls the names of a column.
LABELS: Mapping[str, str] = {
    "user": "User",
    "group": "Group",
    "app": "Executable",
    "queue": "Queue",
    "partition": "Partition",
}
#: A header of more lines than this for one column would be longer than most logs.
MOST = 100_000


def header_names(
    header: Header, columns: Mapping[str, NDArray[np.int64]]
) -> dict[str, tuple[str, ...]]:
    """Names by column, as far as the header tells them for numbers that occur."""
    found = {}
    for column, label in LABELS.items():
        told = header.numbered(label)
        most = int(columns[column].max()) if len(columns[column]) else -1
        if told and 0 <= most < MOST:
            words = tuple(told.get(number, "") for number in range(most + 1))
            if any(words):
                found[column] = words
    return found


def name_lines(workload: Workload, header: Header) -> list[str]:
    """Lines for the names that the header does not tell yet."""
    lines = []
    for column in held(workload):
        known = header.numbered(LABELS[column])
        for number, word in enumerate(workload.names[column]):
            word = " ".join("".join(c if c.isprintable() else " " for c in word).split())
            if word and known.get(number) != word:
                lines.append(f"; {LABELS[column]}: {number} {word}")
    return lines


def without_names(workload: Workload) -> list[str]:
    """The lines of the header, without those that tell names which the workload has."""
    labels = {LABELS[column].lower() for column in workload.names if column in LABELS}
    if not labels:
        return list(workload.header)
    return [line for line in workload.header if not _tells_name(line, labels)]


def _tells_name(line: str, labels: set[str]) -> bool:
    pair = parse(line)
    return pair is not None and pair[0].lower() in labels and pair[1][:1].isdigit()


def held(workload: Workload) -> list[str]:
    """The columns whose names an SWF file can hold."""
    return [name for name, words in workload.names.items() if name in LABELS and len(words) <= MOST]
