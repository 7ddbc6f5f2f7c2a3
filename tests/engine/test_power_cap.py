"""Power caps: small cases by hand, the search under a cap, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packwise import Cluster, Decision, Workload, check_policy, check_schedule, simulate
from packwise.clusters.finding import find_cluster
from packwise.energy.finding import find_energy
from packwise.metrics.energy.account import account
from packwise.model.dispatch_time import DispatchTime
from packwise.model.energy.cap import PowerLimit, _ahead
from packwise.model.energy.job_power import Draw, JobPower
from packwise.model.energy.scenario import EnergyScenario
from packwise.model.energy.series import Constant, Series
from packwise.model.errors import InputError, JobTooLarge, OverAllocation
from packwise.registry import FunctionPolicy, estimate, policy
from packwise.workloads.accelerated import generate_accelerated
from packwise.workloads.lublin import generate
from tests.lanes import broad

TEN = JobPower((Draw("cores", 10.0, 10.0),))


def pool(procs: int, cap, idle: float = 2.0) -> Cluster:
    """Jobs draw 10 W a core. ``cap``: watts, or watts from times on."""
    if isinstance(cap, dict):
        times = np.array(list(cap))
        signal = Series(times, np.array(list(cap.values()), float), 10**7, "W")
    else:
        signal = Constant(float(cap), "W")
    energy = EnergyScenario("capped", jobs=TEN, idle_watts=idle, cap=signal)
    return replace(Cluster.pool(procs), energy=energy)


def starts(jobs, cluster, name, believed="requested", **options) -> list[int]:
    workload = Workload.of(jobs).replace(start_time=0)
    runs = [
        simulate(workload, cluster, policy(name), estimate(believed), stepped=step, **options)
        for step in (False, True)
    ]
    assert runs[0].schedule.start.tolist() == runs[1].schedule.start.tolist()
    return runs[0].schedule.start.tolist()


EVERY = ["easy", "list-reg", "fcfs", "cbf", "packwise"]


@pytest.mark.parametrize("name", EVERY)
def test_two_of_three_jobs_at_a_time(name) -> None:
    """10 cores draw 20 W idle; a job of 3 cores adds 24 W. 70 W are enough for two of them, not for three."""
    jobs = [(0, 3, 10, 10)] * 3
    assert starts(jobs, pool(10, 70), name) == [0, 0, 0]
    capped = starts(jobs, pool(10, 70), f"{name}(power_cap=on)")
    assert capped == [0, 0, 10]
    assert starts(jobs, pool(10, 1e6), f"{name}(power_cap=70W)") == capped
    assert starts(jobs, pool(10, 70), f"{name}(power_cap=0.092kW)") == [0, 0, 0]


@pytest.mark.parametrize("name", EVERY)
def test_who_waits_is_woken_when_the_cap_rises(name) -> None:
    """Nothing else happens at 50."""
    assert starts([(0, 5, 10, 10)], pool(10, {0: 30, 50: 80}), f"{name}(power_cap=on)") == [50]


@pytest.mark.parametrize("name", ["easy", "list-reg", "cbf", "packwise"])
def test_nobody_starts_who_would_run_into_a_lower_cap(name) -> None:
    """From 20 to 60 there is power for one core. The first job ends before; the second would not."""
    cluster = pool(10, {0: 100, 20: 28, 60: 100})
    jobs = [(0, 4, 15, 20), (1, 4, 15, 25), (2, 1, 100, 100)]
    assert starts(jobs, cluster, f"{name}(power_cap=on)") == [0, 60, 2]


def test_easy_backfills_by_power_as_by_processors() -> None:
    """Job 2 waits for power until 10. Job 3 would keep it from that, job 4 would not."""
    jobs = [(0, 4, 10, 10), (1, 5, 10, 10), (2, 3, 20, 20), (3, 3, 5, 5)]
    assert starts(jobs, pool(12, 24 + 60), "easy(power_cap=on)") == [0, 10, 20, 3]


@pytest.mark.parametrize("name", ["list-reg", "cbf"])
def test_who_draws_less_may_be_planned_before_who_is_as_wide_and_long(name) -> None:
    """100 W, of which the first two draw 50 until 100 and 20 until 50. The third needs 60, so from 100 on; the
    fourth 40, from 50 on. The fifth would need 25 until 61 and has to wait for the fourth.
    """
    jobs = [(0, 1, 100, 100), (0, 1, 50, 50), (1, 1, 10, 10), (1, 1, 10, 10), (1, 1, 60, 60)]
    power = np.array([50.0, 20.0, 60.0, 40.0, 25.0])
    workload = Workload.of(jobs).replace(start_time=0, power=power)
    chosen, cluster = policy(f"{name}(power_cap=on)"), pool(10, 100, idle=0.0)
    for stepped in (False, True):
        run = simulate(workload, cluster, chosen, stepped=stepped)
        assert run.schedule.start[:4].tolist() == [0, 0, 100, 50]
        assert run.schedule.start[4] >= 60


def test_a_cap_that_falls_below_what_runs_is_counted_and_nobody_starts() -> None:
    """Job 1 was believed to be gone by 20. While it runs on, there is less than nothing for job 2."""
    cluster = pool(10, {0: 100, 20: 40, 40: 100})
    jobs = [(0, 8, 30, 40), (25, 1, 5, 5)]
    workload = Workload.of(jobs).replace(start_time=0)
    run = simulate(workload, cluster, policy("easy(power_cap=on)"), estimate("exact*0.5"))
    assert run.schedule.start.tolist() == [0, 30]
    assert account(workload, cluster, run.schedule).over_cap == 10
    stepped = simulate(
        workload, cluster, policy("easy(power_cap=on)"), estimate("exact*0.5"), stepped=True
    )
    assert stepped.schedule.start.tolist() == [0, 30]


LOG = generate(120, 32, 3, load=0.8)


@pytest.mark.parametrize("believed", broad(["exact", "requested", "last2"]))
@pytest.mark.parametrize(
    "options",
    broad(["", ",energy=0.1", ",objective=BSLD", ",energy=0.1,objective=AF,deadlines=ignore"]),
)
def test_the_search_keeps_to_it(options, believed) -> None:
    """By day less may be drawn than at night: with limits nobody comes to be above it."""
    energy = find_energy("market")
    hours = LOG.start_time - LOG.start_time % 86400 + 43200 * np.arange(800)
    cap = Series(hours, np.tile([300.0, 180.0], 400), int(hours[-1]) + 43200, "W")
    energy = replace(energy, idle_watts=1.0, cap=cap, price=find_energy("day-night").price)
    cluster = replace(Cluster.pool(32), energy=energy)
    chosen = policy(f"packwise(power_cap=on,budget=30{options})")
    runs = [
        simulate(LOG, cluster, chosen, estimate(believed), stepped=step, reject_too_large=True)
        for step in (False, True)
    ]
    assert runs[0].schedule.start.tolist() == runs[1].schedule.start.tolist()
    assert runs[0].rounds.time.tolist() == runs[1].rounds.time.tolist()
    log, schedule = runs[0].workload, runs[0].schedule
    assert check_schedule(log, cluster, schedule).ok
    over = account(log, cluster, schedule).over_cap
    assert over == 0 or believed == "last2"
    free = simulate(log, cluster, policy("packwise(budget=30)"), estimate(believed))
    assert account(log, cluster, free.schedule).over_cap > 0


@pytest.mark.parametrize("name", ["easy", "cbf", "packwise"])
def test_a_cap_on_a_cluster_of_nodes(name) -> None:
    nodes = find_cluster("eurora")
    jobs = generate_accelerated(120, nodes, 2)
    energy = EnergyScenario("capped", jobs=TEN, cap=Constant(nodes.procs * 4.0, "W"))
    cluster = replace(nodes, energy=energy)
    chosen = policy(f"{name}(power_cap=on)")
    runs = [simulate(jobs, cluster, chosen, stepped=step) for step in (False, True)]
    assert runs[0].schedule.start.tolist() == runs[1].schedule.start.tolist()
    assert check_schedule(jobs, cluster, runs[0].schedule).ok
    assert account(jobs, cluster, runs[0].schedule).over_cap == 0
    free = simulate(jobs, cluster, policy(name))
    assert account(jobs, cluster, free.schedule).over_cap > 0
    assert runs[0].schedule.end.max() >= free.schedule.end.max()


def test_decisions_that_take_time_are_void_when_the_cap_falls_meanwhile() -> None:
    cluster = pool(10, {0: 100, 5: 28, 60: 100})
    workload = Workload.of([(3, 4, 1, 1)]).replace(start_time=0)
    slow = DispatchTime(per_round=3.0)
    run = simulate(workload, cluster, policy("easy(power_cap=on)"), charge=slow)
    assert run.schedule.start.tolist() == [63]


def test_a_view_with_a_job_that_can_never_run() -> None:
    """A live host may show one: nobody plans for it."""

    class Asked:
        name, power_cap, seen = "asked", "scenario", None

        def decide(self, view):
            if not view.queue.size:
                return Decision()
            limit = view.cap._replace(draw=np.array([10**9, *view.cap.draw[1:]]))
            shown = view._replace(cap=limit, memory=None)
            for name in ("easy", "list-saf", "cbf", "packwise"):
                decision = policy(f"{name}(power_cap=on)").decide(shown)
                assert list(decision.never) == [0]
                assert list(decision.start) == [1]
            return Decision(start=view.queue)

    workload = Workload.of([(0, 3, 10, 10)] * 2)
    assert simulate(workload, pool(10, 70), Asked()).schedule.start.tolist() == [0, 0]


class Careless:
    """Starts whoever fits by processors."""

    name = "careless"
    power_cap = 70.0

    def decide(self, view) -> Decision:
        assert view.cap.left(view.now, view.running) <= 50_000
        return Decision(start=view.queue)


def test_the_referee_looks_at_power() -> None:
    workload = Workload.of([(0, 3, 10, 10)] * 3)
    with pytest.raises(
        OverAllocation, match="draws 24 W more than its cores do idle; the power cap leaves 2 W"
    ):
        simulate(workload, pool(10, 1000), Careless())
    assert (
        simulate(workload.select(np.arange(2)), pool(10, 1000), Careless()).schedule.start.max()
        == 0
    )


class Odd(Careless):
    power_cap = "much"


@pytest.mark.parametrize(
    ("name", "cluster", "words"),
    [
        ("easy(power_cap=on)", Cluster.pool(10), "--energy market"),
        ("easy(power_cap=70W)", Cluster.pool(10), "nobody tells what jobs draw"),
        (
            "cbf(power_cap=on)",
            replace(Cluster.pool(10), energy=find_energy("market")),
            r"has no \[cap\].*power_cap=250kW",
        ),
        (
            "packwise(power_cap=on)",
            pool(10, 15),
            "above what the machine draws with no job on it, 20 W",
        ),
        ("packwise(power_cap=10W)", pool(10, 15), "found 10 W at"),
        ("easy(power_cap=on)", pool(10, {0: 100, 9: 10}), "found 10 W at 1970-01-01 00:00:09"),
    ],
)
def test_what_is_refused(name, cluster, words) -> None:
    workload = Workload.of([(0, 3, 10, 10)]).replace(start_time=0)
    for stepped in (False, True):
        with pytest.raises(InputError, match=words):
            simulate(workload, cluster, policy(name), stepped=stepped)


@pytest.mark.parametrize("text", ["0kW", "-5W", "lots", "5", "5 EUR", "nanW", "", "1e400W", "..W"])
@pytest.mark.parametrize("name", ["easy", "cbf", "packwise"])
def test_caps_that_are_none(name, text) -> None:
    with pytest.raises(InputError, match=r"power_cap should be on|expected parameter=value"):
        policy(f"{name}(power_cap={text})")


def test_policies_that_cannot_keep_to_a_cap() -> None:
    with pytest.raises(InputError, match="power_cap"):
        policy("dbf(power_cap=on)")
    with pytest.raises(InputError, match="should be 'scenario' or watts, found 'much'"):
        simulate(Workload.of([(0, 3, 10, 10)]), pool(10, 100), Odd())


def test_jobs_that_can_never_run() -> None:
    workload = Workload.of([(0, 3, 10, 10), (0, 9, 10, 10)])
    with pytest.raises(JobTooLarge, match=r"job 2 draws 72 W more .* leaves 50 W at most"):
        simulate(workload, pool(10, 70), policy("easy(power_cap=on)"))
    run = simulate(workload, pool(10, 70), policy("easy(power_cap=on)"), reject_too_large=True)
    assert run.rejected.tolist() == [2]


NIGHTS = 43200 * np.arange(100)


def nights() -> Cluster:
    """80 W for twelve hours of each day, else 30 W."""
    series = Series(NIGHTS, np.tile([80.0, 30.0], 50), int(NIGHTS[-1]) + 43200, "W")
    energy = EnergyScenario("nights", jobs=TEN, idle_watts=2.0, cap=series)
    return replace(Cluster.pool(10), energy=energy)


@pytest.mark.parametrize("name", ["easy", "cbf", "packwise"])
def test_a_job_that_never_has_enough_for_long_enough_is_named(name) -> None:
    """Twelve hours are 43,200 s."""
    workload = Workload.of([(0, 4, 43_201, 43_201), (5, 1, 60, 60)]).replace(start_time=0)
    chosen = policy(f"{name}(power_cap=on)")
    with pytest.raises(
        JobTooLarge, match=r"job 1 draws 32 W .* never leaves as much for the 12.* h"
    ):
        simulate(workload, nights(), chosen)
    run = simulate(workload, nights(), chosen, reject_too_large=True)
    assert run.rejected.tolist() == [1]
    assert simulate(workload, nights(), chosen, estimate("exact*0.99")).schedule.start[0] == 0
    # Who learns does not know at first; what is learned may turn out to be too long.
    for stepped in (False, True):
        with pytest.raises(
            InputError, match=r"job 1 ends at 1970.*the power cap is known until 1970"
        ):
            simulate(workload, nights(), chosen, estimate("last2"), stepped=stepped)


@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(0, 5)), min_size=2, max_size=12), st.data()
)
def test_how_long_so_much_may_be_drawn(steps, data) -> None:
    lengths, budget = zip(*steps, strict=True)
    times = np.cumsum([0, *lengths[:-1]])
    draw = data.draw(st.integers(0, 6))
    limit = PowerLimit(times, np.array([*budget[:-1], max(budget)]), np.array([draw]))
    by_second = "".join(
        "x" if level >= draw else " "
        for level, length in zip(budget[:-1], np.diff(times).tolist(), strict=True)
        for _ in range(length)
    )
    assert limit.longest(limit.draw)[0] == max(map(len, by_second.split(" ")))


def test_a_cap_that_tells_nothing_of_the_time_is_refused() -> None:
    series = Series(np.array([0, 100]), np.array([80.0, 90.0]), 200, "W")
    energy = EnergyScenario("short", jobs=TEN, cap=series)
    workload = Workload.of([(0, 4, 10, 10), (500, 1, 60, 60)]).replace(start_time=0)
    with pytest.raises(InputError, match="a value is needed at"):
        simulate(workload, replace(Cluster.pool(10), energy=energy), policy("easy(power_cap=on)"))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["easy", "cbf", "packwise", "packwise(energy=0.1)"])
def test_the_contract_is_kept_under_a_cap(name) -> None:
    written = f"{name[:-1]},power_cap=on)" if "(" in name else f"{name}(power_cap=on)"
    report = check_policy(policy(written), jobs=12)
    assert report.ok, report.problems


def cautious(view):
    """Starts in order, while there are processors and power."""
    left, free, start = view.cap.left(view.now, view.running), view.free, []
    for job in view.queue.tolist():
        if view.demand[job] <= free and view.cap.draw[job] <= left:
            start.append(job)
            free -= view.demand[job]
            left -= view.cap.draw[job]
    return Decision(start=start)


cautious.power_cap = "scenario"


def test_a_function_keeps_to_a_cap_and_is_asked_when_it_rises() -> None:
    """Nobody but the host thinks of 100."""
    cluster = pool(10, {0: 60, 100: 100})
    workload = Workload.of([(0, 4, 10, 10), (0, 6, 10, 10)]).replace(start_time=0)
    run = simulate(workload, cluster, FunctionPolicy("cautious", cautious))
    assert run.schedule.start.tolist() == [0, 100]


@pytest.mark.parametrize("name", ["cautious", "easy", "cbf", "packwise"])
def test_a_cap_that_rises_while_a_decision_takes_time(name) -> None:
    """At 5, while the first round takes until 10. So there is another one at 10, and not one at 5."""
    cluster = pool(10, {0: 30, 5: 80})
    workload = Workload.of([(0, 5, 10, 10), (40, 1, 1, 1)]).replace(start_time=0)
    chosen = (
        FunctionPolicy(name, cautious) if name == "cautious" else policy(f"{name}(power_cap=on)")
    )
    run = simulate(workload, cluster, chosen, charge=DispatchTime(per_round=10.0))
    assert run.rounds.time.tolist() == [0, 10, 30, 40, 51]
    assert run.schedule.start.tolist() == [20, 50]


def test_a_decision_that_took_time_may_not_run_into_a_lower_cap() -> None:
    cluster = pool(10, {0: 100, 50: 28, 100: 100})
    workload = Workload.of([(0, 1, 1, 1), (0, 4, 50, 50)]).replace(start_time=0)
    slow = DispatchTime(per_round=10.0)
    run = simulate(workload, cluster, policy("easy(power_cap=on)"), charge=slow)
    assert run.schedule.start[1] >= 100


def test_who_draws_nothing_more_may_start_above_the_cap() -> None:
    cluster = pool(10, {0: 100, 20: 40, 40: 100}, idle=10.0 / 3)
    workload = Workload.of([(0, 8, 30, 40), (25, 3, 5, 5)]).replace(
        start_time=0, power=np.array([80.0, 10.0])
    )
    for stepped in (False, True):
        run = simulate(
            workload, cluster, policy("easy(power_cap=on)"), estimate("exact*0.5"), stepped=stepped
        )
        assert run.schedule.start.tolist() == [0, 30]  # of processors there are two


@pytest.mark.parametrize("cap", [np.int64(70), np.float32(70), 70, 70.0])
def test_watts_of_any_kind(cap) -> None:
    workload = Workload.of([(0, 3, 10, 10)] * 3).replace(start_time=0)
    run = simulate(workload, pool(10, 1e6), replace(policy("easy"), power_cap=cap))
    assert run.schedule.start.tolist() == [0, 0, 10]


@pytest.mark.parametrize("cap", [True, 10**400, float("nan"), np.array([1.0, 2.0]), [], "70"])
def test_caps_of_no_kind(cap) -> None:
    with pytest.raises(InputError, match="power_cap should be 'scenario' or watts"):
        simulate(
            Workload.of([(0, 3, 10, 10)]), pool(10, 100), replace(policy("easy"), power_cap=cap)
        )


def test_a_cap_that_nobody_reaches() -> None:
    workload = Workload.of([(0, 3, 10, 10)])
    run = simulate(workload, pool(10, 100), policy("easy(power_cap=999999999999999999MW)"))
    assert run.schedule.start.tolist() == [0]


@pytest.mark.parametrize("values", [[90.0, 90.0], [80.0, 90.0]])
def test_a_series_that_ends(values) -> None:
    """A limit that is longer than the series is no reason to leave a job out; to run on after it is."""
    series = Series(np.array([0, 100]), np.array(values), 1000, "W")
    cluster = replace(Cluster.pool(10), energy=EnergyScenario("short", jobs=TEN, cap=series))
    easy = policy("easy(power_cap=on)")
    within = Workload.of([(0, 4, 900, 5000)]).replace(start_time=0)
    assert simulate(within, cluster, easy).schedule.start.tolist() == [0]
    beyond = Workload.of([(0, 4, 1001, 5000)]).replace(start_time=0)
    with pytest.raises(InputError, match="the power cap is known until 1970-01-01 00:16:40"):
        simulate(beyond, cluster, easy)


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 5)), min_size=1, max_size=9), st.data())
def test_the_least_of_some_time(steps, data) -> None:
    lengths, budget = zip(*steps, strict=True)
    times = np.cumsum([0, *lengths[:-1]])
    by_second = np.repeat(budget, lengths).tolist()
    begin = data.draw(st.integers(0, len(by_second) - 1))
    length = data.draw(st.integers(1, len(by_second) - begin))
    limit = PowerLimit(times, np.array(budget), np.array([1]))
    assert limit.lowest(begin, length) == min(by_second[begin : begin + length])
    ahead, least = _ahead(times, np.array(budget), length)
    found = least[np.searchsorted(ahead, begin, "right") - 1]
    assert found == min(by_second[begin : begin + length + 1])
