"""The forecaster: beside the rounds, a forecast of all who wait, now and then, and what these were worth.

Every job is asked for when it is first seen, and judged when it starts: so quantiles become those of this site
(``forecasts.json``), for `packwise slurm when` as well.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from packwise.adapters.slurm.foresight import (
    Foresight,
    Seen,
    load_forecasts,
    read_past,
    save_forecasts,
)
from packwise.adapters.slurm.seen import known_log
from packwise.adapters.slurm.snapshot import Snapshot
from packwise.model.errors import InputError

#: Seconds between forecasts, at least; and so many times what one takes.
_PAUSE, _TIMES = 60.0, 20.0
#: The history is read anew after so many seconds.
_FRESH = 3600.0
#: Futures in each; and the fewest that are worth it.
_COUNT, _FEWEST = 40, 10
#: What a forecast may take, in seconds: the next round waits for it.
_BUDGET = 5.0
#: So many futures tell how long one takes.
_TRIAL = 2


class Forecaster:
    """Looks at snapshots; ``starts`` are the quantiles of those who wait, by id. ``history``: a log that is
    read instead of that of the jobs seen.
    """

    def __init__(
        self,
        folder: Path,
        history: Path | None = None,
        *,
        pause: float = _PAUSE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.starts: dict[str, tuple[int, int, int]] = {}
        self._folder = folder
        self._history = history
        self._pause = pause
        self._clock = clock
        self._next = float("-inf")
        self._stale = float("-inf")
        self._sight: Foresight | None = None
        #: Seconds that a future takes, and that the last forecast took.
        self._each = self._took = 0.0
        #: Whether futures with a history, and without one, were replayed before: what replays them is compiled.
        self._warm: set[bool] = set()

    def look(self, snapshot: Snapshot) -> None:
        """Learn from who has started; forecast anew, if it is time."""
        now = self._clock()
        sight = self._foresight(snapshot, now)
        before = sight.calibration
        sight.settle(snapshot)
        waiting = {job.id for job in snapshot.jobs if job.waiting}
        if now >= self._next and any(job.for_room for job in snapshot.jobs):
            self._took = 0.0
            try:
                self._forecast(sight, snapshot)
            finally:  # whatever has become of this one
                self._next = self._clock() + max(self._pause, _TIMES * self._took)
        self.starts = {id: start for id, start in self.starts.items() if id in waiting}
        if sight.calibration is not before:
            save_forecasts(self._folder, sight.calibration)

    def _forecast(self, sight: Foresight, snapshot: Snapshot) -> None:
        known = sight.past.history is not None
        if known not in self._warm:  # compiling is no part of what a future takes
            sight.count = 1
            sight.look(snapshot)
            self._warm.add(known)
        if not self._each:
            self._timed(sight, snapshot, _TRIAL)
        count = int(min(_BUDGET / max(self._each, 1e-6), _COUNT))
        if count < _FEWEST:
            self.starts = {}
            each, self._each = self._each, 0.0  # it is tried anew
            raise InputError(
                f"a future of so many jobs takes {each:.1f} s, and {_FEWEST} of them would keep the plan "
                "waiting. `packwise slurm when` forecasts single jobs, beside it."
            )
        found = self._timed(sight, snapshot, count)
        self.starts = found.every()
        sight.remember(found, snapshot.now)

    def _timed(self, sight: Foresight, snapshot: Snapshot, count: int) -> Seen:
        sight.count = count
        begin = self._clock()
        found = sight.look(snapshot)
        took = self._clock() - begin
        self._each = took / count
        self._took += took
        return found

    def _foresight(self, snapshot: Snapshot, now: float) -> Foresight:
        if self._sight is None or now >= self._stale:
            log = self._history or known_log(self._folder)
            known = load_forecasts(self._folder) if self._sight is None else self._sight.calibration
            past = read_past(log, snapshot.cluster)
            self._sight = Foresight(past, "easy", _COUNT, calibration=known)
            # While little is known, it grows fast.
            self._stale = now + (_FRESH if past.history is not None else self._pause)
        return self._sight
