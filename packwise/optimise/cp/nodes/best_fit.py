"""Best fit: which nodes jobs get that are to start now, one after the other."""

from __future__ import annotations

import numpy as np

from packwise.model.view import View
from packwise.model.workload import Ints


def best_fit(view: View, jobs: Ints) -> dict[int, dict[int, int]]:
    """The nodes of those that have a place, by job number: first those on which the fewest units have one.

    As HCP'19 allocates (Galleguillos, Kiziltan and Soto, CP 2021, section 1): who has none is postponed.
    """
    nodes = view.nodes
    assert nodes is not None
    free = nodes.free.astype(np.int64)
    closed = np.zeros(len(free), np.bool_)
    closed[nodes.held.node] = nodes.whole[nodes.held.node] > 0
    closed[np.flatnonzero(free.min(axis=1) < 0)] = True  # more taken than there is, on a live host
    found: dict[int, dict[int, int]] = {}
    for job in jobs.tolist():
        needs = nodes.per_unit[job]
        fits = (free[:, needs > 0] // needs[needs > 0]).min(axis=1).clip(min=0)
        fits *= nodes.open[nodes.where[job]] * ~closed
        left = int(nodes.units[job])
        if int(fits.sum()) < left:
            continue
        found[job] = {}
        for node in np.lexsort(
            [np.arange(len(fits)), np.where(fits > 0, fits, len(fits) + fits.max())]
        ):
            take = min(left, int(fits[node]))
            if not take:
                break
            found[job][int(node)] = take
            free[node] -= take * needs
            closed[node] |= nodes.whole[node] > 0
            left -= take
            if not left:
                break
    return found
