"""The status as metrics for Prometheus, in a registry of their own: made when they are asked for.

Labels are parts of a round, partitions, and names of the configuration. No job and no user is among them.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator, Mapping
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

import packwise
from packwise.adapters.slurm.web.folder import Found, StateFolder

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry
    from prometheus_client.metrics_core import Metric

#: More partitions than that are left out.
_PARTITIONS = 100
_CONTROLLER = {
    "threads": ("threads", "Threads of the controller that serve requests."),
    "agents": ("agents", "Messages of the controller that wait to be sent."),
}
_CYCLES = {"main_cycle": "main", "backfill_cycle": "backfill"}


def registry_of(folder: StateFolder) -> CollectorRegistry:
    """A registry with what the folder tells."""
    from prometheus_client import CollectorRegistry
    from prometheus_client.registry import Collector

    class Plan(Collector):
        def collect(self) -> Iterator[Metric]:
            yield from families(folder.status(), folder.clock())

    registry = CollectorRegistry(auto_describe=False)
    registry.register(Plan())
    return registry


def families(found: Found, now: float) -> Iterator[Metric]:
    """What there is to tell; of what the status does not tell, nothing."""
    from prometheus_client.metrics_core import GaugeMetricFamily, InfoMetricFamily

    yield InfoMetricFamily(
        "packwise_build",
        "The version that serves this.",
        {"version": packwise.__version__, "python": platform.python_version()},
    )
    told = found.told
    healthy = told is not None and not found.stale(now) and not told.get("health")
    yield GaugeMetricFamily(
        "packwise_healthy",
        "1 if the plan is fresh and its rounds report no trouble, else 0.",
        float(healthy),
    )
    if told is None:
        return
    yield InfoMetricFamily(
        "packwise_plan",
        "Who plans, and how.",
        {name: _text(told.get(name)) for name in ("cluster", "mode", "policy")},
    )
    age = found.age(now) + found.failing
    text = "Time since the last round that went well."
    yield GaugeMetricFamily("packwise_status_age_seconds", text, age)
    yield from _cluster(told)
    yield from _rounds(told)
    yield from _waits(told)
    yield from _controller(told)


def _cluster(told: Mapping[str, Any]) -> Iterator[Metric]:
    nodes = _dicts(told.get("nodes"))
    yield from _gauges(
        ("packwise_waiting_jobs", "Jobs that wait for room.", len(_dicts(told.get("waiting")))),
        ("packwise_running_jobs", "Jobs that run.", len(_dicts(told.get("running")))),
        (
            "packwise_other_jobs",
            "Jobs that wait for something else than room.",
            len(_dicts(told.get("left_out"))),
        ),
        ("packwise_cores", "Cores of the cluster.", told.get("cores")),
        ("packwise_free_cores", "Cores on which a job may start now.", told.get("free")),
        ("packwise_nodes", "Nodes of the cluster.", len(nodes)),
        (
            "packwise_nodes_usable",
            "Nodes on which jobs may start.",
            sum(bool(node.get("usable")) for node in nodes),
        ),
    )


def _rounds(told: Mapping[str, Any]) -> Iterator[Metric]:
    from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily

    for name, text, key in (
        ("packwise_rounds", "Rounds since the start of advise or steer.", "cycle"),
        ("packwise_rounds_skipped", "Rounds that came late, to spare the controller.", "skipped"),
    ):
        if (count := _number(told.get(key))) is not None:
            yield CounterMetricFamily(name, text, count)
    seconds = told.get("seconds")
    took = GaugeMetricFamily(
        "packwise_round_seconds", "How long the last round took, by part.", labels=["part"]
    )
    for part in ("read", "plan", "send"):
        value = _number(seconds.get(part)) if isinstance(seconds, dict) else None
        if value is not None:
            took.add_metric([part], value)
    yield took
    yield from _gauges(
        ("packwise_interval_seconds", "Time from one round to the next.", told.get("interval")),
        ("packwise_lines_sent", "Lines sent to Slurm in the last round.", told.get("sent")),
    )


def _waits(told: Mapping[str, Any]) -> Iterator[Metric]:
    from prometheus_client.metrics_core import GaugeMetricFamily

    now = _number(told.get("written"))
    waits: list[float] = []
    leads: list[float] = []
    by_partition: dict[str, list[float]] = {}
    for job in _dicts(told.get("waiting")):
        planned, submit = _number(job.get("planned")), _number(job.get("submit"))
        theirs = _number(job.get("slurm"))
        if planned is None:
            continue
        if submit is not None:
            waits.append(max(planned - submit, 0.0))
            for name in _text(job.get("partition")).split(","):
                by_partition.setdefault(name, []).append(waits[-1])
        if theirs is not None and now is not None:
            leads.append(max(theirs, now) - planned)
    if waits:
        text = "Median time from submission to the planned start, of the jobs that wait."
        yield GaugeMetricFamily("packwise_planned_wait_seconds", text, median(waits))
        each = GaugeMetricFamily(
            "packwise_partition_planned_wait_seconds",
            "The same by partition; a job of several counts in each.",
            labels=["partition"],
        )
        for name, values in sorted(by_partition.items())[:_PARTITIONS]:
            each.add_metric([name], median(values))
        yield each
    if leads:
        yield GaugeMetricFamily(
            "packwise_slurm_forecast_lead_seconds",
            "By how much the plan lets jobs start before Slurm's forecast, on average.",
            fmean(leads),
        )
    yield from _gauges(
        ("packwise_slurm_forecast_jobs", "Jobs of which both are known.", len(leads)),
    )


def _controller(told: Mapping[str, Any]) -> Iterator[Metric]:
    from prometheus_client.metrics_core import GaugeMetricFamily

    controller = told.get("controller")
    if not isinstance(controller, dict):
        return
    for key, (name, text) in _CONTROLLER.items():
        value = _number(controller.get(key))
        if value is not None and value >= 0:
            yield GaugeMetricFamily(f"packwise_slurmctld_{name}", text, value)
    cycle = GaugeMetricFamily(
        "packwise_slurmctld_cycle_seconds",
        "How long the controller's last cycle took, by scheduler.",
        labels=["scheduler"],
    )
    for key, label in _CYCLES.items():
        value = _number(controller.get(key))
        if value is not None and value >= 0:
            cycle.add_metric([label], value / 1e6)
    yield cycle


def _gauges(*told: tuple[str, str, object]) -> Iterator[Metric]:
    from prometheus_client.metrics_core import GaugeMetricFamily

    for name, text, value in told:
        if (known := _number(value)) is not None:
            yield GaugeMetricFamily(name, text, known)


def _dicts(value: object) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, Iterable) else []


def _number(value: object) -> float | None:
    try:
        return float(value) if isinstance(value, int | float) else None
    except OverflowError:  # a whole number that no float can be
        return None


def _text(value: object) -> str:
    """A label: something that can be written, and not endless."""
    return str("" if value is None else value).encode("utf-8", "replace").decode()[:120]
