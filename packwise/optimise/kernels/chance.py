"""Random numbers of a search: the same for the same seed and round, whatever came before."""

from __future__ import annotations

import numpy as np

from packwise.compiled import inlined


@inlined
def seed_random(space, seed, now, n):
    """Let the random numbers of a round depend on the seed, the moment and the queue, not on the past."""
    x = np.uint64(seed) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(now)
    x = x * np.uint64(0xBF58476D1CE4E5B9) + np.uint64(n)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    x = x ^ (x >> np.uint64(31))
    space.random[0] = np.int64(x | np.uint64(1))


@inlined
def draw(space):
    """The next random number in [0, 1): xorshift64, Marsaglia 2003."""
    x = np.uint64(space.random[0])
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    space.random[0] = np.int64(x)
    return float(x >> np.uint64(11)) / 9007199254740992.0
