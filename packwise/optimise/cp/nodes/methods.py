"""The dispatchers by name: what each models, and how long it searches."""

from __future__ import annotations

from typing import NamedTuple

from packwise.optimise.cp.nodes.boxes import BoxesModel
from packwise.optimise.cp.nodes.copies import CopiesModel
from packwise.optimise.cp.nodes.effort import MOST_DOUBLED, Effort
from packwise.optimise.cp.nodes.lowest import LowestModel
from packwise.optimise.cp.nodes.schedule import ScheduleModel


class Method(NamedTuple):
    """Where the plan of a model has no nodes, who is to start gets them by best fit."""

    model: type[ScheduleModel]
    effort: Effort


def _restarted(branches: int) -> Effort:
    """As the released PCP'19 and HCP'19: two searches in a row with the same result are the last."""
    return Effort(branches, MOST_DOUBLED * branches, extensions=1, restart=True)


def _continued(branches: int) -> Effort:
    """As the released PCP'21: more is given for a first plan, and nothing to better it."""
    return Effort(branches, MOST_DOUBLED * branches, extensions=0, restart=False)


#: What a second is enough for, on average over rounds of Eurora that take more than one.
METHODS: dict[str, Method] = {
    "pcp19": Method(CopiesModel, _restarted(60)),
    "hcp19": Method(ScheduleModel, _restarted(3500)),
    "pcp21": Method(BoxesModel, _continued(200)),
    "pcp21s": Method(LowestModel, _continued(500)),
}
