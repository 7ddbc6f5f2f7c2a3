"""What became of the lines of a site's records: each was used, or is counted with its reason."""

from __future__ import annotations

from typing import Any, NamedTuple


class RecordsReport(NamedTuple):
    """``lines`` are what the file has besides records of jobs (steps, lines that cannot be read),
    ``left_out`` the records that became no job, by the rule that left them out.
    """

    format: str
    lines: tuple[tuple[str, int], ...]
    records: int
    kept: int
    left_out: tuple[tuple[str, int], ...]
    repaired_limit: int
    cut: int
    cut_over_minute: int
    dropped_limit: int
    dropped_wide: int

    @property
    def jobs_read(self) -> int:
        """Records of jobs."""
        return self.records

    @property
    def jobs_kept(self) -> int:
        """Jobs to replay."""
        return self.kept

    @property
    def dropped(self) -> int:
        """Records that became no job."""
        return self.records - self.kept

    def rows(self) -> list[tuple[str, int]]:
        """(label, count) pairs, in the order in which the rules apply."""
        return [
            *((f"not counted as records: {reason}", count) for reason, count in self.lines),
            ("records read", self.records),
            *((f"left out: {reason}", count) for reason, count in self.left_out),
            ("jobs kept", self.kept),
            ("repaired: time limit taken from the run time", self.repaired_limit),
            ("run time cut to the time limit", self.cut),
            ("  of these, by more than a minute", self.cut_over_minute),
        ]

    def facts(self) -> dict[str, Any]:
        """The same for programs."""
        facts = self._asdict()
        return {**facts, "lines": dict(self.lines), "left_out": dict(self.left_out)}
