"""HCP'19: the schedule by constraint programming as if all nodes were one, the nodes by best fit.

As told in Galleguillos, Kiziltan and Soto, CP 2021, section 1.
"""

from __future__ import annotations

from dataclasses import replace

from packwise.optimise.cp.nodes.method import Found, Method, Task, find_with
from packwise.optimise.cp.nodes.scheduling import SchedulingModel


def find(task: Task) -> Found:
    """The schedule alone. Who is planned for now and has no place then, is postponed."""
    return replace(find_with(SchedulingModel, task), relaxed=task.allocated)


HCP19 = Method(find)
