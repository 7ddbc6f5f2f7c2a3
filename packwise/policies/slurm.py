"""Slurm's scheduler as a policy of replays: multifactor priority, main pass and backfill pass.

The settings are those of the cluster's ``slurm.conf``, where it has one, and Slurm's own defaults; each can be
replaced: ``slurm(bf_window=4320,PriorityWeightAge=0)``. How far it is from real runs is measured in
``docs/benchmarks-slurm.md``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

from packwise.model.cluster import Cluster
from packwise.model.decision import Decision
from packwise.model.errors import InputError
from packwise.model.outlook import outlook
from packwise.model.slurm_settings import ALIASES, SETTINGS, SlurmSettings, check_setting
from packwise.model.view import View
from packwise.model.workload import Ints, Workload
from packwise.policies.slurm_site import Site, site_of

if TYPE_CHECKING:
    from packwise.engine.expectation import Expectation
    from packwise.engine.nodes.replay import OnNodes
    from packwise.engine.replay import Course, Progress


_NOBODY = np.empty(0, np.int64)


class Remembered(NamedTuple):
    """Between rounds: who ran, which nodes were out, and what Slurm keeps (see ``engine.slurm.group.KEPT``).
    ``priority``: the keys by which those who wait are sorted, by job; ``ends`` and ``starts``: when running
    ones were expected to end, and when they began.
    """

    running: Ints
    out: Ints
    kept: Mapping[str, Any]
    priority: Mapping[int, float]
    ends: Mapping[int, int]
    starts: Mapping[int, int]


@dataclass(frozen=True)
class SlurmPolicy:
    """``given``: settings that replace those of the cluster."""

    #: What of Packwise it needs compiled: see ``packwise.warm_up``.
    parts: ClassVar[tuple[str, ...]] = ("slurm",)
    #: The same for a machine of nodes.
    node_parts: ClassVar[tuple[str, ...]] = ("node-slurm",)
    #: A reservation keeps whole nodes: it always matters on which jobs are.
    nodes_matter: ClassVar[bool] = True
    #: Slurm takes the first nodes that there are, those of the least weight.
    placement: ClassVar[str] = "first-fit"
    parameters: ClassVar[Mapping[str, str]] = {
        **{name: setting.meaning for name, setting in SETTINGS.items()},
        **{name: f"as {ALIASES[name]}" for name in ALIASES},
    }

    name: str = "slurm"
    given: Mapping[str, str] = field(default_factory=dict, hash=False)
    meaning: str = (
        "Slurm's multifactor priority with its main and backfill passes, settings by slurm.conf"
    )
    source: str = (
        "slurm.schedmd.com: Multifactor Priority, Fair Tree, Scheduling Configuration Guide"
    )
    site: Site | None = field(default=None, compare=False, repr=False)

    def with_parameters(self, name: str, given: Mapping[str, str]) -> Self:
        """The policy that ``slurm(bf_window=4320)`` names."""
        try:
            found = self.changed(given)
        except InputError as error:
            raise InputError(f"policy '{name}': {error}") from error
        return replace(found, name=re.sub(r"\s+", "", name))

    def changed(self, given: Mapping[str, str]) -> Self:
        """With some settings replaced, by name in any case."""
        found = {ALIASES.get(key.lower(), key.lower()): value for key, value in given.items()}
        for key, value in found.items():
            check_setting(key, value)
        given = {**self.given, **found}
        told = ",".join(f"{SETTINGS[key].name}={value}" for key, value in given.items())
        return replace(self, name=f"slurm({told})" if told else self.name, given=given)

    def bound(self, workload: Workload, cluster: Cluster) -> Self:
        """For the jobs of a workload on a cluster."""
        settings = SlurmSettings(cluster.scheduler).changed(self.given)
        return replace(self, site=site_of(workload, cluster, settings))

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
        from packwise.engine.state import POLICY

        site = self._site()
        everybody = np.arange(len(workload))
        kernels = _kernels(nodes is not None)
        group = site.group(len(workload))
        replay = Replay(workload, expected, cluster, *kernels, group, nodes=nodes)
        site.fill(replay.state[POLICY], everybody)
        site.begin(replay.state[POLICY])
        return replay.run(progress)

    def decide(self, view: View) -> Decision:
        """One round: those of the passes that are due. What Slurm knows comes with ``view.memory``."""
        from packwise.engine.decide import Asked
        from packwise.engine.slurm.group import FREED, KEPT
        from packwise.engine.slurm.priority import account_for_ends
        from packwise.engine.state import (
            ARRIVED,
            NEW,
            NO_TIME,
            OVERRAN,
            POLICY,
            QUEUE,
            QUEUE_HI,
            TAKEN,
            WAKE,
        )

        site = self._site()
        seen = outlook(view)
        memory: Remembered | None = view.memory
        on_nodes = view.nodes is not None and view.nodes.matter
        known = {} if memory is None else memory.priority
        known_starts = {} if memory is None else memory.starts
        here = set(view.running.tolist())
        old = np.array([job for job in seen.queue.tolist() if job in known], np.int64)
        new = np.setdiff1d(seen.queue, old)
        coming = view.submit[new] >= view.now  # the others had to go, and wait again
        keys = np.array([known[job] for job in old.tolist()], np.float64)
        order = np.concatenate([old[np.lexsort((old, keys))], new[~coming], new[coming]])
        asked = Asked(view, seen, order, len(old), site.group(len(order)))
        slurm, queue, c = asked.state[POLICY], asked.state[QUEUE], asked.counters
        site.fill(slurm, order)
        ended = view.running[:0]
        if memory is None:
            site.begin(slurm)
            slurm.clock[FREED] = int((_out(view) > 0).any())
        else:
            for name in KEPT:
                getattr(slurm, name)[:] = memory.kept[name]
            ended = np.setdiff1d(memory.running, view.running)
            begun = np.array([memory.starts[job] for job in ended.tolist()], np.int64)
            account_for_ends(
                asked.state.address, site.owner[ended], site.demand[ended], begun, view.now
            )
            again = not np.array_equal(_out(view), memory.out)
            slurm.clock[FREED] = int(len(ended) > 0 or again)
            c[OVERRAN] = any(
                end > memory.ends.get(job, end)
                for job, end in zip(view.running.tolist(), view.expected_end.tolist(), strict=True)
            )
        places = np.arange(len(old))
        queue.job[places] = places
        queue.demand[places] = view.demand[order[places]]
        queue.estimate[places] = seen.estimate[np.searchsorted(seen.queue, order[places])]
        queue.first[places] = np.sort(keys)
        queue.second[places] = order[places]
        c[[QUEUE_HI, TAKEN, NEW, ARRIVED]] = (
            len(old),
            len(old),
            len(order) - int(coming.sum()),
            len(order),
        )
        count = asked.ask(_kernels(on_nodes)[0])
        picked = asked.picked(count)
        start = order[picked]
        later = asked.machine.planned > view.now
        later[picked] = False
        waiting = queue.job[: c[QUEUE_HI]]
        left = ~np.isin(waiting, picked)
        keyed = zip(
            order[waiting[left]].tolist(), queue.first[: c[QUEUE_HI]][left].tolist(), strict=True
        )
        return Decision(
            start=start,
            planned=dict(
                zip(order[later].tolist(), asked.machine.planned[later].tolist(), strict=True)
            ),
            wake_at=None if c[WAKE] == NO_TIME else int(c[WAKE]),
            memory=Remembered(
                np.concatenate([view.running, start]),
                _out(view),
                {name: getattr(slurm, name).copy() for name in KEPT},
                dict(keyed),
                dict(zip(view.running.tolist(), view.expected_end.tolist(), strict=True))
                | {int(job): view.now + int(view.estimate[job]) for job in start},
                {job: begun for job, begun in known_starts.items() if job in here}
                | dict.fromkeys(start.tolist(), view.now),
            ),
            never=seen.never,
            allocation=asked.nodes_of(picked) if on_nodes else {},
        )

    def plan_of(self, view: View, decision: Decision) -> dict[int, int]:
        """What a backfill pass would plan at this round, were it due: when those who go on waiting start. Who
        would start then does so when the next pass is due.
        """
        from packwise.engine.slurm.group import BF_DUE
        from packwise.engine.state import NO_TIME

        memory: Remembered | None = view.memory
        if memory is None:
            return dict(decision.planned)
        clock = memory.kept["clock"].copy()
        clock[BF_DUE] = view.now
        due = memory._replace(kept={**memory.kept, "clock": clock})
        found = self.decide(view._replace(memory=due))
        after = int(decision.memory.kept["clock"][BF_DUE])
        beat = view.now + 1 if after == NO_TIME else max(after, view.now + 1)
        started = set(np.asarray(decision.start, np.int64).tolist())
        then = [job for job in np.asarray(found.start).tolist() if job not in started]
        plan = {**found.planned, **dict.fromkeys(then, beat)}
        return {job: start for job, start in plan.items() if job not in started}

    def _site(self) -> Site:
        if self.site is None:
            raise InputError(
                f"policy '{self.name}' is for replays: it has to know the jobs' accounts and partitions."
            )
        return self.site


def _out(view: View) -> Ints:
    return _NOBODY if view.nodes is None else view.nodes.out


def _kernels(on_nodes: bool) -> tuple[Any, Any]:
    """Those of a round and of the room."""
    if on_nodes:
        from packwise.engine.nodes.room import nodes_and_pool_room
        from packwise.engine.slurm.on_nodes import nodes_slurm_round

        return nodes_slurm_round, nodes_and_pool_room
    from packwise.engine.pool.room import pool_room
    from packwise.engine.slurm.on_pool import slurm_round

    return slurm_round, pool_room
