"""Metrics of the user's own: a function of the jobs that ran, in a file, as in ``mine.py:fairness``.

Tables show such a metric by the name of its function. Its values are kept as ``fairness@0123456789ab``, after
the text of the file and of the user's modules that it imports: an edited file is another metric.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, fields, replace
from hashlib import sha256
from numbers import Real
from typing import Any

import numpy as np

from packwise.metrics.definition import Metric
from packwise.metrics.outcome import Outcome
from packwise.model.blame import place_of
from packwise.model.errors import InputError, shortened
from packwise.users_code import takes_one, users_file, users_object, users_source
from packwise.users_modules import UsersModule, modules_digest, own_modules, running_with

#: What tables of results have beside metrics.
RESERVED = frozenset(
    (
        "all", "bytes", "compiled", "doubt", "engine_seconds", "estimate", "guess", "jobs", "key", "left_out",
        "machine", "policy", "procs", "rejected", "replica", "reproducible", "rounds", "run", "seconds",
        "stamp", "too_wide", "workload", "written",
    )
)  # fmt: skip

#: What a function may say of the metric, by attributes called as the fields of a Metric.
_TEXTS = ("title", "formula", "unit", "paper", "meaning")
_EXPECTED = (
    "Expected a function of the jobs that ran, as in `def fairness(jobs): return jobs.wait.std()`"
)
_DIGITS = 12


@dataclass(frozen=True)
class _Own:
    """A metric that was loaded: the digest of what it depends on, and where that is written."""

    metric: Metric
    short: str
    digest: str
    places: set[str]

    @property
    def stored(self) -> str:
        return f"{self.short}@{self.digest[:_DIGITS]}"


#: What this process has loaded, by the name that tables show.
_known: dict[str, _Own] = {}


def known_metric(name: str) -> Metric | None:
    """A metric that was loaded, by the name that tables show or that is stored; None if there is none."""
    if name in _known:
        return _known[name].metric
    return next((one.metric for one in _known.values() if one.stored == name), None)


def is_own(name: str) -> bool:
    """Whether tables show a metric of the user's own by this name."""
    return name in _known


def stored_name(name: str) -> str:
    """What values of a metric are kept under; metrics of ours under their names."""
    return _known[name].stored if name in _known else name


def shown_names(stored: Iterable[str]) -> dict[str, str]:
    """Of names that are stored those that this process knows, with the names that tables show."""
    shown = {one.stored: name for name, one in _known.items()}
    return {name: shown[name] for name in stored if name in shown}


def own_metric(name: str, is_taken: Callable[[str], bool]) -> Metric:
    """Load ``mine.py:fairness``, or find that it is loaded. ``is_taken``: names that mean something else."""
    source = users_source(name, "metric")
    path, _, attribute = name.rpartition(":")
    imports = () if source is None else own_modules(source, path)
    content = (attribute, source if source is not None else name, modules_digest(imports))
    digest = sha256("\0".join(content).encode()).hexdigest()
    file = users_file(name)
    place = name if file is None else f"{file.resolve()}:{attribute}"
    for one in _known.values():
        if one.digest == digest:
            one.places.add(place)
            return one.metric
    with _users_code(imports):
        found, _ = users_object(name, source, "metric", _metric_like)
        metric = _defined(name, attribute, found)
    if is_taken(metric.name):
        raise InputError(
            f"metric '{name}': tables have another '{metric.name}' already. Give yours another name."
        )
    guarded = replace(metric, of=_guarded(name, metric.of, imports))
    return _registered(path if file is None else file.name, attribute, guarded, digest, place)


def _registered(file: str, attribute: str, metric: Metric, digest: str, place: str) -> Metric:
    """Under a name of its own; an edited file takes the place of what it was."""
    for shown, one in list(_known.items()):
        one.places.discard(place)
        if not one.places:
            del _known[shown]
    short = metric.name
    names = (short, f"{short} ({file})", f"{short}@{digest[:_DIGITS]}")
    shown = next(one for one in names if one not in _known)
    metric = replace(
        metric,
        name=shown,
        formula=metric.formula or f"{file}:{attribute}, sha256 {digest[:_DIGITS]}",
        paper=metric.paper or "your own",
    )
    _known[shown] = _Own(metric, short, digest, {place})
    return metric


def _metric_like(value: Any) -> bool:
    if isinstance(value, Metric):
        return True
    return inspect.isfunction(value) and not value.__module__.startswith("packwise.")


def _defined(name: str, attribute: str, found: Any) -> Metric:
    """What a user's object means as a metric."""
    if isinstance(found, Metric):
        metric = found
    elif callable(found):
        metric = _of_function(attribute, found)
    else:
        raise InputError(f"metric '{name}': found {type(found).__name__}. {_EXPECTED}.")
    if not callable(metric.of) or not takes_one(metric.of):
        raise InputError(f"metric '{name}': it cannot be called with one argument. {_EXPECTED}.")
    for field in ("name", *_TEXTS):
        text = getattr(metric, field)
        if not isinstance(text, str) or not text.isprintable() or text != text.strip():
            raise InputError(
                f"metric '{name}': {field} should be text of one line, found {shortened(repr(text))}."
            )
    if not metric.name or set(metric.name) & set("@:,"):
        raise InputError(
            f"metric '{name}': its name should be text without @, colon and comma, found '{metric.name}'."
        )
    if metric.better not in ("lower", "higher"):
        raise InputError(
            f"metric '{name}': better should be 'lower' or 'higher', found {shortened(repr(metric.better))}."
        )
    return metric


def _of_function(attribute: str, function: Any) -> Metric:
    """Its documentation tells what it is, unless attributes do."""
    words = inspect.cleandoc(inspect.getdoc(function) or "")
    metric = Metric(
        name=attribute,
        title=" ".join(words.partition("\n")[0].split()).rstrip(". ") or attribute,
        formula="",
        unit="",
        better="lower",
        paper="",
        meaning=" ".join(words.split()),
        of=function,
    )
    told = (*_TEXTS, "better", "costly", "of_all_jobs", "of_extremes")
    return replace(
        metric, **{one: getattr(function, one) for one in told if hasattr(function, one)}
    )


def _guarded(
    name: str, function: Callable[[Outcome], Any], imports: tuple[UsersModule, ...]
) -> Callable[[Outcome], float]:
    """The function, with columns that it cannot change for others, and an answer that was looked at."""

    def of(outcome: Outcome) -> float:
        try:
            with _users_code(imports):
                value = function(_own_copy(outcome))
        except (Exception, SystemExit) as error:
            raise InputError(
                f"metric '{name}' should return a number for {_described(outcome)}, but raised "
                f"{type(error).__name__}: {error}{place_of(error)}. Correct the function there."
            ) from error
        return _number(name, value, outcome)

    return of


@contextmanager
def _users_code(imports: tuple[UsersModule, ...]) -> Iterator[None]:
    """What the code imports is what its digest says, and what it prints is no result."""
    with running_with(imports), redirect_stdout(sys.stderr):
        yield


def _own_copy(outcome: Outcome) -> Outcome:
    changes: dict[str, Any] = {"memo": {}}
    for one in fields(outcome):
        column = getattr(outcome, one.name)
        if isinstance(column, np.ndarray):
            changes[one.name] = column.view()
            changes[one.name].setflags(write=False)
    return replace(outcome, **changes)


def _number(name: str, value: Any, outcome: Outcome) -> float:
    plain = value.item() if isinstance(value, np.ndarray | np.generic) and not value.ndim else value
    if isinstance(plain, Real):
        try:
            return float(plain)
        except OverflowError:
            pass
    found, remedy = type(value).__name__, "Return one number."
    if value is None:
        found, remedy = "nothing", "Is there a `return`?"
    elif isinstance(value, np.ndarray):
        found, remedy = f"an array of shape {value.shape}", "Return one number, such as its mean."
    elif isinstance(value, str):
        found = f"the text {shortened(repr(value))}"
    elif isinstance(value, int):
        found = "a number that is too large"
    raise InputError(
        f"metric '{name}' should return a number for {_described(outcome)}, found {found}. {remedy}"
    )


def _described(outcome: Outcome) -> str:
    jobs = f"{len(outcome):,} job{'' if len(outcome) == 1 else 's'}"
    return jobs if outcome.origin is None else f"{jobs} of '{outcome.origin.workload.name}'"
