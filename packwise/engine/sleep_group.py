"""The arrays of nodes that sleep: see ``sleep``."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from packwise.engine.memory import Group

if TYPE_CHECKING:
    from packwise.model.workload import Ints

# Numbers: after how long without a job a node is asleep, how long it takes to boot; and on a pool how many
# processors a node has, how many are free, how many whole nodes these are, in how many parts they became so,
# and when the node with processors to spare has booted
AFTER, BOOT, SIZE, FREE_NOW, IDLE, PARTS, SPARE_READY = range(7)
NUMBERS = 7


class Sleep(NamedTuple):
    """By node: ``since`` when it has had no job, how many are on it (``busy``), and when it has booted for them
    (``ready``). On a pool there is none of that, but parts of the idle nodes: ``since`` when ``amount`` of them
    have had nothing to do.
    """

    numbers: Ints
    since: Ints
    amount: Ints
    busy: Ints
    ready: Ints


NO_SLEEP = Group(Sleep, (0,) * 5)
