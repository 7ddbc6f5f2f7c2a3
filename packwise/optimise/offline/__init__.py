"""Off-line: all jobs are known in advance, and the whole schedule is optimised at once (``packwise solve``)."""

from packwise.optimise.offline.budget import Budget, Spent, evaluations_of_a_pass
from packwise.optimise.offline.log import Log
from packwise.optimise.offline.solve import Progress, Solved, solve

__all__ = ["Budget", "Log", "Progress", "Solved", "Spent", "evaluations_of_a_pass", "solve"]
