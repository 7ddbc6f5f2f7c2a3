"""How far a study is: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from packwise.cli.terminal import meanwhile, stderr
from packwise.readable import duration

if TYPE_CHECKING:
    from packwise.experiments.execution import Plan
    from packwise.experiments.scenario import Scenario
    from packwise.experiments.work import Done, Failed

_LINE_SECONDS = 15.0
_WORDS_SECONDS = 0.5


class Pace:
    """Scenarios done, how fast, and how long the rest will take. ``now`` is the clock, in seconds."""

    def __init__(
        self,
        plan: Plan,
        workers: Callable[[], int],
        now: Callable[[], float] = time.perf_counter,
    ) -> None:
        from packwise.experiments.remaining import Remaining

        self._remaining = Remaining(plan.planned, workers)
        self._now = now
        self._begin: float | None = None
        self.done = 0
        self.total = len(plan.planned)

    def begins(self, scenario: Scenario) -> None:
        now = self._now()
        self._begin = now if self._begin is None else self._begin
        self._remaining.begin(scenario.key, now)

    def ends(self, scenario: Scenario, result: Done | Failed) -> None:
        self.done += 1
        self._remaining.done(scenario.key, result.took, self._now())

    def words(self) -> str:
        """'12 per minute, about 3.4 min left'; nothing that cannot be told yet."""
        now = self._now()
        told = []
        if self.done and self._begin is not None and now > self._begin:
            rate = 60 * self.done / (now - self._begin)
            told.append(f"{rate:,.0f} per minute" if rate >= 10 else f"{rate:.1f} per minute")
        left = self._remaining.seconds_left(now)
        if left is not None:
            told.append(f"about {duration(round(left))} left")
        return ", ".join(told)


class Watch(NamedTuple):
    """Who is told when a scenario begins, and when it has ended."""

    begins: Callable[[Scenario], None]
    ends: Callable[[Scenario, Done | Failed], None]


@contextmanager
def scenario_bar(plan: Plan, workers: Callable[[], int]) -> Iterator[Watch]:
    """A bar, or lines, for as long as a plan is done."""
    pace = Pace(plan, workers)
    if not stderr().is_interactive:
        yield Watch(pace.begins, _lines(pace))
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[pace]}"),
    )
    with Progress(*columns, console=stderr(), transient=True) as bar:
        task = bar.add_task("Scenarios", total=pace.total, pace="")
        told = 0.0

        def ends(scenario: Scenario, result: Done | Failed) -> None:
            nonlocal told
            pace.ends(scenario, result)
            bar.update(task, completed=pace.done)
            if (now := time.perf_counter()) - told >= _WORDS_SECONDS:
                told = now
                bar.update(task, pace=pace.words())

        yield Watch(pace.begins, ends)


def _lines(pace: Pace) -> Callable[[Scenario, Done | Failed], None]:
    last = time.perf_counter()

    def ends(scenario: Scenario, result: Done | Failed) -> None:
        nonlocal last
        pace.ends(scenario, result)
        now = time.perf_counter()
        if now - last >= _LINE_SECONDS:
            last = now
            told = filter(None, (f"{pace.done:,} of {pace.total:,} scenarios", pace.words()))
            meanwhile(", ".join(told))

    return ends
