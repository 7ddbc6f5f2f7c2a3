"""A plugin of pytest for a broken product: it says in a file which test runs and which has failed, and ends
when processor time is used up. It is copied beside the broken product, and so imports nothing of ours.
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


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--told", type=Path, required=True, help="a line of JSON for each event")
    parser.addoption("--processor", type=float, required=True, help="seconds for all tests")
    parser.addoption("--first", default="", help="tests that name one of these come first: a,b")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(_Watching(config), "teeth-watching")


class _Watching:
    def __init__(self, config: pytest.Config) -> None:
        self._told: Path = config.getoption("--told")
        self._seconds: float = config.getoption("--processor")
        words = [re.escape(name) for name in config.getoption("--first").split(",") if name]
        self._first = re.compile(rf"\b(?:{'|'.join(words)})\b") if words else None

    def _tell(self, **event: Any) -> None:
        spent = sum(os.times()[:4])
        with self._told.open("a", encoding="utf-8") as file:
            file.write(json.dumps({**event, "seconds": spent, "clock": time.time()}) + "\n")

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
        if sum(os.times()[:4]) > self._seconds:
            item.session.shouldstop = "processor time is used up"

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._tell(failed=report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._tell(failed=report.nodeid)


def _text(item: pytest.Item) -> str:
    try:
        return inspect.getsource(getattr(item, "function", type(item)))
    except (OSError, TypeError):
        return ""
