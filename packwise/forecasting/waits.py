"""What like jobs waited: the usual rule, which knows nothing of the queue as it is, but how it is served."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from packwise.forecasting.history import Alike, History
from packwise.forecasting.run_times import size_class
from packwise.forecasting.situation import Situation
from packwise.model.workload import Floats, Ints, Workload

#: Fewer like jobs say nothing.
_ENOUGH = 3


@dataclass(frozen=True)
class LikeWaits:
    """The median wait of the ``last`` like jobs that had started: those of the same queue and class of size and
    limit; where these are too few, of the same queue; and then of all.
    """

    history: History | None
    last: int = 10

    def left(self, situation: Situation, places: Ints) -> Floats:
        """For how long such jobs still wait, by what others did that had waited for as long; where nobody has,
        for as long again.
        """
        jobs = situation.jobs
        so_far = situation.now - jobs.submit[places]
        keys = [
            list(zip(*(column[places].tolist() for column in columns), strict=True))
            if columns
            else [()] * len(places)
            for columns in _likeness(jobs)
        ]
        found = so_far.astype(np.float64)
        if self.history is None:
            return found
        for k, waited in enumerate(so_far.tolist()):
            for alike, key in zip(self._levels, keys, strict=True):
                # Some of the last ones may not have waited for as long. Who starts at this very moment may not
                # have been started yet.
                waits = self._waits[alike.last(key[k], situation.now - 1, 4 * self.last)]
                waits = waits[waits > waited] if waited else waits
                if len(waits) >= _ENOUGH:
                    found[k] = max(0.0, float(np.median(waits[-self.last :])) - waited)
                    break
        return found

    @cached_property
    def _waits(self) -> Ints:
        assert self.history is not None
        return self.history.start - self.history.jobs.submit

    @cached_property
    def _levels(self) -> list[Alike]:
        assert self.history is not None
        return [
            self.history.alike(*columns, started=True) for columns in _likeness(self.history.jobs)
        ]


def _likeness(jobs: Workload) -> list[tuple[Ints, ...]]:
    size, limit = size_class(jobs.demand), size_class(jobs.requested_time)
    return [(jobs.queue, size, limit), (jobs.queue,), ()]
