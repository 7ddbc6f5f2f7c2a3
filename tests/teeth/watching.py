"""A plugin of pytest for a broken product: it says in a file which test runs and which has failed, and ends
when processor time is used up, but for that of compiling. It is copied beside the broken product, and so
imports nothing of ours.
"""

from __future__ import annotations

import inspect
import json
import os
import re
import time
from pathlib import Path
from typing import Any

import pytest
from numba.core import event


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--told", type=Path, required=True, help="a line of JSON for each event")
    parser.addoption("--processor", type=float, required=True, help="seconds for all tests")
    parser.addoption("--first", default="", help="tests that name one of these come first: a,b")


def pytest_configure(config: pytest.Config) -> None:
    watching = _Watching(config)
    config.pluginmanager.register(watching, "teeth-watching")
    event.register("numba:compile", watching)


class _Watching(event.Listener):
    def __init__(self, config: pytest.Config) -> None:
        self._told: Path = config.getoption("--told")
        self._seconds: float = config.getoption("--processor")
        words = [re.escape(name) for name in config.getoption("--first").split(",") if name]
        self._first = re.compile(rf"\b(?:{'|'.join(words)})\b") if words else None
        self._compiling = 0.0
        self._depth, self._since = 0, 0.0

    def _tell(self, **what: Any) -> None:
        known = {"seconds": _spent(), "compiling": self._compiling, "clock": time.time()}
        with self._told.open("a", encoding="utf-8") as file:
            file.write(json.dumps({**what, **known}) + "\n")

    def on_start(self, _: Any) -> None:
        self._depth += 1
        if self._depth == 1:
            self._since = _spent()
            self._tell(compiles=True)

    def on_end(self, _: Any) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._compiling += _spent() - self._since
            self._tell(compiles=False)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        if self._first is not None:
            items.sort(key=lambda item: not self._first.search(_text(item)))

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._tell(begins=nodeid)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self._tell(ends=nodeid)

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> None:
        if _spent() - self._compiling > self._seconds:
            item.session.shouldstop = "processor time is used up"

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._tell(failed=report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._tell(failed=report.nodeid)


def _spent() -> float:
    """Processor seconds of this process, and of those that it waited for."""
    return sum(os.times()[:4])


def _text(item: pytest.Item) -> str:
    try:
        return inspect.getsource(getattr(item, "function", type(item)))
    except (OSError, TypeError):
        return ""
