"""How PCP'21 solves a round: its model, or one of the variants that its authors leave to the future."""

from __future__ import annotations

from packwise.optimise.cp.nodes.identical import IdenticalNodesModel
from packwise.optimise.cp.nodes.lns import find_by_parts
from packwise.optimise.cp.nodes.method import Found, Method, Task, find_with
from packwise.optimise.cp.nodes.pcp21 import Pcp21Model
from packwise.optimise.cp.nodes.scheduling import SchedulingModel


def find(task: Task) -> Found:
    """Search the model of PCP'21 whole, or part by part."""
    if not task.allocated:
        return find_with(SchedulingModel, task)
    model = IdenticalNodesModel if task.options.get("identical") else Pcp21Model
    return (find_by_parts if task.options.get("lns") else find_with)(model, task)


PCP21 = Method(
    find,
    {
        "identical": "on or off: whether nodes that are alike are used in their order (off)",
        "lns": "on or off: whether a few jobs are planned anew at a time, again and again, not all (off)",
    },
)
