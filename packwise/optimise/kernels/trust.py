"""How far estimates are to be trusted, by how those of ended jobs did."""

from __future__ import annotations

from packwise.compiled import compiled, inlined

# How the estimates of ended jobs did: the sum of the ratios of the smaller to the larger of E and D, in
# millionths, their number, and how many ran longer.
RATIOS, JUDGED, OUTLIVED = range(3)
MILLION = 1_000_000

#: Trust in estimates before anything is known counts as this many jobs whose estimates were right.
PRIOR = 10

#: More jobs than this part of them that outlive their estimates are too many to rely on these.
OFTEN = 0.02


@inlined
def judge(experience, estimate, runtime):
    """Learn from an ended job how good estimates are."""
    smaller = max(min(estimate, runtime), 1)
    larger = max(estimate, runtime, 1)
    experience[RATIOS] += MILLION * smaller // larger
    experience[JUDGED] += 1
    experience[OUTLIVED] += runtime > estimate


@inlined
def doubt_after(experience):
    """How far estimates are to be doubted, from 0 to 1: fully if they are off by half, as limits are."""
    known = float(experience[RATIOS]) / MILLION + PRIOR
    return min(1.0, 2.0 * (1.0 - known / (experience[JUDGED] + PRIOR)))


@inlined
def outlived(experience):
    """Whether jobs run longer than estimated so often that no reservation should rely on estimates."""
    return experience[OUTLIVED] > OFTEN * (experience[JUDGED] + PRIOR)


@compiled
def judge_all(experience, estimates, runtimes):
    """Add these ended jobs to the experience."""
    for i in range(estimates.size):
        judge(experience, estimates[i], runtimes[i])
