"""Constraint programming: the rounds of Goponenko et al., DEBS 2024, on OR-Tools' CP-SAT (extra ``cp``)."""

from packwise.optimise.cp.solve import Solution, solve_round

__all__ = ["Solution", "solve_round"]
