"""Replays: every policy there is, with three estimates, on six workloads, compiled and asked round by round."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from packwise import PackwiseError, Run, registry, simulate
from packwise.model.allocation import Allocation
from packwise.model.dispatch_time import dispatch_time
from packwise.model.placement import PLACEMENTS
from packwise.policies.catalogue import POLICIES
from packwise.predict.catalogue import PREDICTORS
from packwise.simulation import CompiledPolicy
from tests.record.digests import digest
from tests.record.workloads import CASES, Case

ESTIMATES = ("requested", "exact", "last2")
#: Solvers have a limit that is no time, and few jobs.
SOLVED = "deterministic=0.005"
SOLVED_JOBS = 10
#: Settings that no name of the catalogue has.
VARIANTS = (
    "list(order=saf/ljf,depth=4,backfill=sjf,threshold=1h)",
    "list(order=wfp,option=strict,cap=5)",
    "cbf(compress=any)",
    "cbf(compress=start)",
    "dbf(compress=any)",
    "dbf(compress=start)",
    "packwise(search=off)",
    "packwise(objective=AF,budget=30)",
    "packwise(objective=0.5*AWF+0.5*BSLD,window=8,deadlines=soft)",
    "packwise(objective=P2SF,deadlines=ignore,seed=3)",
    "packwise(energy=0.3,delay=6h)",
    "slurm(bf_interval=120,bf_window=600,PriorityWeightFairshare=1000,PriorityWeightAge=500)",
)
UNRECORDED_ESTIMATES = {"gbm": "what trees learn differs between releases of LightGBM"}
MORE_ESTIMATES = (
    *(name for name in PREDICTORS if name not in (*ESTIMATES, *UNRECORDED_ESTIMATES)),
    "exact*0.5",
    "exact*1.5",
    *(
        f"last2(corrector={name})"
        for name in ("limit", "steps", "doubling", "conditional", "conditional-75%")
    ),
    "last2(update=submission)",
)
_WORDS = 9
#: Notes that tell how fast the machine is.
_CLOCKED = "seconds"


class Replay(NamedTuple):
    """What is to be replayed; a compiled policy is both ways, others round by round."""

    workload: str
    policy: str
    estimates: tuple[str, ...]
    placement: str | None = None
    charge: str | None = None

    @property
    def about(self) -> str:
        return f"replay workload={self.workload} policy={self.policy}"

    def lines(self) -> list[str]:
        return [
            line
            for estimate in self.estimates
            for stepped in ((False, True) if self.charge is None else (True,))
            if (line := self._line(estimate, stepped)) is not None
        ]

    def _line(self, estimate: str, stepped: bool) -> str | None:
        case = CASES[self.workload]()
        if self._solves:
            case = case.head(SOLVED_JOBS)
        told = [self.about, f"estimate={estimate}"]
        told += [f"placement={self.placement}"] * (self.placement is not None)
        told += [f"charge={self.charge}"] * (self.charge is not None)
        try:
            policy = registry.policy(self._name(case))
            if not stepped and not isinstance(policy, CompiledPolicy):
                return None
            run = simulate(
                case.workload,
                case.cluster,
                policy,
                estimate,
                reject_too_large=True,
                stepped=stepped,
                placement=self.placement,
                charge=None if self.charge is None else dispatch_time(self.charge),
            )
            found = facts(run)
        except PackwiseError as error:
            found = "refused: " + " ".join(str(error).split()[:_WORDS])
        return f"{' '.join(told)} steps={'stepped' if stepped else 'compiled'} -> {found}"

    @property
    def _solves(self) -> bool:
        return "ortools" in getattr(registry.policy(self.policy), "packages", ())

    def _name(self, case: Case) -> str:
        """The policy as it is told there."""
        parameters = case.parameters
        if self._solves:
            parameters = ",".join(filter(None, (SOLVED, parameters)))
        if not parameters:
            return self.policy
        if self.policy.endswith(")"):
            return f"{self.policy[:-1]},{parameters})"
        return f"{self.policy}({parameters})"


def replays() -> Iterator[Replay]:
    """All of the record; what takes long comes first."""
    names = [*registry.POLICIES, *registry.HISTORY, *VARIANTS]
    names.sort(key=lambda name: name in POLICIES)
    for policy in names:
        for workload in CASES:
            yield Replay(workload, policy, ESTIMATES)
    for workload in ("pool", "gpus", "outages"):
        for policy in ("easy", "cbf", "list-saf", "packwise"):
            yield Replay(workload, policy, MORE_ESTIMATES)
    for workload in ("nodes", "gpus", "outages"):
        for placement in PLACEMENTS:
            for policy in ("easy", "cbf", "packwise"):
                yield Replay(workload, policy, ("requested", "last2"), placement)
    for workload in ("pool", "gpus", "outages"):
        for policy in ("easy", "packwise"):
            yield Replay(workload, policy, ("requested", "last2"), charge="20s+500ms/job")


def facts(run: Run) -> str:
    """What came of a replay: waiting that can be read, and digests of the rest; '-' for what there is not."""
    schedule, rounds, cut = run.schedule, run.rounds, run.interrupted
    wait = schedule.wait(run.workload)[schedule.ran]
    where = schedule.allocation
    notes = {name: v for name, v in rounds.notes.items() if _CLOCKED not in name}
    found = {
        "waited": int(wait.sum()),
        "rejected": len(run.rejected),
        "starts": digest(schedule.start, schedule.end, run.rejected),
        "promises": digest(schedule.promised),
        "beliefs": digest(schedule.estimate, run.corrections),
        "rounds": digest(rounds.time, rounds.queued, rounds.started, rounds.charged),
        "notes": digest(notes or None),
        "nodes": "-" if where is None else digest(*_sorted(where)),
        "boots": digest(schedule.booting),
        "cut": "-"
        if cut is None
        else digest(cut.job, cut.start, cut.end, *_sorted(cut.allocation)),
    }
    return " ".join(f"{name}={value}" for name, value in found.items())


def _sorted(where: Allocation) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The nodes of each job in the order of their numbers: that in which they are told means nothing."""
    order = np.lexsort((where.node, where.job))
    return where.first, where.node[order], where.units[order]
