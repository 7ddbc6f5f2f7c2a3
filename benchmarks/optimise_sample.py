"""Hard rounds, sampled from a replay and kept, so that every run looks at the same ones."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np

from packwise import Decision, View, load_workload, simulate
from packwise.files.output import atomic_output
from packwise.model.workload import NO_DEADLINE
from packwise.optimise.round import Round
from packwise.registry import estimate, policy

ROUNDS = 300
FEWEST, MOST = 10, 100
_SEED = 1
_PLAIN = ("now", "procs")
_ARRAYS = ("job", "submit", "demand", "estimate", "times", "free")


def hard_rounds(traces: Path, log: str, folder: Path) -> list[Round]:
    """300 rounds in random order: some can start, not all, and 10 to 100 wait. Estimates are exact."""
    path = folder / f"rounds-{log}.json"
    if not path.exists():
        loaded = load_workload(traces / f"{log}.swf.gz")
        sampler = _Sampler()
        simulate(loaded.workload, loaded.cluster, sampler, estimate("exact"))
        rounds = [
            {
                **{name: getattr(round, name) for name in _PLAIN},
                **{name: getattr(round, name).tolist() for name in _ARRAYS},
            }
            for round in sampler.chosen()
        ]
        with atomic_output(path) as file:
            file.write(json.dumps(rounds).encode())
    return [
        Round(
            **{
                name: value if name in _PLAIN else np.array(value, np.int64)
                for name, value in round.items()
            }
        )
        for round in json.loads(path.read_text())
    ]


class _Sampler:
    """List-REG, which keeps some of its hard rounds, each as likely as any other."""

    name = "list-reg"

    def __init__(self) -> None:
        self._policy = policy("list-reg")
        self._random = random.Random(_SEED)
        self._seen = 0
        self._kept: list[Round] = []

    def decide(self, view: View) -> Decision:
        demand = view.demand[view.queue]
        if FEWEST <= len(demand) <= MOST and demand.min() <= view.free < demand.sum():
            self._seen += 1
            place = len(self._kept)
            if place == ROUNDS:
                place = self._random.randrange(self._seen)
            if place < ROUNDS:
                self._kept[place : place + 1] = [Round.from_view(view)]
        return self._policy.decide(view)

    def chosen(self) -> list[Round]:
        return self._random.sample(self._kept, len(self._kept))


def view_of(round: Round) -> View:
    """A view that shows this round: the waiting jobs, and one running job per later step."""
    released = np.diff(round.free)
    none = np.zeros(len(round) + len(released), np.int64)
    estimate = np.concatenate([round.estimate, round.times[1:] - round.now])
    return View(
        now=round.now,
        procs=round.procs,
        free=int(round.free[0]),
        queue=np.arange(len(round)),
        running=np.arange(len(round), len(none)),
        expected_end=round.times[1:],
        submit=np.concatenate([round.submit, np.full(len(released), round.now)]),
        demand=np.concatenate([round.demand, released]),
        estimate=estimate,
        limit=estimate,
        user=none,
        group=none,
        app=none,
        queue_number=none,
        deadline=np.full(len(none), NO_DEADLINE),
    )
