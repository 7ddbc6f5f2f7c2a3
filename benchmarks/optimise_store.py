"""What has been measured so far: one line of JSON per measurement, so that a long run can go on."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.run import machine
from packwise.experiments.provenance import code_digest


class OtherCode(Exception):
    """The measurements in the store are of other code."""


class Measurements:
    """The measurements of one section by key. The first line says of which code, and on what machine.

    ``keep``: go on with measurements of other code.
    """

    def __init__(self, folder: Path, section: str, *, keep: bool = False) -> None:
        self._path = folder / f"{section}.jsonl"
        self.found: dict[str, Any] = {}
        self._loads: list[float] = []
        if not self._path.exists():
            folder.mkdir(parents=True, exist_ok=True)
            self._append({"code": code_digest(), "machine": f"{machine()} ({_cpu_name()})"})
        whole, _, half = self._path.read_text().rpartition("\n")
        if half:  # of an interrupted run
            self._path.write_text(f"{whole}\n")
        about, *cells = map(json.loads, whole.split("\n"))
        if about["code"] != code_digest() and not keep:
            raise OtherCode(
                f"{self._path}: measured with other code in packwise/. Name another --store, or use it all "
                "the same: --keep."
            )
        self._machine = about["machine"]
        for cell in cells:
            self._take(cell)

    def get(self, key: str, measure: Callable[[], Any]) -> Any:
        """What was measured under a key, now or in an earlier run."""
        if key not in self.found:
            cell = {"key": key, "value": measure(), "load": os.getloadavg()[0]}
            self._append(cell)
            self._take(cell)
        return self.found[key]

    def circumstances(self) -> str:
        """On what machine, and how busy it was."""
        low, high = min(self._loads), max(self._loads)
        return f"Measured on {self._machine}; load average from {low:.1f} to {high:.1f}."

    def _take(self, cell: dict[str, Any]) -> None:
        self.found[cell["key"]] = cell["value"]
        self._loads.append(cell["load"])

    def _append(self, line: dict[str, Any]) -> None:
        with self._path.open("a") as file:
            file.write(json.dumps(line) + "\n")
            file.flush()
            os.fsync(file.fileno())


def _cpu_name() -> str:
    """What lscpu says, since Python knows no name on some systems."""
    if shutil.which("lscpu"):
        told = subprocess.run(["lscpu"], capture_output=True, text=True, check=True).stdout
        if found := re.search(r"^Model name:\s*(.+)$", told, re.MULTILINE):
            return found.group(1)
    return platform.processor() or platform.machine()
