"""One round as a problem: who waits, and what is free from now on. Solvers turn it into planned starts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from packwise.model.errors import InputError
from packwise.model.outlook import outlook
from packwise.model.view import View
from packwise.model.workload import NO_DEADLINE, Floats, Ints


@dataclass(frozen=True, eq=False)
class Round:
    """The waiting jobs in submission order, and the free processors over time as a step function.

    ``free[i]`` processors are free from ``times[i]`` (the first is now) until ``times[i + 1]``; the last
    step lasts for ever. A plan is an array of starts, one per waiting job, none before now.

    ``deadline``: None where deadlines do not matter. Where they do, metrics are those of the regular jobs,
    plus what lateness costs if it is to be weighed against them (``soft``).
    """

    now: int
    procs: int
    job: Ints
    submit: Ints
    demand: Ints
    estimate: Ints
    times: Ints
    free: Ints
    deadline: Ints | None = None
    soft: bool = False

    def __len__(self) -> int:
        return len(self.job)

    @classmethod
    def from_view(cls, view: View, deadlines: str = "ignore") -> Round:
        """What a policy is shown, as a problem: without those who cannot run.

        ``deadlines``: ignore, soft or hard.
        """
        seen = outlook(view)
        deadline = view.deadline[seen.queue]
        matter = deadlines != "ignore" and bool((deadline != NO_DEADLINE).any())
        times, free = seen.profile(view)
        return cls(
            now=view.now,
            procs=view.procs,
            job=seen.queue,
            submit=seen.submit,
            demand=seen.demand,
            estimate=seen.estimate,
            times=times,
            free=free,
            deadline=deadline if matter else None,
            soft=deadlines == "soft",
        )

    @property
    def regular(self) -> NDArray[np.bool_]:
        """Which jobs have no deadline, or none that matters."""
        if self.deadline is None:
            return np.ones(len(self), np.bool_)
        regular: NDArray[np.bool_] = self.deadline == NO_DEADLINE
        return regular

    @property
    def latest(self) -> Ints:
        """The start after which a job is late; far off for a regular one."""
        if self.deadline is None:
            return np.full(len(self), NO_DEADLINE)
        return np.where(self.regular, NO_DEADLINE, self.deadline - self.estimate)

    def part(self, chosen: Ints) -> Round:
        """The same moment with some of the jobs only, by place."""
        return Round(
            self.now,
            self.procs,
            self.job[chosen],
            self.submit[chosen],
            self.demand[chosen],
            self.estimate[chosen],
            self.times,
            self.free,
            None if self.deadline is None else self.deadline[chosen],
            self.soft,
        )

    def insert(self, order: Ints) -> Ints:
        """The plan that comes of placing the jobs in this order, each at the earliest time it fits."""
        from packwise.optimise.kernels.insertion import insert_in_order

        return np.asarray(
            insert_in_order(order, self.demand, self.estimate, self.times, self.free), np.int64
        )

    def order_by(self, *keys: Ints | Floats) -> Ints:
        """The jobs sorted by the first key, then the next; ties keep submission order."""
        return np.lexsort([np.arange(len(self)), *reversed(keys)]).astype(np.int64)

    def list_orders(self) -> dict[str, Ints]:
        """The orders of the list policies that the papers compare, by policy name."""
        r, e = self.demand, self.estimate
        area = r.astype(float) * e
        return {
            "list-reg": self.order_by(),
            "list-sjf": self.order_by(e, r),
            "list-saf": self.order_by(area),
            "list-spf": self.order_by(area * e, area),
            "list-laf": self.order_by(-area),
        }

    def check(self, start: Ints) -> None:
        """Refuse a plan in which a job starts before now or that needs more than is free at any time."""
        if len(start) != len(self) or (len(self) and int(start.min()) < self.now):
            raise InputError("a plan should have one start per waiting job, none before now.")
        end = start + self.estimate
        moments = np.unique(np.concatenate([self.times, start, end]))
        change = np.zeros(len(moments) + 1, np.int64)
        np.add.at(change, np.searchsorted(moments, start), self.demand)
        np.subtract.at(change, np.searchsorted(moments, end), self.demand)
        used = np.cumsum(change[:-1])
        available = self.free[np.searchsorted(self.times, moments, side="right") - 1]
        if (used > available).any():
            at = int(np.argmax(used > available))
            raise InputError(
                f"a plan needs {used[at]} processors at time {moments[at]}, where {available[at]} are free."
            )
