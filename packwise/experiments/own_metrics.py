"""Metrics of the user's own for the results of a study.

They are measured by whoever looks at the results, on the stored schedules: workers, on whatever machine, need
nothing of the user's for them, and an edited file is measured without another replay.
"""

from __future__ import annotations

from collections.abc import Iterable

from packwise.experiments.store import Store
from packwise.experiments.study import Study
from packwise.experiments.unmeasured import lacking, not_measured
from packwise.experiments.work import Done, with_metrics
from packwise.metrics.own import is_own


def measure_own(study: Study, store: Store, wanted: Iterable[str]) -> None:
    """Add to the study's results those of the user's own among the ``wanted`` metrics that they lack.

    Each result is written before the next is measured. Raises InputError for what is wrong with a metric.
    """
    names = tuple(name for name in wanted if is_own(name))
    if not names:
        return
    absent = lacking(store.frame(), names)
    labels = {scenario.key: scenario.workload.label for scenario in study.scenarios}
    for key, label in labels.items():
        missing = absent.get(key)
        if missing and (missing := not_measured(store, key, missing)):
            record, schedule = store.record(key), store.schedule(key)
            store.write(Done(key, with_metrics(label, record, schedule, missing), schedule))
