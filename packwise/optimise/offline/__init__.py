"""Off-line: all jobs are known in advance, and the whole schedule is optimised at once (``packwise solve``)."""

from packwise.optimise.offline.budget import Budget
from packwise.optimise.offline.log import Log
from packwise.optimise.offline.solve import Progress, Solved, solve

__all__ = ["Budget", "Log", "Progress", "Solved", "solve"]
