"""The dispatchers by name: what each models, and how long it searches."""

from __future__ import annotations

from typing import NamedTuple

from packwise.optimise.cp.nodes.original.boxes import BackToStartModel, BoxesModel
from packwise.optimise.cp.nodes.original.copies import CopiesModel
from packwise.optimise.cp.nodes.original.effort import MOST_DOUBLED, Effort
from packwise.optimise.cp.nodes.original.schedule import ScheduleModel


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


#: Roughly what a second is enough for, on rounds of Eurora in which a hundred jobs wait.
METHODS: dict[str, Method] = {
    "pcp19": Method(CopiesModel, _restarted(300)),
    "hcp19": Method(ScheduleModel, _restarted(8000)),
    "pcp21": Method(BoxesModel, _continued(500)),
    "pcp21s": Method(BackToStartModel, _continued(500)),
}
