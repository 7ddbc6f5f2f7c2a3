"""How far a study is: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from packwise.cli.terminal import note, stderr
from packwise.readable import duration

if TYPE_CHECKING:
    from packwise.experiments.execution import Plan
    from packwise.experiments.scenario import Scenario

_LINE_SECONDS = 15.0


class Pace:
    """Scenarios done, how fast, and how long the rest will take, by the work that they are."""

    def __init__(self, plan: Plan) -> None:
        self._work = {one.scenario.key: one.seconds for one in plan.planned}
        self._left = plan.seconds
        self._begin = time.perf_counter()
        self.done = 0
        self.total = len(plan.planned)

    def advance(self, scenario: Scenario) -> None:
        self.done += 1
        self._left -= self._work.get(scenario.key, 0.0)

    def words(self) -> str:
        """'12 per minute, about 3.4 min left'."""
        spent = time.perf_counter() - self._begin
        finished = sum(self._work.values()) - self._left
        if not self.done or finished <= 0 or spent <= 0:
            return ""
        rate = 60 * self.done / spent
        left = max(self._left, 0.0) * spent / finished
        pace = f"{rate:,.0f}" if rate >= 10 else f"{rate:.1f}"
        return f"{pace} per minute, about {duration(round(left))} left"


@contextmanager
def scenario_bar(plan: Plan) -> Iterator[Callable[[Scenario], None]]:
    """Call what it gives with each scenario that is done."""
    pace = Pace(plan)
    if not stderr().is_terminal:
        yield _lines(pace)
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

        def advance(scenario: Scenario) -> None:
            pace.advance(scenario)
            bar.update(task, completed=pace.done, pace=pace.words())

        yield advance


def _lines(pace: Pace) -> Callable[[Scenario], None]:
    last = time.perf_counter()

    def advance(scenario: Scenario) -> None:
        nonlocal last
        pace.advance(scenario)
        now = time.perf_counter()
        if now - last >= _LINE_SECONDS:
            last = now
            note(f"{pace.done:,} of {pace.total:,} scenarios, {pace.words()}")

    return advance
