"""What a problem is planned on: the pool, or the nodes where these matter."""

from __future__ import annotations

from packwise.optimise.profit.nodes import OnNodes
from packwise.optimise.profit.pool import Pool
from packwise.optimise.profit.problem import Problem


def floor_of(problem: Problem) -> Pool:
    return Pool(problem) if problem.setting.wanted is None else OnNodes(problem)
