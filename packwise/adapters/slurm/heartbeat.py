"""The heartbeat: renews the lease of the nodes while the live scheduler goes round.

It is a thread of its own, lest a plan that takes long lets the lease lapse. It renews only as long as the next
round is not due since more than a lease: if planning hangs, the queue goes back to Slurm, too.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event, Thread

from packwise.adapters.slurm.commands import Command, SlurmError
from packwise.adapters.slurm.writer import SlurmWriter


class Heartbeat:
    """``command``: what renews. ``lease`` in seconds; renewed three times as often."""

    def __init__(
        self,
        writer: SlurmWriter,
        command: Callable[[], Command],
        lease: float,
        complain: Callable[[str], None] = lambda text: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._writer = writer
        self._command = command
        self._lease = lease
        self._complain = complain
        self._clock = clock
        self._well = float("-inf")
        self._stop = Event()
        self._thread = Thread(target=self._go, name="heartbeat", daemon=True)

    def beat(self, pause: float = 0.0) -> None:
        """A round has ended well, and the next one begins after so many seconds. Nodes are not kept for longer
        than another lease without one: if rounds are that far apart, Slurm does better by itself.
        """
        self._well = self._clock() + min(pause, self._lease)

    def renew(self) -> bool:
        """Renew, if all is well. Returns whether it was sent."""
        if self._clock() - self._well > self._lease:
            return False
        try:
            for sent in self._writer.send([self._command()]):
                for line in sent.problems:
                    self._complain(f"the lease was not renewed: {line}")
        except SlurmError as error:
            self._complain(f"the lease was not renewed: {error}")
        return True

    def _go(self) -> None:
        while not self._stop.wait(self._lease / 3):
            self.renew()

    def __enter__(self) -> Heartbeat:
        self._thread.start()
        return self

    def stop(self) -> None:
        """No more from now on: nothing is under way when this returns."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def __exit__(self, *_: object) -> None:
        self.stop()
