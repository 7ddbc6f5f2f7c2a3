"""The decision of a round, and the protocol of those who make it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from packwise.model.view import View


@dataclass(frozen=True, slots=True)
class Decision:
    """What a policy wants done now.

    ``start``: job numbers to start at once, in this order.
    ``planned``: tentative starts of jobs that go on waiting (shown to users, not binding).
    ``promised``: latest starts that jobs are promised (that they start by then, not that they wait for it);
    the first promise to each job is recorded (``Schedule.promised``), so that it can be held against what came
    of it. A job of ``start`` may be in it.
    ``reject``: waiting jobs to refuse for good.
    ``never``: waiting jobs that could not run whenever: the machine, as the view shows it, is too small for
    them. They are told, and go on waiting; in a replay there are none.
    ``wake_at``: a time at which to be asked again even if nothing happens before; it holds until the
    next round, whose decision sets it anew (``wake_time``).
    ``memory``: any value; it comes back as ``view.memory`` at the next round.
    ``notes``: numbers about this round by name, such as the size of a model or a bound, for the run's
    log (``Run.rounds.notes``).
    ``allocation``: on a machine of nodes, by job of ``start``: its nodes and how many of its units go to each.
    A job that is not in it is put where the host's rule of placement says.
    """

    start: Sequence[int] | NDArray[np.int64] = ()
    planned: Mapping[int, int] = field(default_factory=dict)
    reject: Sequence[int] = ()
    promised: Mapping[int, int] = field(default_factory=dict)
    wake_at: int | None = None
    memory: Any = None
    notes: Mapping[str, float] = field(default_factory=dict)
    never: Sequence[int] | NDArray[np.int64] = ()
    allocation: Mapping[int, Mapping[int, int]] = field(default_factory=dict)


def wake_time(decision: Decision, view: View) -> int | None:
    """When a policy is asked again even if nothing happens: when it says. If it does not say, and jobs wait
    under a power cap, when that rises.
    """
    waits = len(decision.start) + len(decision.reject) < len(view.queue)
    if decision.wake_at is None and view.cap is not None and waits:
        return view.cap.next_rise(view.now)
    return decision.wake_at


@runtime_checkable
class Policy(Protocol):
    """Anything with a name that turns a view into a decision.

    It may say of itself: ``reproducible = False``, if the clock has a say in what it decides; and
    ``packages = ("ortools",)``, the installed packages whose version has. Studies keep both in mind. And
    ``power_cap``, if it keeps to one: "scenario", or so many watts.
    """

    @property
    def name(self) -> str: ...

    def decide(self, view: View) -> Decision: ...
