"""What must hold of any file that is given for a site's records, however damaged."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from packwise.model.errors import PackwiseError
from packwise.workloads.records.reading import read_records
from packwise.workloads.records.rules import examine_records
from tests.workloads.records import site


def hold(path: Path, content: bytes) -> bool:
    """Whether a file could be read; if it could, nothing of it is lost or counted twice."""
    path.write_bytes(content)
    try:
        records = read_records(path, mapping=site.MAP if path.suffix == ".csv" else ())
    except PackwiseError:
        return False
    if records is None:
        return False
    if path.suffix != ".json":
        lines = sum(1 for line in re.split(rb"[\r\n]+", content) if line.strip())
        assert len(records) + sum(records.left_out.values()) <= lines
    try:
        found = examine_records(records)
    except PackwiseError:
        return False
    report = found.report()
    assert report.records == len(records)
    assert report.kept + sum(count for _, count in report.left_out) == report.records
    jobs = found.workload()
    assert len(jobs) == report.kept
    assert len(np.unique(jobs.id)) == len(jobs)
    columns = records.columns
    told = np.where(columns["raw_id"] >= 0, columns["raw_id"], columns["number"])
    parts = (
        told,
        columns["task"],
        columns["component"],
        columns["cluster"],
        found.submit,
        found.start,
        found.start + found.runtime,
    )
    keys = set(zip(*(part[found.kept].tolist() for part in parts), strict=True))
    assert len(keys) == len(jobs) or not records.tells_starts
    return True
