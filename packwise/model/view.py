"""The view: all that a policy may know at a round."""

from __future__ import annotations

from typing import Any, NamedTuple

from packwise.model.workload import Ints


class View(NamedTuple):
    """The state at one round. Arrays are read-only.

    A job is a number: its position in submission order. ``queue`` and ``running`` hold such numbers;
    the columns (``submit`` ... ``app``) are indexed by them and end at the newest submitted job, so
    nothing of the future shows. ``deadline`` is NO_DEADLINE for a regular job; ``queue_number`` is the
    queue that a job was submitted to, if the site has several. There is no true run time
    here: a policy that wants to be clairvoyant is given the ``exact`` estimate.
    """

    now: int
    procs: int
    free: int
    queue: Ints
    running: Ints
    expected_end: Ints
    submit: Ints
    demand: Ints
    estimate: Ints
    limit: Ints
    user: Ints
    group: Ints
    app: Ints
    queue_number: Ints
    deadline: Ints
    memory: Any = None
