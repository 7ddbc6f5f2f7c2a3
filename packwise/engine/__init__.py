"""How time passes: events, the availability profile, the scheduling rounds, the two loops.

Everything compiled lives here. Importing a module of this package imports numba, so the rest of the
product does it inside functions, on first use.
"""
