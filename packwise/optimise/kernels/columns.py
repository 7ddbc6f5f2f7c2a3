"""How an objective is told to the kernels: one row of numbers per term."""

from __future__ import annotations

# What a term is a function of
FLOW, SPECIFIC, USER, SMALL, LEARNED = range(5)

# Columns of a table of terms. An exponent has two values: where estimates are trusted, and where not.
KIND, COEFFICIENT, FLOOR = 0, 1, 2
DEMAND, DEMAND_DOUBTED = 3, 4
ESTIMATE, ESTIMATE_DOUBTED = 5, 6
POWER, POWER_DOUBTED = 7, 8
ADDRESS = 9
AREA, AREA_DOUBTED = 10, 11
COMING = 12
NEEDS = 13

#: The delay of a job that is late, against that of a regular job.
LATE = 10.0
