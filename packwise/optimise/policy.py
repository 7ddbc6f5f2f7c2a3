"""The optimising policy: every round is searched for the plan that serves a metric best."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from packwise.engine.users_arguments import COST_ARGUMENTS
from packwise.model.cluster import Cluster
from packwise.model.decision import Decision
from packwise.model.energy.cap import MEANING, PowerCap, parse_cap
from packwise.model.errors import InputError, PolicyFailed
from packwise.model.outlook import outlook
from packwise.model.run import RoundLog
from packwise.model.view import Power, View
from packwise.model.workload import NO_DEADLINE, Floats, Ints, Workload
from packwise.optimise.carried import noted, totals_of, up_to_date
from packwise.optimise.deadlines import DEADLINES, deadline_mode
from packwise.optimise.energy_rates import WHAT, Rates, rates_at, rates_between
from packwise.optimise.given_numbers import real, whole
from packwise.optimise.objectives import Objective, balanced, objective
from packwise.optimise.round import Round
from packwise.readable import parse_duration

if TYPE_CHECKING:
    from packwise.engine.expectation import Expectation
    from packwise.engine.memory import Group, State
    from packwise.engine.nodes.replay import OnNodes
    from packwise.engine.replay import Course, Progress
    from packwise.model.energy.scenario import EnergyScenario

DAY = 86400
#: Of the budget of a round, one in so many is for who is held back.
TRIES_PART = 5
_ENDS = ": 0 for small jobs, 1 for fairness and packing"
#: Meant so that nobody loses: see docs/balanced.md.
_BALANCED = balanced(0.5)


@dataclass(frozen=True)
class SearchPolicy:
    """Plans a round by searching over orders of the queue, within a budget of evaluations.

    The search starts from the best of the list plans and the last round's plan, and never returns a worse
    one. ``window``: how many jobs of a long queue are searched over; the rest is planned behind them.
    ``deadlines``: with ``hard``, the objective is that of the regular jobs, and a deadline that a plan has once
    met is kept; with ``soft``, lateness counts ten times what the delay of a regular job does.
    ``energy``: jobs are held back for cheaper hours, a core-hour of waiting being worth so many times what the
    energy of a core-hour costs on average; for at most ``delay`` seconds after their submission.
    """

    #: What of Packwise it needs compiled: see ``packwise.warm_up``.
    parts: ClassVar[tuple[str, ...]] = ("search",)
    #: The same for a machine of nodes, and what it needs besides to be asked round by round.
    node_parts: ClassVar[tuple[str, ...]] = ("node-search",)
    parts_to_decide: ClassVar[tuple[str, ...]] = ("experience", "plans")

    name: str = "packwise"
    objective: Objective = _BALANCED
    budget: int = 100
    window: int = 64
    temperature: float = 0.05
    seed: int = 0
    deadlines: str = "hard"
    energy: float | None = None
    energy_by: str = "cost"
    delay: int = DAY
    power_cap: PowerCap | None = None
    meaning: str = (
        "every round is searched for the plan that is best for a metric, from the best of the list plans "
        "and the last plan on"
    )
    source: str = "after Goponenko et al., DEBS 2024, section 2.3"

    parameters: ClassVar[Mapping[str, str]] = {
        "balance": "from 0 (small jobs) to 1 (fairness and packing), 0.5 by default; instead of an objective",
        "objective": "AF, AWF, BSLD, P2SF (any level), or a sum such as 0.7*AF+0.3*AWF; none by default",
        "budget": "orders tried in a round beside those it begins with, 100 by default",
        "search": "on, or off: the best of the list plans and the last plan",
        "window": "jobs of a long queue that are searched over, 64 by default",
        "local": "what is minimised in a round: tuned (default), metric, or, whatever the objective, weights "
        "such as r^0.5*E^-0.5*F^1.5",
        "temperature": "how readily the search accepts worse orders, 0.05 by default",
        "seed": "of the random numbers, 0 by default",
        "energy": "none by default; or what a core-hour of waiting is worth, against the mean cost of a "
        "core-hour's energy: jobs are held back where that pays, 0.3 for a good part of what can be saved",
        "energy_by": "cost (default), or carbon: what is saved",
        "delay": "how long after its submission a job may be held back, 24h by default",
        "deadlines": "hard (default): the objective is that of the regular jobs, and no deadline that the last "
        "plan kept is broken; soft: the delay of a late job counts ten times; or ignore",
        "power_cap": MEANING,
    }

    def with_parameters(self, name: str, given: Mapping[str, str]) -> SearchPolicy:
        """The policy that ``packwise(objective=AWF,budget=1000)`` names."""
        changed = replace(self, name=re.sub(r"\s+", "", name))
        if "balance" in given:
            clash = [key for key in ("objective", "local") if key in given]
            if clash:
                raise InputError(
                    f"policy '{name}': balance is instead of {clash[0]}, found both. Drop one."
                )
            changed = replace(
                changed, objective=balanced(real(name, "balance", given["balance"], 1.0, _ENDS))
            )
        elif "objective" in given or "local" in given:
            wanted = given.get("objective", "P2SF")
            changed = replace(
                changed, objective=objective(wanted, local=given.get("local", "tuned"))
            )
        changed = replace(
            changed,
            budget=whole(name, "budget", given.get("budget", str(self.budget)), 1),
            window=whole(name, "window", given.get("window", str(self.window)), 2),
            seed=whole(name, "seed", given.get("seed", str(self.seed)), 0),
            temperature=real(
                name, "temperature", given.get("temperature", str(self.temperature)), 100.0
            ),
            deadlines=deadline_mode(name, given.get("deadlines", self.deadlines)),
            power_cap=parse_cap(name, given.get("power_cap")),
        )
        changed = _with_energy(changed, name, given)
        match given.get("search", "on").lower():
            case "on":
                return changed
            case "off":
                if "budget" in given:
                    raise InputError(
                        f"policy '{name}': with search=off there is no budget. Drop one."
                    )
                return replace(changed, budget=0)
        raise InputError(f"policy '{name}': search should be on or off, found '{given['search']}'.")

    @property
    def seconds_per_job(self) -> float:
        """A guess, for who plans ahead: 160 and 500 us on KTH-SP2 with budgets of 20 and 100; more where a plan
        pays for newcomers.
        """
        return (60e-6 + 5e-6 * self.budget) * (3 if self.objective.learned else 1)

    def settings(self, procs: int, two_estimates: bool = False) -> Floats:
        """The settings as the kernels read them."""
        search = self.budget, self.window, self.temperature, self.seed
        mode = DEADLINES.index(self.deadlines)
        patience = self.objective.patience
        two = two_estimates and patience > 0
        return np.array([*search, mode, patience, procs, two], float)

    def _workspace(
        self,
        jobs: int,
        steps: int,
        rounds: int,
        resources: int,
        running: int = 0,
        rates: Rates | None = None,
    ) -> tuple[Group, ...]:
        from packwise.optimise.kernels.delays import new_power
        from packwise.optimise.kernels.search_round import NOTES
        from packwise.optimise.kernels.workspace import new_workspace

        terms = self.objective.table().shape
        notes = len(NOTES), rounds
        window = min(jobs, self.window)
        space = new_workspace(
            len(self.settings(0)), terms, notes, steps, jobs, window, running, resources
        )
        edges = 0 if rates is None else len(rates.edges)
        return *space, new_power(jobs, edges)

    def _fill(self, state: State, procs: int, two_estimates: bool, rates: Rates | None) -> Any:
        """Tell a state what is to be minimised. ``two_estimates``: a limit may be another than the estimate."""
        from packwise.optimise.kernels.workspace import AIM

        aim = state[AIM]
        aim.settings[:] = self.settings(procs, two_estimates)
        aim.terms[:] = self.objective.table()
        if self.energy is not None and rates is not None:
            self._fill_power(state, procs, rates)
        return aim

    def _fill_power(self, state: State, procs: int, rates: Rates) -> None:
        from packwise.optimise.kernels.delays import POWER

        power = state[POWER]
        power.settings[:] = (
            (self.energy or 0.0) * rates.mean,
            self.delay,
            self.budget // TRIES_PART,
            1.0 - self.objective.by_cores,
            math.sqrt(procs),
        )
        power.edges[:], power.sums[:] = rates.edges, rates.sums
        power.rates[:], power.low[:] = rates.rates, rates.low

    def replay(
        self,
        workload: Workload,
        expected: Expectation,
        cluster: Cluster,
        progress: Progress | None = None,
        nodes: OnNodes | None = None,
    ) -> Course:
        """The whole replay inside compiled code."""
        from packwise.engine.replay import Replay
        from packwise.engine.state import NOW
        from packwise.optimise.kernels.workspace import SPACE, WAITING

        jobs = len(workload)
        rounds = 2 * (jobs + len(cluster.outages)) + 2
        on_nodes = nodes is not None
        resources = len(cluster.resources) if on_nodes else 0
        rates = self._rates_of(workload, cluster)
        steps = min(jobs, cluster.procs) + 2
        space = self._workspace(jobs, steps, rounds, resources, rates=rates)
        kernels = _kernels(on_nodes)
        replay = Replay(workload, expected, cluster, *kernels, *space, nodes=nodes)
        learns = bool((expected.initial != workload.requested_time).any() or expected.learns)
        aim = self._fill(replay.state, cluster.procs, learns and not on_nodes, rates)
        aim.notes[:] = np.nan

        def failure(_: int) -> PolicyFailed:
            report, waiting = replay.state[SPACE].report, replay.state[WAITING]
            return self._bad_cost(int(replay.counters[NOW]), report, waiting)

        first = max(1, 25_000 // (self.budget + 1))
        course = replay.run(progress, rounds=first, failure=failure)
        log = course.rounds
        # Rounds on waking may be more than there was room for.
        said = np.full((len(aim.notes), len(log)), np.nan)
        said[:, : aim.notes.shape[1]] = aim.notes[:, : len(log)]
        log = RoundLog(log.time, log.queued, log.started, notes=_notes(said))
        return course._replace(rounds=log)

    def decide(self, view: View) -> Decision:
        """One round; the last plan comes with ``view.memory``."""
        from packwise.engine.decide import Asked
        from packwise.engine.kernel import BAD_COST
        from packwise.engine.state import MACHINE, QUEUE
        from packwise.optimise.kernels.search_round import NOTES
        from packwise.optimise.kernels.workspace import SPACE, WAITING

        on_nodes = view.nodes is not None and view.nodes.matter
        seen = outlook(view)
        memory = up_to_date(view.memory, view, seen.queue, self.objective)
        queue = memory.order
        demand = view.demand[queue]
        known = 0 if view.memory is None else int(np.isin(queue, view.memory.order).sum())
        if not len(queue):
            return Decision(memory=memory, never=seen.never)
        promise_due = self.deadlines != "ignore" and (
            (view.deadline[queue[known:]] != NO_DEADLINE).any()
        )
        if not on_nodes and int(demand.min()) > view.free and not promise_due:
            # Nothing to decide: the last plan, brought up to date.
            memory = noted(memory, view, self.objective, queue[known:], queue[:0])
            return Decision(planned=_planned(view, queue), memory=memory, never=seen.never)
        rates = self._rates_now(view)
        if not on_nodes and rates is None and int(demand.sum()) <= view.free:
            memory = noted(memory, view, self.objective, queue[known:], queue)
            after = memory.after(view, queue, queue[:0])
            return Decision(start=queue, memory=after, never=seen.never)
        balanced_on_pool = self.objective.patience > 0 and not on_nodes
        ends, back = memory.limits(view) if balanced_on_pool else (queue[:0], queue[:0])
        steps = len(seen.times) + len(ends) + 2
        space = self._workspace(len(queue), steps, 2, len(totals_of(view)), len(ends), rates)
        asked = Asked(view, seen, queue, known, *space)
        aim = self._fill(asked.state, view.procs, not on_nodes, rates)
        aim.experience[:] = memory.experience
        aim.standing[:] = memory.standing
        aim.lessons[:] = memory.lessons
        aim.until[: len(ends)], aim.given_back[: len(ends)] = ends, back
        aim.window[:] = 0, len(ends), 0
        count = asked.ask(_kernels(on_nodes)[0])
        report, waiting = asked.state[SPACE].report, asked.state[WAITING]
        if count == BAD_COST:
            raise self._bad_cost(view.now, report, waiting)
        order = asked.state[QUEUE].job[: len(queue)]
        plan, planned = queue[order], asked.state[MACHINE].planned[order]
        now = planned == view.now
        memory = memory._replace(standing=aim.standing.copy())
        return Decision(
            start=plan[now],
            planned=dict(zip(plan[~now].tolist(), planned[~now].tolist(), strict=True)),
            memory=memory.after(view, plan[now], plan[~now]),
            wake_at=_wake(asked.counters) if rates is not None else None,
            notes={name: float(value) for name, value in _notes(report[: len(NOTES)]).items()},
            never=seen.never,
            allocation=asked.nodes_of(order[now]) if on_nodes else {},
        )

    def _rates_of(self, workload: Workload, cluster: Cluster) -> Rates | None:
        """The rates of a whole replay; None where energy does not matter."""
        if self.energy is None:
            return None
        scenario = self._scenario(cluster.energy)
        rated = scenario.rated(workload, cluster.totals())
        begin, end = int(workload.submit[0]), int(workload.submit[-1])
        power = Power(scenario, scenario.clock(workload), rated)
        return rates_between(power, self.energy_by, begin, end)

    def _rates_now(self, view: View) -> Rates | None:
        """The rates that a round needs."""
        if self.energy is None:
            return None
        self._scenario(None if view.power is None else view.power.scenario)
        assert view.power is not None
        return rates_at(view.power, self.energy_by, view.now)

    def _scenario(self, scenario: EnergyScenario | None) -> EnergyScenario:
        if scenario is None:
            raise InputError(
                f"policy '{self.name}' holds jobs back for cheaper hours, and nobody tells what power costs. "
                "Name a scenario: --energy market."
            )
        return scenario

    def _bad_cost(self, now: int, report: Floats, jobs: Any) -> PolicyFailed:
        """What is wrong with a cost: ``jobs`` has columns of what costs may depend on."""
        from packwise.optimise.kernels.workspace import BAD_PLACE, BAD_START

        place = int(report[BAD_PLACE])
        if place < 0:
            return PolicyFailed(
                f"policy '{self.name}': the costs of all waiting jobs together are not a finite number at time "
                f"{now}. They are too large for floating point: divide by something."
            )
        known = {name: int(getattr(jobs, name)[place]) for name in COST_ARGUMENTS[2:]}
        known |= {"start": int(report[BAD_START]), "now": now}
        users = self.objective.users
        asked = COST_ARGUMENTS if users is None else users.arguments
        where = ", ".join(f"{name}={known[name]}" for name in asked)
        found = "" if users is None else f": it {users.outcome(known)}"
        return PolicyFailed(
            f"policy '{self.name}': the cost of a start is not a finite number at {where}{found}. A cost "
            "should be a finite number for every waiting job and every start from now on."
        )


def _wake(counters: Ints) -> int | None:
    """When the round asks to be woken."""
    from packwise.engine.state import NO_TIME, WAKE

    return None if counters[WAKE] == NO_TIME else int(counters[WAKE])


def _kernels(on_nodes: bool) -> tuple[Any, Any]:
    """Those of a round and of the room."""
    if on_nodes:
        from packwise.engine.nodes.room import nodes_and_pool_room
        from packwise.optimise.kernels.nodes_search_round import nodes_search_round

        return nodes_search_round, nodes_and_pool_room
    from packwise.engine.pool.room import pool_room
    from packwise.optimise.kernels.search_round import search_round

    return search_round, pool_room


def _planned(view: View, order: Ints) -> dict[int, int]:
    """When the waiting jobs would start, inserted in this order."""
    round = Round.from_view(view)
    place = {job: p for p, job in enumerate(round.job.tolist())}
    start = round.insert(np.array([place[job] for job in order.tolist()], np.int64))
    return {job: int(start[place[job]]) for job in order.tolist()}


def _notes(report: Floats) -> dict[str, Floats]:
    """What is said of a round, or of all: the report of the search, and the gap to the bound."""
    from packwise.optimise.kernels.search_round import NOTES

    said = dict(zip(NOTES, report, strict=True))
    cost = said["cost"]
    above = cost - said["bound"]
    return {**said, "gap": np.where(cost > 0, above / np.where(cost > 0, cost, 1.0), 0.0 * above)}


def _with_energy(policy: SearchPolicy, name: str, given: Mapping[str, str]) -> SearchPolicy:
    """The policy with what its parameters say of energy."""
    if "energy" not in given:
        extra = [key for key in ("energy_by", "delay") if key in given]
        if extra:
            raise InputError(f"policy '{name}': {extra[0]} is for energy=..., found none. Drop it.")
        return policy
    what = given.get("energy_by", policy.energy_by).lower()
    if what not in WHAT:
        raise InputError(f"policy '{name}': energy_by should be cost or carbon, found '{what}'.")
    return replace(
        policy,
        energy=real(name, "energy", given["energy"], 1000.0, ", the value of waiting"),
        energy_by=what,
        delay=parse_duration(given.get("delay", str(policy.delay)), f"policy '{name}': delay"),
    )
