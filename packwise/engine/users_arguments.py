"""What users' functions may ask for by name, in the order of their compiled signatures."""

from __future__ import annotations

KEY_ARGUMENTS = ("now", "submit", "demand", "estimate", "limit", "user", "queue_number", "deadline")
COST_ARGUMENTS = ("start", *KEY_ARGUMENTS)

#: What names somebody, rather than measuring something.
_NUMBERS = ("user", "queue_number")


def expression_for(argument: str) -> str:
    """How an argument is passed on, as source: what is measured as a float, so that powers do not overflow."""
    return argument if argument in _NUMBERS else f"float({argument})"


def number_for(argument: str, value: int) -> float:
    """The same for a call from Python."""
    return value if argument in _NUMBERS else float(value)
