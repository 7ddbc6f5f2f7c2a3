"""What has passed is left out of the next run: ``pytest -p tests.passed_before --passed=FILE``, twice.

The first run is one of a fresh machine, the second one with all that tests may want besides: what the first has
skipped, or has not got to, is run by the second. So are tests that draw: the second draws more.
"""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--passed", type=Path, required=True, help="tests named in this file passed before"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(PassedBefore(config.getoption("--passed")))


class PassedBefore:
    """The tests that a file names, one in a line, and those that are added to it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._before = set(path.read_text("utf-8").split("\n")) if path.exists() else set()
        self._passed: list[str] = []
        self._not_passed: set[str] = set()

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """By whole names: those of --deselect are beginnings, which others may share."""
        known = {
            item
            for item in items
            if item.nodeid in self._before and not item.get_closest_marker("draws")
        }
        config.hook.pytest_deselected(items=[*known])
        items[:] = [item for item in items if item not in known]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            self._passed.append(report.nodeid)
        elif not report.passed:
            self._not_passed.add(report.nodeid)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(session.config, "workerinput"):  # whoever gave out the tests hears of all
            return
        with self._path.open("a", encoding="utf-8") as file:
            for name in self._passed:
                if name not in self._not_passed:
                    file.write(f"{name}\n")
