"""Names and objects: policies, estimates and orders for the command line.

``easy``, ``list(order=saf,depth=4)``, ``my.py:mine`` and ``package.module:mine`` name policies;
``requested``, ``exact`` and ``exact*1.5`` name estimates.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

from packwise.model.decision import Decision, Policy
from packwise.model.errors import InputError, UnknownName
from packwise.model.view import View
from packwise.policies.catalogue import ALIASES, POLICIES
from packwise.policies.list_scheduling import ListPolicy
from packwise.policies.orders import ORDERS, Order, order
from packwise.predict import Exact, Predictor, Requested

#: What a policy of the list family may set, in the order in which a name shows them.
PARAMETERS = ("order", "option", "depth", "backfill", "threshold", "cap")
#: A policy in a file; the path may have parentheses.
_FILE = re.compile(r".+\.py:\w+", re.DOTALL)
_CALL = re.compile(r"\s*([\w-]+)\s*\((.*)\)\s*", re.DOTALL)


def policy(name: str, source: str | None = None) -> Policy:
    """The policy that a name means. ``source`` stands for the content of the file in ``my.py:mine``;
    an installed module is imported, since it may import its neighbours, and must have that content.
    """
    if _FILE.fullmatch(name) or (":" in name and "(" not in name):
        return _from_file(name, source)
    if name.strip().endswith(".py"):
        raise InputError(
            f"policy '{name}': say which policy of the file, as in {name.strip()}:mine."
        )
    if name.count("(") != name.count(")"):
        raise InputError(f"policy '{name}': a parenthesis is missing. Quote it: 'list(depth=4)'.")
    call = _CALL.fullmatch(name)
    base = (call.group(1) if call else name.strip()).lower()
    base = ALIASES.get(base, base)
    if base == "list":
        found: Policy = ListPolicy()
    elif base in POLICIES:
        found = POLICIES[base]
    else:
        raise UnknownName(
            "policy", name, [*POLICIES, *ALIASES], remedy="`packwise policies` lists them all."
        )
    return _with_parameters(found, name, call.group(2)) if call else found


def estimate(name: str) -> Predictor:
    """The estimate that a name means."""
    text = name.strip().lower()
    if text == "requested":
        return Requested()
    if text == "exact":
        return Exact()
    if text.startswith("exact*"):
        try:
            return Exact(float(text.removeprefix("exact*").replace("_", "?")))
        except ValueError:
            raise InputError(
                f"estimate '{name}': expected a number after 'exact*', such as exact*1.5, found "
                f"'{text.removeprefix('exact*')}'."
            ) from None
    raise UnknownName("estimate", name, ["requested", "exact", "exact*2"])


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


def split_names(text: str) -> list[str]:
    """Split a list of names at commas, leaving those inside parentheses alone."""
    names: list[str] = []
    level = 0
    current = ""
    for letter in text:
        level += (letter == "(") - (letter == ")")
        if letter == "," and level == 0:
            names.append(current.strip())
            current = ""
        else:
            current += letter
    names.append(current.strip())
    return [name for name in names if name]


def _with_parameters(base: Policy, name: str, text: str) -> Policy:
    if not isinstance(base, ListPolicy):
        if not text.strip():
            return base
        raise InputError(f"policy '{name}': '{base.name}' takes no parameters.")
    changes: dict[str, Any] = {}
    given: set[str] = set()
    for part in filter(None, (p.strip() for p in text.split(","))):
        key, equals, value = (p.strip() for p in part.lower().partition("="))
        if equals and key in given:
            raise InputError(f"policy '{name}': parameter '{key}' is given twice. Keep one.")
        given.add(key)
        if not equals:
            raise InputError(
                f"policy '{name}': expected parameter=value, found '{part}'. "
                f"Parameters: {', '.join(PARAMETERS)}."
            )
        if key == "order":
            changes["order"], changes["tie"] = _order_pair(value)
        elif key == "backfill":
            changes["backfill_order"], changes["backfill_tie"] = _order_pair(value)
        elif key == "option":
            changes["option"] = value
        elif key in ("depth", "threshold", "cap"):
            changes[key] = _whole(name, key, value)
        else:
            raise UnknownName("parameter", key, PARAMETERS)
    found = replace(base, **changes, name=re.sub(r"\s+", "", name.strip().lower()))
    idle = given & {"depth", "backfill"} if found.option != "backfill" else set()
    if found.depth in (0, None):
        idle |= given & {"backfill"}
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


def _from_file(name: str, source: str | None) -> Policy:
    path, _, attribute = name.rpartition(":")
    carried = source is not None and path.endswith(".py")
    module = _module_of(path, source or "") if carried else _module(path)
    if source is not None and not carried:
        _same_source(module, source)
    if not hasattr(module, attribute):
        known = [n for n, v in vars(module).items() if not n.startswith("_") and _policy_like(v)]
        raise UnknownName(f"policy in {path}", attribute, known)
    found = getattr(module, attribute)
    if inspect.isclass(found):
        try:
            found = found()
        except Exception as error:
            raise InputError(
                f"policy '{name}': the class could not be made without arguments "
                f"({type(error).__name__}: {error}). Name an instance instead."
            ) from error
    if isinstance(found, Policy):
        return found
    if isinstance(found, Order):
        return ListPolicy(name=attribute, order=found)
    if hasattr(found, "decide"):
        raise InputError(
            f"policy '{name}': it can decide, but has no name. Add one: name = \"{attribute}\"."
        )
    if callable(found):
        return FunctionPolicy(attribute, found)
    raise InputError(
        f"policy '{name}': expected an object with a name and decide(view), a function of a view, "
        f"or an order key; found {type(found).__name__}."
    )


def _same_source(module: Any, source: str) -> None:
    file = getattr(module, "__file__", None)
    found = None if file is None else importlib.util.decode_source(Path(file).read_bytes())
    if found != source:
        raise InputError(
            f"module '{module.__name__}' here ({file}) is not the one that the study was started "
            "with. Install the same version on all machines, or start the study again."
        )


def _policy_like(value: Any) -> bool:
    return isinstance(value, Policy | Order) or inspect.isfunction(value)


def _module(path: str) -> Any:
    if not path.endswith(".py"):
        try:
            return importlib.import_module(path)
        except Exception as error:
            raise InputError(
                f"module '{path}' could not be imported ({type(error).__name__}: {error}). "
                "Give a file (my.py:name) or an installed module (package.module:name)."
            ) from error
    file = Path(path)
    if not file.is_file():
        raise InputError(f"policy file '{path}' does not exist. Check the path before the colon.")
    try:
        source = file.read_bytes()
    except OSError as error:
        raise InputError(
            f"policy file '{path}' cannot be read ({error.strerror or error}). Check its permissions."
        ) from error
    return _module_of(path, source)


def _module_of(path: str, source: str | bytes) -> ModuleType:
    """A module from its source; ``path`` is what tracebacks call it.

    It is listed under a name of its own: dataclasses and pickles look their module up.
    """
    content = source.encode() if isinstance(source, str) else source
    module = ModuleType(f"{Path(path).stem}_{sha256(content).hexdigest()[:12]}")
    module.__file__ = path
    sys.modules[module.__name__] = module
    try:
        exec(compile(source, path, "exec"), module.__dict__)
    except (Exception, SystemExit) as error:
        del sys.modules[module.__name__]
        raise InputError(
            f"policy file '{path}' could not be loaded: {type(error).__name__}: {error}"
        ) from error
    return module
