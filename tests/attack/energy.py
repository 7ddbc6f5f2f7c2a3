"""Energy and plans for profit: logs, scenarios and schedules drawn at random, against sums made by hand."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime
from math import isclose
from pathlib import Path

import numpy as np

from packwise import Cluster, Schedule, Workload, check_schedule, summarize
from packwise.energy.scenario_file import read_scenario
from packwise.metrics.energy.account import account
from packwise.metrics.energy.breakdown import by_day
from packwise.model.allocation import Allocation
from packwise.model.cluster import NodeGroup
from packwise.planning import plan_log
from tests.attack.energy_sums import (
    Bill,
    Job,
    Placed,
    Sleep,
    Undecided,
    World,
    gain_of_day,
    overfull,
)

HOUR, DAY = 3600, 86400
#: A Friday and a Sunday on which clocks change, and any day.
_BEGINS = ("2024-03-29", "2024-03-31", "2024-10-25", "2024-06-12")
_METHODS = ("rule-est", "rule-wt-strict", "rule-profit", "heuristic", "multi", "delay", "ours")


def case(seed: int, folder: Path) -> list[str]:
    draw = random.Random(seed)
    world, jobs = _world(draw)
    text = _scenario(draw, world)
    file = folder / "scenario.toml"
    file.write_text(text)
    log, cluster = _log(world, jobs), _cluster(world)
    cluster = replace(cluster, energy=read_scenario(file).scenario)
    try:
        faults = _account(world, log, cluster, _placed(draw, world, jobs))
        if draw.random() < 0.4 and world.revenue:
            faults += _plan(draw, world, jobs, log, cluster)
    except Undecided:
        return []
    return [f"{fault}\n{text}{world}\n{jobs}" for fault in faults[:1]] + faults[1:]


def _world(draw: random.Random) -> tuple[World, list[Job]]:
    is_pool = draw.random() < 0.5
    size = draw.choice((1, 2, 3))
    nodes = [draw.choice((1, 2, 4, 8))] if is_pool else draw.choices((2, 3, 4), k=size)
    idle = draw.choice((0.0, 1.0, 2.5))
    per_core = draw.choice((3.0, 8.0, 10.5))
    zone = draw.choice(("UTC", "Europe/Stockholm", "Asia/Kolkata", "America/New_York"))
    offset = int(datetime.fromisoformat(draw.choice(_BEGINS)).replace(tzinfo=UTC).timestamp())
    sleep = None
    if draw.random() < 0.4:
        sleep = Sleep(
            draw.choice((0, 600, HOUR)),
            draw.choice((0.0, idle)) if idle else 0.0,
            draw.choice((0, 120, 1800)),
            draw.choice((0.0, idle, 3 * idle + 1)),
            draw.choice((1, 2)) if is_pool else 1,
        )
    jobs = []
    for _ in range(draw.randint(1, 8)):
        # Some are of a shape, so that ties happen.
        units_of, units = draw.randint(1, 2), draw.randint(1, 3)
        if is_pool:
            units_of, units = 1, draw.randint(1, nodes[0])
        if units * units_of > sum(cores // units_of * units_of for cores in nodes):
            units = 1
        runtime = draw.choice((HOUR, 5 * HOUR, draw.randint(1, 30 * HOUR)))
        submit = draw.choice((0, 6 * HOUR, DAY, draw.randint(0, 2 * DAY)))
        jobs.append(Job(submit, runtime, units, units_of, per_core * units * units_of))
    jobs.sort(key=lambda job: job.submit)
    table = draw.random() < 0.5
    boots = 0.0 if sleep is None else sleep.boot_watts
    world = World(
        offset=offset,
        zone=zone,
        node_cores=nodes,
        is_pool=is_pool,
        price=_hours(draw, -20, 200),
        weekend_price=_hours(draw, -20, 80) if draw.random() < 0.3 else None,
        carbon=_hours(draw, 0, 500) if draw.random() < 0.5 else None,
        degrees=_hours(draw, -10, 35) if table else None,
        segment_degrees=draw.choice((0.0, 2.0, 5.0)),
        pue=[[1.0, 1.05, 1.1], [1.4, 1.3, 1.2]] if table else draw.choice((None, 1.3)),
        temperatures=[0.0, 30.0],
        loads=[0.0, 0.5, 1.0],
        round_to=draw.choice((0.0, 0.0, 5.0, 500.0)),
        rated=max(per_core, idle, boots) * sum(nodes),
        idle=idle,
        sleep=sleep,
        cap=None,
        revenue=draw.choice((0.0, 0.001, 0.05)),
    )
    if draw.random() < 0.4:  # no lower than what idle cores draw, which is refused
        least = idle * sum(nodes)
        world.cap = [least + draw.randint(0, 4) * per_core for _ in range(24)]
    return world, jobs


def _hours(draw: random.Random, least: int, most: int) -> list[float]:
    """24 values, few of them different, so that neighbours are often equal."""
    few = [draw.randint(2 * least, 2 * most) / 2 for _ in range(draw.randint(1, 5))]
    return [draw.choice(few) for _ in range(24)]


def _scenario(draw: random.Random, world: World) -> str:
    """The scenario as its users write it; prices now per MWh, now per kWh."""
    scale, unit = draw.choice(((1.0, "EUR/MWh"), (1e-3, "EUR/kWh")))
    lines = [f'zone = "{world.zone}"', "[price]", f'unit = "{unit}"']
    lines.append(f"hours = {[price * scale for price in world.price]}")
    if world.weekend_price is not None:
        lines.append(f"weekend = {[price * scale for price in world.weekend_price]}")
    if world.carbon is not None:
        lines += ["[carbon]", 'unit = "g/kWh"', f"hours = {world.carbon}"]
    if world.degrees is not None:
        lines += ["[climate]", 'unit = "°C"', f"hours = {world.degrees}"]
        lines.append(f"segment_degrees = {world.segment_degrees}")
    if isinstance(world.pue, list):
        lines += ["[cooling]", f"temperatures = {world.temperatures}", f"loads = {world.loads}"]
        lines += [f"pue = {world.pue}", f"round_to = {world.round_to}", 'outside = "nearest"']
    elif world.pue is not None:
        lines += ["[cooling]", f"pue = {world.pue}"]
    per_core = world.rated / world.cores
    lines += ["[jobs]", f"watts_per_core = {per_core}"]  # not used: the log has a column of power
    lines += ["[machine]", f"idle_watts_per_core = {world.idle}", f"rated_watts = {world.rated}"]
    if (sleep := world.sleep) is not None:
        lines += ["[sleep]", f"after = {sleep.after}", f"watts_per_core = {sleep.watts}"]
        lines += [f"boot_time = {sleep.boot_time}", f"boot_watts_per_core = {sleep.boot_watts}"]
        lines.append(f"cores_per_node = {sleep.cores_per_node}")
    if world.cap is not None:
        lines += ["[cap]", 'unit = "W"', f"hours = {world.cap}"]
    if world.revenue:
        lines += ["[revenue]", f"per_core_hour = {world.revenue}"]
    return "\n".join(lines) + "\n"


def _log(world: World, jobs: list[Job]) -> Workload:
    log = Workload.of([(job.submit, job.cores, job.runtime, job.runtime) for job in jobs])
    log = log.replace(start_time=world.offset, power=np.array([job.watts for job in jobs]))
    if world.is_pool:
        return log
    units = np.array([job.units for job in jobs])
    return log.replace(
        units=units, per_unit={"cores": np.array([job.cores_of_unit for job in jobs])}
    )


def _cluster(world: World) -> Cluster:
    if world.is_pool:
        return Cluster.pool(world.cores)
    groups = tuple(
        NodeGroup(f"n{i}", 1, {"cores": cores}) for i, cores in enumerate(world.node_cores)
    )
    return Cluster("few", groups)


def _placed(draw: random.Random, world: World, jobs: list[Job]) -> list[Placed]:
    """Any schedule that is possible: each job where there is room, some later than they could."""
    done: list[Placed] = []
    for job in jobs:
        late = draw.choice((0, 0, 1800, draw.randint(0, DAY)))
        moments = sorted({job.submit + late, *(p.end for p in done if p.end > job.submit + late)})
        for start in moments:
            end = start + job.runtime
            spread = _room(world, done, job, start, end)
            if spread is not None:
                done.append(Placed(job, start, end, spread))
                break
    return done


def _room(
    world: World, done: list[Placed], job: Job, start: int, end: int
) -> dict[int, int] | None:
    """Nodes for a job's units that are free for all of its time; None if there is no room."""
    beside = [p for p in done if p.start < end and p.end > start]
    if world.is_pool:
        used = sum(p.job.cores for p in beside)  # at once or not: nobody is placed too tightly
        return {} if used + job.cores <= world.cores else None
    left, found = job.units, {}
    for node, cores in enumerate(world.node_cores):
        used = sum(p.units_on.get(node, 0) * p.job.cores_of_unit for p in beside)
        if (count := min(left, (cores - used) // job.cores_of_unit)) > 0:
            found[node] = count
            left -= count
    return found if left == 0 else None


def _account(world: World, log: Workload, cluster: Cluster, placed: list[Placed]) -> list[str]:
    start = np.array([p.start for p in placed])
    end = np.array([p.end for p in placed])
    nodes = None if world.is_pool else Allocation.from_parts([p.units_on for p in placed])
    schedule = Schedule(start, end, allocation=nodes)
    faults = overfull(world, placed)  # of this front, not of the product
    awake = replace(cluster, energy=None)  # nodes that sleep start jobs late, in replays
    if not check_schedule(log, awake, schedule).ok:
        faults.append(f"check refuses a schedule: {check_schedule(log, awake, schedule)}")
    bill = Bill(world, placed, min(p.job.submit for p in placed), int(end.max()))
    wanted = bill.metrics()
    if not world.revenue:
        wanted = {name: v for name, v in wanted.items() if name not in ("revenue", "profit")}
    told = summarize(log, cluster, schedule, wanted)
    faults += _different("", wanted, told)
    found = account(log, cluster, schedule)
    rows = {row["day"]: row for row in by_day(found)}
    for day in bill.days():
        row = rows.pop(day.isoformat(), None)
        if row is None:
            faults.append(f"no row for {day}")
            continue
        faults += _different(
            f"on {day}, ", {k: v for k, v in bill.metrics(day).items() if k in row}, row
        )
    faults += [f"a row for {day}, on which there is nothing" for day in rows]
    costs = found.job_cost()
    assert costs is not None
    for k, one in enumerate(placed):
        faults += _different(
            f"job {k + 1}: ", {"cost": bill.cost_of(one)}, {"cost": float(costs[k])}
        )
    return faults


def _plan(
    draw: random.Random, world: World, jobs: list[Job], log: Workload, cluster: Cluster
) -> list[str]:
    method = draw.choice(_METHODS)
    found = plan_log(log, cluster, method, "50", seed=draw.randint(0, 99))
    schedule = found.schedule
    nodes = schedule.allocation
    placed = [
        Placed(job, int(start), int(start) + job.runtime, {} if nodes is None else nodes.of(k))
        for k, (job, start) in enumerate(zip(jobs, schedule.start.tolist(), strict=True))
    ]
    faults = [f"{method}: {fault}" for fault in overfull(world, placed)]
    faults += [
        f"{method}: job {k + 1} is early" for k, p in enumerate(placed) if p.start < p.job.submit
    ]
    if not schedule.ran.all():
        return [*faults, f"{method}: somebody never runs"]
    begins = [day.begin for day in found.days]
    for day in found.days:
        end = _next_midnight(world, day.begin)
        planned = [p for p in placed if day.begin <= p.start < end]
        running = [p for p in placed if p.start < day.begin < p.end]
        want = gain_of_day(world, planned, running, day.begin, end)
        faults += _different(
            f"{method}, the day from {day.begin}: ",
            {"gain": want, "started": len(planned)},
            {"gain": day.gain, "started": day.started},
        )
    if found.days and sum(day.started for day in found.days) != len(jobs):
        faults.append(f"{method}: the days' starts are not as many as the jobs; days at {begins}")
    return faults


def _next_midnight(world: World, midnight: int) -> int:
    today = world.local(midnight).date()
    time = midnight
    while world.local(time).date() == today:
        time += 900
    return time


def _different(where: str, wanted: dict[str, float], told: dict[str, float]) -> list[str]:
    return [
        f"{where}{name}: {told[name]!r}, by hand {value!r}"
        for name, value in wanted.items()
        if not isclose(float(told[name]), value, rel_tol=1e-9, abs_tol=1e-9)
    ]
