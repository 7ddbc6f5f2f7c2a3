"""How long a searched round takes, and a whole replay, at the default setting."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

from benchmarks.optimise_store import Measurements
from packwise import Cluster, Workload, load_workload, simulate
from packwise.cli.terminal.progress import job_bar
from packwise.engine import replay
from packwise.engine.loop import MORE
from packwise.model.run import Run
from packwise.model.workload import Floats
from packwise.optimise.metrics_of_plan import METRICS
from packwise.registry import estimate, policy

ESTIMATES = ("exact", "requested")
#: Longer logs are replayed once only, round by round.
ONCE = 250_000


class Log(NamedTuple):
    """What is to be reached: milliseconds a searched round in the mean (p99: ten times that), and seconds."""

    trace: str
    mean_ms: float
    seconds: float | None = None
    procs: int | None = None


LOGS = (
    Log("KTH-SP2", 0.3, 10),
    Log("SDSC-SP2", 0.6),
    Log("CTC-SP2", 2),
    Log("SDSC-BLUE", 2, 300),
    Log("CEA-Curie", 20, 1800, procs=93312),
)


def measure_speed(traces: Path, logs: list[str], store: Measurements) -> None:
    for log in LOGS:
        if log.trace not in logs:
            continue
        loaded = load_workload(traces / f"{log.trace}.swf.gz", procs=log.procs)
        for belief in ESTIMATES:
            for metric in METRICS:
                key = f"{log.trace} {belief} {metric}"
                cell = store.get(
                    key, partial(_cell, loaded.workload, loaded.cluster, metric, belief)
                )
                print(
                    f"{log.trace:10} {belief:9} {metric:4} {cell['seconds']:8.2f} s"
                    f"{_aim(log.seconds)}  {cell['searched']:7,} searched rounds, ms: mean "
                    f"{cell['mean_ms']:.3f} (must reach {log.mean_ms:g}), p99 {cell['p99_ms']:.3f} "
                    f"(must reach {10 * log.mean_ms:g}), p99 by the clock {cell['p99_wall_ms']:.3f}",
                    flush=True,
                )


def _aim(seconds: float | None) -> str:
    return f" (must reach {seconds:g})" if seconds else ""


def _cell(workload: Workload, cluster: Cluster, metric: str, belief: str) -> dict[str, Any]:
    name = f"packwise(objective={metric})"
    cpu, wall, run = _round_by_round(workload, cluster, name, belief)
    seconds = run.seconds
    if len(workload) < ONCE:
        seconds = _replay(workload, cluster, name, belief).seconds
    searched = run.rounds.notes["evaluations"] > 0
    call_cpu, call_wall = np.median(cpu[~searched]), np.median(wall[~searched])
    cpu_seconds = float((cpu - call_cpu).sum())
    cpu, wall = cpu[searched] - call_cpu, wall[searched] - call_wall
    return {
        "jobs": len(workload),
        "rounds": len(run.rounds),
        "searched": int(searched.sum()),
        "queued": float(run.rounds.queued[searched].mean()),
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "mean_ms": float(1e3 * cpu.mean()),
        "p99_ms": float(1e3 * np.quantile(cpu, 0.99)),
        "mean_wall_ms": float(1e3 * wall.mean()),
        "p99_wall_ms": float(1e3 * np.quantile(wall, 0.99)),
        "call_us": float(1e6 * call_cpu),
    }


def _replay(workload: Workload, cluster: Cluster, name: str, belief: str) -> Run:
    with job_bar(f"{workload.name}, {belief}, {name}", len(workload)) as bar:
        return simulate(workload, cluster, policy(name), estimate(belief), progress=bar)


def _round_by_round(
    workload: Workload, cluster: Cluster, name: str, belief: str
) -> tuple[Floats, Floats, Run]:
    """CPU and wall seconds of each round: the compiled loop is asked for one round at a time.

    A round then includes a call from Python: what a round without search takes tells how long that is.
    """
    cpu: list[int] = []
    wall: list[int] = []
    compiled = replay.run

    def one_at_a_time(*arguments: Any) -> int:
        *state, rounds = arguments
        outcome: int = compiled(*state, 0)
        for _ in range(rounds):
            begun, on_clock = time.thread_time_ns(), time.perf_counter_ns()
            outcome = compiled(*state, 1)
            wall.append(time.perf_counter_ns() - on_clock)
            cpu.append(time.thread_time_ns() - begun)
            if outcome != MORE:
                break
        return outcome

    with patch.object(replay, "run", one_at_a_time):
        run = _replay(workload, cluster, name, belief)
    rounds = len(run.rounds)
    assert len(cpu) == rounds + 1, "the last call finds nothing left"
    return np.array(cpu[:rounds]) / 1e9, np.array(wall[:rounds]) / 1e9, run


def speed_table(store: Measurements) -> list[str]:
    lines = [
        "| log | estimate | objective | searched rounds | jobs waiting | mean ms | p99 ms | p99 ms by the "
        "clock | replay s | replay s by the clock |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    cells = []
    for log in LOGS:
        rows = [
            (belief, metric, store.found[f"{log.trace} {belief} {metric}"])
            for belief in ESTIMATES
            for metric in METRICS
            if f"{log.trace} {belief} {metric}" in store.found
        ]
        if not rows:
            continue
        cells += [cell for _, _, cell in rows]
        seconds = f"{log.seconds:g}" if log.seconds else ""
        p99 = f"{10 * log.mean_ms:g}"
        lines.append(
            f"| {log.trace} | | must reach | | | {log.mean_ms:g} | {p99} | {p99} | {seconds} "
            f"| {seconds} |"
        )
        for belief, metric, cell in rows:
            lines.append(
                f"| | {belief} | {metric} | {cell['searched']:,} | {cell['queued']:.1f} "
                f"| {_against(cell['mean_ms'], log.mean_ms)} "
                f"| {_against(cell['p99_ms'], 10 * log.mean_ms)} "
                f"| {_against(cell['p99_wall_ms'], 10 * log.mean_ms)} "
                f"| {_against(cell['cpu_seconds'], log.seconds)} "
                f"| {_against(cell['seconds'], log.seconds)} |"
            )
    calls = [cell["call_us"] for cell in cells]
    return [
        *lines,
        "",
        f"Not counted in a round: the call from Python, {min(calls):.0f} to {max(calls):.0f} microseconds, "
        "as long as a round without search takes.",
    ]


def _against(value: float, limit: float | None) -> str:
    """A number, bold if it is not what was to be reached."""
    text = f"{value:.3f}" if value < 1 else f"{value:.2f}" if value < 100 else f"{value:.0f}"
    return text if limit is None or value <= limit else f"**{text}**"
