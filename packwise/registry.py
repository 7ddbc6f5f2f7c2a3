"""Names and objects: policies, estimates and orders for the command line.

``easy``, ``list(order=saf,depth=4)``, ``my.py:mine`` and ``package.module:mine`` name policies;
``requested``, ``exact*1.5``, ``last2(corrector=steps)`` and ``my.py:mine`` name estimates.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

from packwise.model.decision import Decision, Policy
from packwise.model.energy.cap import parse_cap
from packwise.model.errors import InputError, UnknownName
from packwise.model.specification import Specification, specification
from packwise.model.specification import split_names as split_names
from packwise.model.view import View
from packwise.optimise.catalogue import OPTIMISERS
from packwise.optimise.job_cost import JobCost
from packwise.optimise.objectives import users_objective
from packwise.optimise.policy import SearchPolicy
from packwise.policies import catalogue
from packwise.policies.catalogue import ALIASES
from packwise.policies.list_scheduling import ListPolicy
from packwise.policies.orders import ORDERS, Order, order
from packwise.policies.recorded import Recorded, RecordedOrder
from packwise.policies.slurm import SlurmPolicy
from packwise.predict.catalogue import predictor
from packwise.predict.predictor import Predictor
from packwise.users_code import is_users, refuse_parameters, takes_one, users_object

#: Every policy that has a name of its own.
POLICIES: dict[str, Policy] = {
    **catalogue.POLICIES,
    **catalogue.ASKED,
    "slurm": SlurmPolicy(),
    **OPTIMISERS,
}
#: What really happened, to compare with.
HISTORY: dict[str, Policy] = {one.name: one for one in (Recorded(), RecordedOrder())}

#: What a policy of the list family may set, in the order in which a name shows them.
PARAMETERS = ("order", "option", "depth", "backfill", "threshold", "cap", "power_cap")


@runtime_checkable
class Parametrised(Protocol):
    """A policy that makes others like it of ``name(key=value, ...)``.

    ``parameters``: what each parameter means, by name. ``with_parameters`` is given the whole name and the
    values as text, each parameter known and given once; what is wrong with a value is for it to say.
    """

    @property
    def parameters(self) -> Mapping[str, str]: ...

    def with_parameters(self, name: str, given: Mapping[str, str]) -> Policy: ...


def policy(name: str, source: str | None = None) -> Policy:
    """The policy that a name means. ``source`` stands for the content of the file in ``my.py:mine``."""
    refuse_parameters(name, "policy")
    if is_users(name, "policy"):
        return _users_policy(name, source)
    written = specification("policy", name, "list(depth=4)")
    base = ALIASES.get(written.name.lower(), written.name.lower())
    if base == "list":
        found: Policy = ListPolicy()
    elif base in POLICIES or base in HISTORY:
        found = POLICIES.get(base) or HISTORY[base]
    else:
        raise UnknownName(
            "policy",
            name,
            [*POLICIES, *HISTORY, *ALIASES],
            remedy="`packwise policies` lists them all.",
        )
    return found if written.inside is None else _with_parameters(found, written)


def estimate(name: str, source: str | None = None) -> Predictor:
    """The estimate that a name means. ``source`` stands for the content of the file in ``my.py:mine``."""
    refuse_parameters(name, "estimate")
    if not is_users(name, "estimate"):
        return predictor(name)
    found, attribute = users_object(name, source, "estimate", _predictor_like)
    if not _predictor_like(found):
        raise InputError(
            f"estimate '{name}': expected an object with predict(job) and learn(job, runtime), or with "
            f"estimates(workload); found {type(found).__name__}."
        )
    if not isinstance(found, Predictor):
        raise InputError(f"estimate '{name}': it has no name. Add one: name = \"{attribute}\".")
    return found


def meaning(policy: Policy) -> str:
    """What a policy does, in a few words: its own, or the first line of its documentation."""
    told = str(getattr(policy, "meaning", ""))
    if told:
        return told
    if isinstance(policy, ListPolicy):
        depth = "every job" if policy.depth is None else f"up to {policy.depth} jobs"
        after = {
            "strict": "the first job that does not fit stops the round",
            "greedy": "a job that does not fit is skipped",
            "backfill": f"{depth} that cannot start get a reservation",
        }
        return f"{policy.order.meaning}; {after[policy.option]}"
    subject = getattr(policy, "function", policy)
    return (subject.__doc__ or "").strip().partition("\n")[0]


def _with_parameters(base: Policy, written: Specification) -> Policy:
    name = written.text.strip()
    if isinstance(base, Parametrised):
        return base.with_parameters(name, written.parameters(base.parameters))
    if not isinstance(base, ListPolicy):
        written.refuse_parameters(base.name)
        return base
    changes: dict[str, Any] = {}
    given = {key: value.lower() for key, value in written.parameters(PARAMETERS).items()}
    for key, value in given.items():
        if key == "order":
            changes["order"], changes["tie"] = _order_pair(value)
        elif key == "backfill":
            changes["backfill_order"], changes["backfill_tie"] = _order_pair(value)
        elif key == "option":
            changes["option"] = value
        elif key == "power_cap":
            changes[key] = parse_cap(name, value)
        else:
            changes[key] = _whole(name, key, value)
    found = replace(base, **changes, name=re.sub(r"\s+", "", name.lower()))
    idle = set(given) & {"depth", "backfill"} if found.option != "backfill" else set()
    if found.depth in (0, None):
        idle |= set(given) & {"backfill"}
    if idle:
        raise InputError(
            f"policy '{name}': {' and '.join(sorted(idle))} would have no effect. 'depth' needs "
            "option=backfill, and 'backfill' a depth of 1 or more that is not unlimited."
        )
    return found


def _order_pair(value: str) -> tuple[Order, Order]:
    """``laf`` or ``laf/ljf``: an order, and one that breaks its ties."""
    first, _, second = value.partition("/")
    return order(first), order(second) if second else ORDERS["fcfs"]


def _whole(policy_name: str, key: str, value: str) -> int | None:
    if value.lower() in ("unlimited", "none", "inf"):
        return None
    units = {"s": 1, "m": 60, "h": 3600, "d": 86400}
    number, unit = value, 1
    if key == "threshold" and value[-1:].lower() in units:
        number, unit = value[:-1], units[value[-1].lower()]
    try:
        return int(number) * unit
    except ValueError:
        raise InputError(
            f"policy '{policy_name}': {key} should be a whole number or 'unlimited', found '{value}'."
        ) from None


@dataclass(frozen=True)
class FunctionPolicy:
    """A plain function of a view, as a policy."""

    name: str
    function: Callable[[View], Decision]

    def decide(self, view: View) -> Decision:
        return self.function(view)

    @property
    def packages(self) -> Any:
        """What the function says of itself: see ``Policy``."""
        return getattr(self.function, "packages", ())

    @property
    def reproducible(self) -> Any:
        return getattr(self.function, "reproducible", True)

    @property
    def power_cap(self) -> Any:
        return getattr(self.function, "power_cap", None)


def _users_policy(name: str, source: str | None) -> Policy:
    found, attribute = users_object(name, source, "policy", _policy_like)
    if isinstance(found, Policy):
        return found
    if isinstance(found, Order):
        return ListPolicy(name=attribute, order=found)
    if isinstance(found, JobCost):
        return SearchPolicy(
            name=attribute, objective=users_objective(found), meaning=found.meaning, source=""
        )
    if hasattr(found, "decide"):
        raise InputError(
            f"policy '{name}': it can decide, but has no name. Add one: name = \"{attribute}\"."
        )
    if callable(found):
        _check_function(name, found)
        return FunctionPolicy(attribute, found)
    raise InputError(
        f"policy '{name}': expected an object with a name and decide(view), a function of a view, "
        f"or an order key; found {type(found).__name__}."
    )


def _check_function(name: str, function: Callable[..., Any]) -> None:
    """Refuse what cannot be called with a view alone, such as a key or a cost without its decorator."""
    if not takes_one(function):
        raise InputError(
            f"policy '{name}': expected a function of one view. The key of an order needs @order_key, the "
            "cost of a start @job_cost above it."
        )


def _predictor_like(value: Any) -> bool:
    return any(hasattr(value, method) for method in ("predict", "estimates", "expect"))


def _policy_like(value: Any) -> bool:
    if isinstance(value, Policy | Order | JobCost):
        return True
    return inspect.isfunction(value) and not value.__module__.startswith("packwise.")
