"""What ``pcp21(limit=100ms, longest=1600ms)`` may set, out of text."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace
from typing import Any

from packwise.model.errors import InputError
from packwise.optimise.cp.nodes.patience import Patience
from packwise.optimise.cp.parameters import duration, positive, switch, whole

SOLVER = {
    "solver": "cp-sat (the default), or cp: the solver that these dispatchers were written for, as they were"
}
PARAMETERS = {
    "limit": "wall time per round, such as 100ms or 1s (1s); it is doubled as long as that helps; the "
    "schedule is not reproducible",
    "longest": "how far the limit is doubled (16 times the limit)",
    "extensions": "how many in a row may bring no better plan (2)",
    "deterministic": "a limit in CP-SAT's own measure of work instead, such as 0.01: the schedule is "
    "reproducible",
    "workers": "threads of the solver (one per CPU, at least 8; 1 with a deterministic limit)",
    "seed": "of the solver's random choices (0)",
    "jobs": "how many jobs take part in a round, those with the highest priority (100)",
    "hint": "what the solver begins with, and never ends with less: lists (the best of three list plans, the "
    "default), search (also the plan of the order search), or off",
}
#: Times the first limit: 1 s and 16 s in the paper.
LONGEST = 16.0
#: What is on or off.
_SWITCHES = ("identical", "lns")
#: What a search may begin with.
HINTS = ("lists", "search", "off")


#: CP-SAT, and OR-Tools' original solver.
SOLVERS = ("cp-sat", "cp")


def read_solver(
    policy: str, given: Mapping[str, str], for_cp: Set[str]
) -> tuple[str, dict[str, str]]:
    """The solver, and the other parameters. ``for_cp``: those that only the original solver knows."""
    rest = dict(given)
    solver = rest.pop("solver", SOLVERS[0]).lower()
    if solver not in SOLVERS:
        raise InputError(
            f"policy '{policy}': solver should be {' or '.join(SOLVERS)}, found '{solver}'. Write "
            "solver=cp-sat."
        )
    if solver != "cp" and (idle := sorted(set(rest) & for_cp)):
        raise InputError(
            f"policy '{policy}': {' and '.join(idle)} would have no effect with CP-SAT. Write solver=cp."
        )
    return solver, rest


def read_parameters(
    policy: str, given: Mapping[str, str], usual: Patience
) -> tuple[Patience, dict[str, Any], dict[str, Any]]:
    """The limits, the fields of a policy, and the options of its method that the parameters stand for."""
    clash = [key for key in ("limit", "longest") if key in given and "deterministic" in given]
    if clash:
        raise InputError(
            f"policy '{policy}': {' and '.join(clash)} would have no effect beside 'deterministic', which "
            "replaces wall time. Leave one of them out."
        )
    patience: dict[str, Any] = {}
    fields: dict[str, Any] = {}
    options: dict[str, Any] = {}
    for key, text in given.items():
        if key in ("limit", "longest"):
            patience[key] = duration(policy, key, text, zero=False)
        elif key == "deterministic":
            patience |= {"limit": positive(policy, key, text), "deterministic": True}
        elif key in _SWITCHES:
            options[key] = switch(policy, key, text)
        elif key == "hint":
            fields[key] = _hint(policy, text)
        elif key == "jobs":
            fields[key] = whole(policy, key, text, least=1)
        else:
            patience[key] = whole(policy, key, text, least=0 if key == "seed" else 1)
    if "limit" in patience and "longest" not in patience:
        patience["longest"] = LONGEST * patience["limit"]
    try:
        return replace(usual, **patience), fields, options
    except InputError as error:
        raise InputError(f"policy '{policy}': {error}") from None


def _hint(policy: str, text: str) -> str:
    if text.lower() not in HINTS:
        raise InputError(
            f"policy '{policy}': hint should be {', '.join(HINTS[:-1])} or {HINTS[-1]}, found '{text}'. "
            f"Write hint={HINTS[0]}."
        )
    return text.lower()
