"""What has been measured so far, as JSON lines: several processes may add to it."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

#: Enough for tables and pictures.
DIGITS = 7


def brief(value: Any) -> Any:
    """The same with numbers of so many digits: files stay small."""
    if isinstance(value, dict):
        return {name: brief(one) for name, one in value.items()}
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    return value


class Store:
    """Results by key, one JSON line each. ``only``: a text that the key of what is done has to have.

    A line that is no JSON is left out: whoever wrote it was stopped. Each begins a line of its own.
    """

    def __init__(self, path: Path, only: str = "") -> None:
        self._path = path
        self._only = only
        self.known: dict[str, Any] = {}
        if path.exists():
            for line in filter(None, path.read_text().splitlines()):
                with suppress(json.JSONDecodeError):
                    key, value = json.loads(line)
                    self.known[key] = value

    def wants(self, key: str) -> bool:
        return self._only in key and key not in self.known

    def add(self, key: str, make: Callable[[], Any]) -> None:
        """Do what is not there yet."""
        if not self.wants(key):
            return
        self.known[key] = brief(make())
        with self._path.open("a") as file:
            file.write(f"\n{json.dumps([key, self.known[key]])}\n")
        print(key, flush=True)
