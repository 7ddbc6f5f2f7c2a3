"""What has been measured so far, as JSON lines: several processes may add to it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any


def whole_lines(path: Path) -> list[str]:
    """The lines of a store; not the last one, if whoever wrote it was stopped, which is cut off."""
    text = path.read_text()
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        path.write_text(whole)
    return whole.splitlines()


class Store:
    """Results by key, one JSON line each. ``only``: a text that the key of what is done has to have."""

    def __init__(self, path: Path, only: str = "") -> None:
        self._path = path
        self._only = only
        self.known: dict[str, Any] = {}
        if path.exists():
            self.known = dict(json.loads(line) for line in whole_lines(path))

    def wants(self, key: str) -> bool:
        return self._only in key and key not in self.known

    def add(self, key: str, make: Callable[[], Any]) -> None:
        """Do what is not there yet."""
        if not self.wants(key):
            return
        self.known[key] = make()
        with self._path.open("a") as file:
            file.write(json.dumps([key, self.known[key]]) + "\n")
        print(key, flush=True)
