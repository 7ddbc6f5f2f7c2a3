"""What shows while something takes long."""

from __future__ import annotations

from contextlib import AbstractContextManager
from io import StringIO
from threading import Event

import pytest
from rich.console import Console

import packwise.cli.terminal
from packwise.cli.report import _activity
from packwise.cli.solve import _status_line
from packwise.cli.terminal import progress
from packwise.cli.workload.fetch import _download_bar


def terminal(monkeypatch: pytest.MonkeyPatch, kind: str) -> StringIO:
    """What is written on stderr, which is a terminal of this kind."""
    monkeypatch.setenv("TERM", kind)
    written = StringIO()
    console = Console(file=written, force_terminal=True, width=80)
    monkeypatch.setattr(packwise.cli.terminal, "stderr", lambda: console)
    return written


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> StringIO:
    return terminal(monkeypatch, "xterm")


@pytest.mark.parametrize(
    "shown",
    [
        progress.busy("reading log.swf"),
        progress.step_bar("replaying futures"),
        progress.job_bar("easy", 5),
        _activity(),
        _status_line("AF", 1.0),
        _download_bar("KTH-SP2"),
    ],
    ids=["busy", "step_bar", "job_bar", "report", "solve", "fetch"],
)
def test_nothing_where_no_line_can_be_drawn_over(
    shown: AbstractContextManager[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rich leaves an empty line behind on such a terminal, each time."""
    written = terminal(monkeypatch, "dumb")
    with shown:
        pass
    assert written.getvalue() == ""


def test_what_is_over_soon_shows_nothing(screen: StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 3600.0)
    with progress.busy("reading log.swf"):
        pass
    assert screen.getvalue() == ""


def test_what_takes_long_says_so_until_somebody_else_speaks(
    screen: StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = Event()
    start = progress_start(begun)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr("rich.progress.Progress.start", start)
    with progress.busy("reading [red]log[/].swf"):
        assert begun.wait(60)
        progress.hush()
        assert "reading [red]log[/].swf" in screen.getvalue()
        shown = len(screen.getvalue())
    assert len(screen.getvalue()) == shown


def progress_start(begun: Event):
    """Progress.start that says when it is done."""
    from rich.progress import Progress

    usual = Progress.start

    def start(self: Progress) -> None:
        usual(self)
        begun.set()

    return start


def test_steps_become_a_bar_after_a_while(
    screen: StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 3600.0)
    with progress.step_bar("replaying futures") as report:
        report(1, 40)
        assert screen.getvalue() == ""
        monkeypatch.setattr(progress, "PATIENCE", -1.0)
        report(20, 40)
    assert "replaying futures" in screen.getvalue()
    assert "20/40" in screen.getvalue()


def test_no_bar_without_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    with progress.step_bar("replaying futures") as report:
        report(20, 40)
    assert capsys.readouterr().err == ""


def test_nothing_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.busy("reading log.swf"):
        progress.hush()
    assert capsys.readouterr().err == ""
