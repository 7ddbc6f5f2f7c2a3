"""Running a study: what is missing in the store is handed out, and what comes back is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from packwise.experiments.compiling import compile_for
from packwise.experiments.executors.executor import Executor
from packwise.experiments.forecast import Forecast
from packwise.experiments.provenance import code_digest
from packwise.experiments.scenario import Scenario
from packwise.experiments.store import Store, Trouble
from packwise.experiments.study import Study
from packwise.experiments.unmeasured import lacking, not_measured
from packwise.experiments.work import STANDARD_METRICS, Done, Failed, Task
from packwise.metrics.catalogue import metric
from packwise.metrics.own import is_own
from packwise.model.errors import InputError, OutputError

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Planned:
    """A scenario without a result, or with one that lacks metrics; and about how long it takes."""

    scenario: Scenario
    missing_metrics: tuple[str, ...]
    seconds: float


@dataclass(frozen=True)
class Plan:
    """What is to be done, the longest workloads first; and what is there already.

    ``ready`` counts the study's results, ``results`` has all that the store holds.
    """

    planned: tuple[Planned, ...]
    ready: int
    troubles: tuple[Trouble, ...]
    results: pl.DataFrame = field(compare=False)

    @property
    def seconds(self) -> float:
        """Work in all, of one core."""
        return sum(one.seconds for one in self.planned)


def make_plan(study: Study, store: Store) -> Plan:
    """Compare a study with what is in the store. Two scenarios of the same content are done once.

    Metrics of the user's own are left out: ``measure_own`` adds them to what is stored.
    """
    results, troubles = store.survey()
    names = [metric(name).name for name in study.metrics]
    extra = tuple(name for name in names if name not in STANDARD_METRICS and not is_own(name))
    absent = lacking(results, extra)
    forecast = Forecast(results)
    todo: dict[str, Planned] = {}
    ready = 0
    for scenario in study.scenarios:
        missing = absent.get(scenario.key)
        if missing:
            missing = not_measured(store, scenario.key, missing)
        if missing == ():
            ready += 1
        elif scenario.key not in todo:
            seconds = forecast.measuring(scenario) if missing else forecast.seconds(scenario)
            todo[scenario.key] = Planned(scenario, missing or extra, seconds)
    return Plan(_by_workload(list(todo.values())), ready, tuple(troubles), results)


def _by_workload(planned: list[Planned]) -> tuple[Planned, ...]:
    """Scenarios of one workload together, since workers keep it; the most work first."""
    work: dict[str, float] = {}
    for one in planned:
        content = one.scenario.workload.content
        work[content] = work.get(content, 0.0) + one.seconds

    def place(one: Planned) -> tuple[float, str, float]:
        content = one.scenario.workload.content
        return (-work[content], content, -one.seconds)

    return tuple(sorted(planned, key=place))


def run_plan(
    plan: Plan,
    store: Store,
    executor: Executor,
    report: Callable[[Scenario, Done | Failed], None],
    begins: Callable[[Scenario], None] = lambda scenario: None,
) -> None:
    """Do what is planned. Each result is in the store before ``report`` hears of it.

    ``begins`` hears of a scenario when it is handed out.

    A result that another process has written in the meantime is not made again. A scenario that
    raises is kept as a failure, and the others go on. Raises OutputError when the store cannot be
    written to (a full disk, say): what is done is kept.
    """
    scenarios = {one.scenario.key: one.scenario for one in plan.planned}
    compile_for(scenarios.values())
    with executor, closing(executor.run(_handed_out(plan, store, begins))) as results:
        for result in results:
            try:
                if isinstance(result, Done):
                    store.write(result)
                else:
                    store.write_failure(result)
            except OutputError as error:
                raise OutputError(
                    f"{error} Results that were written are kept: start the study again to go on."
                ) from error
            report(scenarios[result.key], result)


def _handed_out(plan: Plan, store: Store, begins: Callable[[Scenario], None]) -> Iterator[Task]:
    for task in _tasks(plan, store):
        begins(task.scenario)
        yield task


def _tasks(plan: Plan, store: Store) -> Iterator[Task]:
    damaged = {trouble.path.name.partition(".")[0] for trouble in plan.troubles}
    for one in plan.planned:
        key, wanted = one.scenario.key, one.missing_metrics
        afresh = Task(one.scenario, wanted, code_digest(), one.scenario.packages)
        if key in damaged or not store.has(key):
            yield afresh
            continue
        try:  # stored before, or by another process in the meantime
            record = store.record(key)
            missing = tuple(name for name in wanted if name not in record["metrics"])
            if missing:
                schedule = store.schedule(key)
                yield replace(afresh, metrics=missing, schedule=schedule, record=record)
        except InputError:
            yield afresh
