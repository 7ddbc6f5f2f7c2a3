"""The errors Packwise raises, as one tree.

PackwiseError
├── InputError           a file, an argument or a value that cannot be used
│   ├── FormatError      a file that does not follow its format: path, line, expected, found
│   ├── BadView          a view that contradicts itself, from a host other than the simulator
│   └── UnknownName      a policy, estimate, metric, ... that does not exist (suggests the nearest)
├── OutputError          a result that could not be written (nothing partial is left behind)
├── JobTooLarge          a job that can never fit on the cluster
├── PredictorFailed      a predictor raised an exception, or its answer is not a number
├── SolverFailed         a solver of others raised an exception, or its answer is no plan
└── PolicyError          a policy broke its contract
    ├── BadDecision      not a Decision, or jobs that are not waiting
    ├── OverAllocation   the started jobs need more than is free
    ├── Stalled          jobs wait on an idle machine and nothing will ever happen
    └── PolicyFailed     the policy raised an exception of its own

Every message says what was expected, what was found, where, and what to do about it.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

#: What a message quotes of a text at most; what it says was expected, or found; all of it. It is for people,
#: whatever is in the file that it speaks of.
_LONGEST_QUOTE, _LONGEST_PART, _LONGEST = 100, 400, 5_000
#: How many names of a user it lists.
_MOST_LISTED = 10


def shortened(text: str, most: int = _LONGEST_QUOTE) -> str:
    """Text of a user for a message: its beginning, if it is long."""
    return text if len(text) <= most else f"{text[:most]}..."


def listed(names: Iterable[str]) -> str:
    """Names of a user for a message: the first of them, if there are many."""
    every = list(names)
    shown = ", ".join(map(shortened, every[:_MOST_LISTED]))
    return shown if len(every) <= _MOST_LISTED else f"{shown}, ... ({len(every):,} in all)"


class PackwiseError(Exception):
    """Base of all errors that Packwise raises on purpose."""


class InputError(PackwiseError):
    """A file, an argument or a value that cannot be used."""

    def __init__(self, message: str = "") -> None:
        super().__init__(shortened(message, _LONGEST))


class FormatError(InputError):
    """A file that does not follow its format."""

    def __init__(
        self,
        path: str,
        *,
        expected: str,
        found: str,
        line: int | None = None,
        row: int | None = None,
        remedy: str = "",
    ) -> None:
        self.path = path
        self.line = line
        self.row = row
        self.expected = expected = shortened(expected, _LONGEST_PART)
        self.found = found = shortened(found, _LONGEST_PART)
        self.remedy = remedy
        places = (("line", line), ("row", row))
        place = ", ".join([path, *(f"{name} {at}" for name, at in places if at is not None)])
        message = f"{place}: expected {expected}, found {found}."
        super().__init__(f"{message} {remedy}".rstrip())


class UnknownName(InputError):
    """A name that is not in a catalogue; the message suggests the nearest ones."""

    def __init__(self, kind: str, name: str, known: Iterable[str], *, remedy: str = "") -> None:
        self.kind = kind
        self.name = name
        names = {known_name.lower(): known_name for known_name in known}
        near = get_close_matches(name.lower(), list(names), n=3, cutoff=0.65)
        if near:
            hint = f" Did you mean {' or '.join(shortened(names[n]) for n in near)}?"
        else:
            shown = [shortened(known_name) for known_name in list(names.values())[:12]]
            hint = f" Known: {', '.join(shown)}{', ...' if len(names) > 12 else ''}."
        super().__init__(f"unknown {kind} '{shortened(name)}'.{hint} {remedy}".rstrip())


class BadView(InputError):
    """A view that contradicts itself: job numbers beyond its columns, a job that waits twice."""


class OutputError(PackwiseError):
    """A result could not be written; nothing partial is left under the final name."""


class JobTooLarge(PackwiseError):
    """A job that can never fit on the cluster."""


class PredictorFailed(PackwiseError):
    """A predictor raised an exception of its own, or gave an estimate that is not a number."""


class SolverFailed(PackwiseError):
    """A solver that is not ours raised an exception, or gave an answer that is no plan."""


class PolicyError(PackwiseError):
    """A policy broke its contract."""


class BadDecision(PolicyError):
    """The answer is not a Decision, or names jobs that are not waiting."""


class OverAllocation(PolicyError):
    """The jobs to start need more than is free."""


class Stalled(PolicyError):
    """Jobs are waiting, nothing runs, and no event will ever come."""


class PolicyFailed(PolicyError):
    """The policy raised an exception of its own."""
