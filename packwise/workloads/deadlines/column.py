"""The rule ``column``: deadlines that somebody recorded, in the trace or in a file beside it."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from packwise.files.content import file_bytes
from packwise.model.errors import InputError
from packwise.model.workload import Ints, Workload
from packwise.workloads.deadlines.cells import check_digest, file_deadlines
from packwise.workloads.deadlines.impossible import Impossible


@dataclass(frozen=True)
class Column:
    """The deadlines of the trace itself, or of a file. ``digest`` is the sha256 of its bytes."""

    file: str | None = None
    digest: str | None = None

    def recorded(self, workload: Workload, impossible: Impossible) -> Ints:
        """The deadline of every job; NO_DEADLINE for those without one."""
        if self.file is not None:
            if self.digest is not None:
                check_digest(self.file, self.digest)
            return file_deadlines(workload, self.file, impossible)
        if workload.deadline is None:
            raise InputError(
                f"deadline rule 'column': '{workload.name}' has no deadlines of its own; a CSV or Parquet "
                "table with a column 'deadline' has. Give them in a file: column(file=deadlines.csv)."
            )
        return workload.deadline

    def __str__(self) -> str:
        """Without the folder: for people."""
        return "column" if self.file is None else f"column(file={Path(self.file).name})"

    @property
    def text(self) -> str:
        """With all that is needed to read the file again."""
        if self.file is None:
            return "column"
        digest = "" if self.digest is None else f"sha256={self.digest},"
        return f"column({digest}file={self.file})"

    @property
    def content(self) -> str:
        """What decides the deadlines: the bytes of the file, wherever it lies."""
        if self.file is None:
            return "column"
        return f"column(sha256={self.digest or sha256(file_bytes(self.file)).hexdigest()})"
