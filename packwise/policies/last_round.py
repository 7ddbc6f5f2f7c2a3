"""What policies with one reservation remember of the round before: whether there is anything new to look at."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from packwise.model.view import View, fits_on_nodes
from packwise.model.workload import Ints


class Seen(NamedTuple):
    """Who ran after a round, and which nodes were out."""

    running: Ints
    out: Ints | None

    @classmethod
    def of(cls, view: View, start: Ints) -> Seen:
        return cls(np.append(view.running, start), None if view.nodes is None else view.nodes.out)


def nothing_new_fits(view: View, last: Seen | None) -> bool:
    """Whether only arrivals cause this round, and none of them fits: see ``list_round``."""
    if last is None or not np.isin(last.running, view.running).all():
        return False
    out = None if view.nodes is None else view.nodes.out
    if out is not None and last.out is not None and (out != last.out).any():
        return False
    new = view.queue[view.submit[view.queue] == view.now]
    if not new.size:
        return False
    if view.cap is not None and view.now in view.cap.rises:
        return False
    if view.nodes is not None and view.nodes.matter:
        if view.cap is not None:
            new = new[view.cap.draw[new] <= max(view.cap.left(view.now, view.running), 0)]
        return not any(fits_on_nodes(view.nodes, job) for job in new.tolist())
    return bool((view.demand[new] > view.free).all())
