"""A user's own cost of a start, for the order search."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from packwise.engine.users_arguments import COST_ARGUMENTS, number_for
from packwise.model.errors import InputError


@dataclass(frozen=True)
class JobCost:
    """What a job pays for its start; the search minimises the sum over the waiting jobs."""

    name: str
    meaning: str
    function: Callable[..., float]

    @property
    def arguments(self) -> tuple[str, ...]:
        """The arguments that the function asks for."""
        return tuple(inspect.signature(self.function).parameters)

    @property
    def address(self) -> int:
        """Where its compiled form is."""
        from packwise.engine.key_function import compile_users
        from packwise.optimise.kernels.cost import COST_SIGNATURE

        made = compile_users(
            self.function, self.arguments, COST_ARGUMENTS, COST_SIGNATURE, "job cost"
        )
        address: int = made.address
        return address

    def outcome(self, known: Mapping[str, int]) -> str:
        """What it does when it is given these, in words."""
        try:
            value = self.function(*(number_for(name, known[name]) for name in self.arguments))
        except Exception as error:
            return f"raises {type(error).__name__}: {error}"
        return f"returns {value!r}"


def job_cost(function: Callable[..., Any]) -> JobCost:
    """Make a policy of the cost of a start; it is compiled, so plain arithmetic and ``math`` only.

    The function names the arguments it wants out of start, now, submit, demand, estimate, limit, user,
    queue_number (these two are integers, the others floats) and deadline (2^62 where there is none), and
    returns a number: what the job pays if it starts then. The sum over the waiting jobs is minimised, round
    by round; until it is late, a job with a deadline pays a sixty-fourth of it, unless the policy ignores
    deadlines. A cost should not fall with a later start: the search never delays a job that fits, and it is
    slower where costs fall.
    """
    name = getattr(function, "__name__", "cost")
    arguments = tuple(inspect.signature(function).parameters)
    unknown = [argument for argument in arguments if argument not in COST_ARGUMENTS]
    if unknown or "start" not in arguments:
        raise InputError(
            f"job cost '{name}' should take 'start' and others out of {', '.join(COST_ARGUMENTS)}; found "
            f"{', '.join(arguments) or 'none'}."
        )
    return JobCost(
        name, (inspect.getdoc(function) or "user-defined cost").splitlines()[0], function
    )
