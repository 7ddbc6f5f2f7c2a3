"""The view: all that a policy may know at a round."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from packwise.model.allocation import Allocation
from packwise.model.energy.cap import PowerLimit
from packwise.model.energy.scenario import Clock, EnergyScenario
from packwise.model.workload import Ints


class Nodes(NamedTuple):
    """The nodes at one round, where the machine has nodes. Arrays are read-only.

    ``capacity`` and ``free`` have a row for each node and a column for each of ``resources``; a row of
    ``per_unit`` is what one unit of a job needs, by job number, and ``units`` how many it has. Those of the
    running jobs are on the nodes of ``held``, in the order of ``View.running``. A job may run on the nodes for
    which row ``where`` (by job number) of ``open`` is 1. ``whole`` is 1 for a node that a job has to itself.
    ``placement`` is the host's rule for units that a policy does not place. Where the nodes do not ``matter``,
    whatever fits by the number of processors has a place on the nodes. Nothing is free on a node that is
    ``out``: there the time at which it is expected back, and 0 for the others.
    """

    resources: tuple[str, ...]
    capacity: Ints
    free: Ints
    units: Ints
    per_unit: Ints
    held: Allocation
    where: Ints
    open: Ints
    whole: Ints
    placement: str
    matter: bool
    out: Ints


class Power(NamedTuple):
    """What power costs at one round, where the host knows that: the ``scenario``, on a ``clock`` that makes
    moments of the view's seconds, for a machine that draws ``rated`` watts at most.
    """

    scenario: EnergyScenario
    clock: Clock
    rated: float


class View(NamedTuple):
    """The state at one round. Arrays are read-only.

    A job is a number: its position in submission order. ``queue`` and ``running`` hold such numbers;
    the columns (``submit`` ... ``app``) are indexed by them and end at the newest submitted job, so
    nothing of the future shows. ``deadline`` is NO_DEADLINE for a regular job; ``queue_number`` is the
    queue that a job was submitted to, if the site has several. There is no true run time
    here: a policy that wants to be clairvoyant is given the ``exact`` estimate. ``nodes`` is None on a pool of
    processors, and ``power`` where nobody knows what that costs. ``free`` is what no job has, on nodes that
    are out, too: ``nodes.free`` tells what can be used. ``cap``: what jobs may draw from now on, for a policy
    that keeps to a power cap. ``late``, where nodes sleep: for how long a job holds, or held, nodes that boot,
    by job number; its estimate and its limit are longer by that.
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
    nodes: Nodes | None = None
    power: Power | None = None
    cap: PowerLimit | None = None
    late: Ints | None = None


def fits_on_nodes(nodes: Nodes, job: int) -> bool:
    """Whether all units of a job have a place on the nodes as they are."""
    needs = nodes.per_unit[job]
    some = needs > 0
    fits = (nodes.free[:, some] // needs[some]).min(axis=1)
    # A node that a job has to itself is open to others only while nothing runs on it.
    fits *= nodes.open[nodes.where[job]]
    fits[(nodes.whole > 0) & np.isin(np.arange(len(fits)), nodes.held.node)] = 0
    return bool(fits.clip(min=0).sum() >= nodes.units[job])
