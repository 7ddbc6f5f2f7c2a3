"""Pairs of jobs by the energy that they need: the amount of a resource times the duration."""

from __future__ import annotations

import numpy as np

from packwise.optimise.cp.nodes.instance import Instance

Pairs = list[tuple[int, int]]


def pairs_by_energy(instance: Instance) -> tuple[Pairs, Pairs]:
    """Those who cannot run side by side, and of the others those of whom the first is to start no later.

    In the first list two need more of a resource together than there is while the longer one lasts. In the
    second the first has the higher priority and needs no more energy of any resource that both need: that it
    goes first is a rule, by which better plans may be lost, and never all.
    """
    need = instance.need > 0
    length = instance.estimate[:, None]
    energy = (length * instance.units[:, None] * instance.need).astype(float)
    there = instance.capacity.sum(axis=0).astype(float)
    apart: Pairs = []
    ordered: Pairs = []
    for i in range(len(instance) - 1):
        shared = need[i] & need[i + 1 :]
        longer = np.maximum(length[i], length[i + 1 :]).astype(float)
        crowded = ((energy[i] + energy[i + 1 :] > there * longer) & shared).any(axis=1)
        smaller = ((energy[i] <= energy[i + 1 :]) | ~shared).all(axis=1) & shared.any(axis=1)
        apart += [(i, int(j)) for j in i + 1 + np.flatnonzero(crowded)]
        ordered += [(i, int(j)) for j in i + 1 + np.flatnonzero(smaller & ~crowded)]
    return apart, ordered
