"""Records of one machine: what a data base knows of several clusters is several logs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from packwise.model.errors import InputError, listed, shortened
from packwise.workloads.records.collecting import Records
from packwise.workloads.selection import Selection

_BY = "cluster"


def of_one_cluster(
    records: Records, only: Iterable[str] = (), without: Iterable[str] = ()
) -> Records:
    """The records of the cluster that ``only`` picks (``cluster=alpha``), or that ``without`` leaves; all, if
    they are of one.
    """
    picks, drops = _named(only, "--only"), _named(without, "--without")
    column = records.columns[_BY]
    words = records.names.get(_BY, ())
    there = sorted(words[k] for k in np.unique(column[column >= 0]).tolist())
    unknown = sorted((picks | drops) - set(there))
    if unknown and there:
        raise InputError(
            f"{records.path}: no record of cluster '{shortened(unknown[0])}'; there are records of "
            f"{listed(there)}."
        )
    if len(there) < 2:
        return records
    wanted = (picks or set(there)) - drops
    if len(wanted) != 1:
        first = shortened(there[0])
        raise InputError(
            f"{records.path}: expected the records of one cluster, found those of {listed(there)}. Pick "
            f'one: --only cluster={first}, or only="cluster={first}" in packwise.read().'
        )
    kept = column == words.index(wanted.pop())
    others = int((~kept).sum())
    return replace(
        records,
        columns={name: numbers[kept] for name, numbers in records.columns.items()},
        left_out={**records.left_out, "of other clusters": others},
    )


def _named(texts: Iterable[str], option: str) -> set[str]:
    parsed = (Selection.parse(text, option) for text in texts)
    return {name for one in parsed if one.by == _BY for name in one.names}
