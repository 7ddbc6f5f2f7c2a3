"""What policies that promise starts have in common: parameters, and their memory between rounds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self

from numpy.typing import NDArray

from packwise.model.decision import Decision
from packwise.model.errors import InputError
from packwise.model.view import View
from packwise.model.workload import Ints


@dataclass(frozen=True)
class PromisingPolicy:
    """A name, and what becomes of the plan when a job ends early: each waiting job moves to the earliest place
    there is or, with ``at_once``, only those that can start then.
    """

    name: str = ""
    at_once: bool = False
    meaning: str = ""
    source: str = ""
    #: A promise rests on the estimate that it was made with.
    keeps_estimates: ClassVar[bool] = True
    parameters: ClassVar[Mapping[str, str]] = {
        "compress": "after an early end: any (default) moves each waiting job to the earliest place there is, "
        "start only those that can start at once"
    }

    def with_parameters(self, name: str, given: Mapping[str, str]) -> Self:
        """The policy that ``cbf(compress=start)`` names."""
        wanted = given.get("compress", "any").lower()
        if wanted not in ("any", "start"):
            raise InputError(
                f"policy '{name}': compress should be any or start, found '{given['compress']}'."
            )
        return replace(self, name=re.sub(r"\s+", "", name.lower()), at_once=wanted == "start")


class Remembered(NamedTuple):
    """Between rounds: the planned starts of waiting jobs, when running ones were expected to end, and what a
    policy wants to know of waiting jobs besides.
    """

    start: Mapping[int, int]
    expected_end: Mapping[int, int]
    kind: Mapping[int, int]

    def since(self, view: View) -> tuple[bool, bool]:
        """Whether a job has ended early, and whether one has outlived its estimate: it is expected later now,
        or has ended since then.
        """
        ends = _ends(view)
        early = any(job not in ends and end > view.now for job, end in self.expected_end.items())
        overrun = any(
            ends[job] > end if job in ends else end < view.now
            for job, end in self.expected_end.items()
        )
        return early, overrun


NOTHING = Remembered({}, {}, {})


def decided(
    view: View, start: NDArray[Any], planned: Ints, promised: Ints, kind: Ints | None = None
) -> Decision:
    """The decision to start these jobs of the queue, with the plan of the others; columns are aligned with the
    queue, ``promised`` being -1 for a job that is not new.
    """
    ends = _ends(view)
    for job in view.queue[start].tolist():
        ends[job] = view.now + int(view.estimate[job])
    remaining = view.queue[~start].tolist()
    waiting = dict(zip(remaining, planned[~start].tolist(), strict=True))
    kinds = [] if kind is None else zip(remaining, kind[~start].tolist(), strict=True)
    new = promised >= 0
    return Decision(
        start=view.queue[start],
        planned=waiting,
        promised=dict(zip(view.queue[new].tolist(), promised[new].tolist(), strict=True)),
        wake_at=min(waiting.values(), default=None),
        memory=Remembered(waiting, ends, dict(kinds)),
    )


def _ends(view: View) -> dict[int, int]:
    """When running jobs are expected to end."""
    return dict(zip(view.running.tolist(), view.expected_end.tolist(), strict=True))
