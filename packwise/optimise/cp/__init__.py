"""Constraint programming: the rounds of Goponenko et al., DEBS 2024, on OR-Tools' CP-SAT (extra ``cp``)."""
