"""What a metric is: a number with a name, a formula, a source and a warning."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from packwise.metrics.outcome import Outcome
from packwise.model.cluster import Cluster
from packwise.model.schedule import Schedule
from packwise.model.workload import Workload


@dataclass(frozen=True, slots=True)
class Metric:
    """One scheduling metric. ``of`` computes it from the jobs that ran.

    ``costly`` marks those that are computed only when asked for: most of them simulate something.
    ``of_estimates`` marks those that judge what was believed of run times: not every schedule tells.
    ``of_deadlines`` and ``of_promises`` mark those that need jobs with deadlines, and a policy that
    promises starts; ``of_energy`` names what a cluster's energy scenario has to tell. ``of_all_jobs`` marks
    those that say something about the machine as a whole, or about each job among all others: they are never
    computed over a part of the jobs. ``of_extremes`` marks those that a single job decides.
    """

    name: str
    title: str
    formula: str
    unit: str
    better: Literal["lower", "higher"]
    paper: str
    meaning: str
    of: Callable[[Outcome], float]
    costly: bool = False
    of_estimates: bool = False
    of_deadlines: bool = False
    of_promises: bool = False
    of_energy: tuple[str, ...] = ()
    of_all_jobs: bool = False
    of_extremes: bool = False
    is_money: bool = False

    @property
    def unit_words(self) -> str:
        """The unit, for people."""
        if self.unit:
            return self.unit
        return "the currency of the scenario's prices" if self.is_money else "none (a ratio)"

    def compute(self, workload: Workload, cluster: Cluster | int, schedule: Schedule) -> float:
        """The value for one schedule, from the schedule alone."""
        return self.of(Outcome.of(workload, cluster, schedule))

    def applies(self, workload: Workload, cluster: Cluster | int, schedule: Schedule) -> bool:
        """Whether these tell what the metric is made of."""
        energy = cluster.energy if isinstance(cluster, Cluster) else None
        if self.of_energy and (
            energy is None or any(not energy.tells(one) for one in self.of_energy)
        ):
            return False
        return (
            (schedule.estimate is not None or not self.of_estimates)
            and (workload.deadline is not None or not self.of_deadlines)
            and (schedule.promised is not None or not self.of_promises)
        )


#: The papers that the definitions come from, named once.
FEITELSON_1998 = (
    "D. G. Feitelson and L. Rudolph, 'Metrics and Benchmarking for Parallel Job Scheduling', "
    "JSSPP 1998"
)
GOPONENKO_2022 = (
    "A. Goponenko, K. Lamar, C. Peterson, B. Allan, J. Brandt and D. Dechev, 'Metrics for Packing "
    "Efficiency and Fairness of HPC Cluster Batch Job Scheduling', SBAC-PAD 2022"
)
PROFIT_AND_COOLING = "'Optimizing Profit and Cooling Costs in HPC Cluster Scheduling' (manuscript)"
NTAKPE_2017 = (
    "T. N'Takpé and F. Suter, 'Don't Hurry be Happy: a Deadline-based Backfilling Approach', "
    "JSSPP 2017"
)
