"""What a search learns from jobs that have ended, where a metric weighs jobs by run times that it cannot know.

By BSLD a second of waiting counts 1/D, and D is not known while a job waits. A limit says little about it, so
the weight is learned: what jobs of about this width and this estimate have weighed once they had ended. Classes
with few jobs, or whose jobs differ widely, lean on the next larger class (a credibility mean, after Bühlmann,
"Experience rating and credibility", 1967). With exact estimates that is the metric's own weight.

Just as well learned is what the jobs that come weigh, by width, and what part of their estimates jobs take.
"""

from __future__ import annotations

import math

from packwise.compiled import compiled, inlined
from packwise.optimise.kernels.columns import DEMAND, ESTIMATE, FLOOR, KIND, LEARNED

DAY = 24 * 3600.0

#: Classes of widths (one for each doubling) and of estimates (two), the last ones without an end.
WIDTHS, LENGTHS = 24, 50
CELLS = (WIDTHS + 1) * LENGTHS
#: The cells of all widths together come last.
ALL = WIDTHS * LENGTHS

# By cell: how many jobs ended, the sum of their weights, and of the parts of their estimates that they took
COUNT, WEIGHT, PART = 0, CELLS, 2 * CELLS
# By class of estimates the squares of weights; by class of widths the weights, and weights times widths
SQUARES = 3 * CELLS
ARRIVING = SQUARES + LENGTHS
WIDE = ARRIVING + WIDTHS
# The work of ended jobs and what it was believed to be, their number, and from when to when they were there
DONE, BELIEVED, ENDED, SINCE, UNTIL = range(WIDE + WIDTHS, WIDE + WIDTHS + 5)
LESSONS = UNTIL + 1

#: All sums are halved after so many jobs: the last ones count, once to twice as many as half of it.
KEPT = 20_000

#: What is made of the lessons for a round: the mean weight, how widely weights differ within a class (variance
#: over squared mean), the part of estimates that is taken; and, of newcomers (``newcomers.py``), what their
#: waiting counts, and what they pay at least.
MEAN, SPREAD, TAKEN, COUNTS, LEAST = range(5)
FACTS = 5


@inlined
def learned_term(terms):
    """The term whose weights are learned, or -1."""
    found = -1
    for t in range(terms.size):
        if terms[t, KIND] == LEARNED and found < 0:
            found = t
    return found


@inlined
def weight_by(term, demand, duration):
    """What a job weighs by a metric if it runs so long."""
    return float(demand) ** term[DEMAND] * max(float(duration), term[FLOOR]) ** term[ESTIMATE]


@inlined
def width_class(demand):
    return min(int(math.log2(float(demand))), WIDTHS - 1)


@inlined
def length_class(estimate):
    return min(int(2.0 * math.log2(max(float(estimate), 1.0))), LENGTHS - 1)


@inlined
def learn(lessons, term, demand, believed, runtime, now):
    """A job has ended."""
    if lessons[ENDED] == 0.0:
        lessons[SINCE] = float(now - runtime)
    width = width_class(demand)
    length = length_class(believed)
    weight = weight_by(term, demand, runtime)
    part = runtime / max(float(believed), 1.0)
    for cell in (width * LENGTHS + length, ALL + length):
        lessons[COUNT + cell] += 1.0
        lessons[WEIGHT + cell] += weight
        lessons[PART + cell] += part
    lessons[SQUARES + length] += weight * weight
    lessons[ARRIVING + width] += weight
    lessons[WIDE + width] += weight * demand
    lessons[DONE] += float(demand) * runtime
    lessons[BELIEVED] += float(demand) * believed
    lessons[ENDED] += 1.0
    lessons[UNTIL] = float(now)
    if lessons[ENDED] > KEPT:
        for k in range(SINCE):
            lessons[k] *= 0.5
        lessons[SINCE] = 0.5 * (lessons[SINCE] + lessons[UNTIL])


@inlined
def sum_up(lessons, facts, rate, width):
    """Fill the facts of a round, and by class of widths the weight that comes per second and its mean width."""
    total = 0.0
    spread = 0.0
    for length in range(LENGTHS):
        count = lessons[COUNT + ALL + length]
        weight = lessons[WEIGHT + ALL + length]
        total += weight
        if count > 0.0 and weight > 0.0:
            mean = weight / count
            spread += max(lessons[SQUARES + length] / (mean * mean) - count, 0.0)
    facts[MEAN] = total / max(lessons[ENDED], 1.0)
    facts[SPREAD] = (spread + 1.0) / (lessons[ENDED] + 1.0)
    facts[TAKEN] = (lessons[DONE] + 1.0) / (lessons[BELIEVED] + 1.0)
    seconds = max(lessons[UNTIL] - lessons[SINCE], DAY)
    for k in range(WIDTHS):
        rate[k] = lessons[ARRIVING + k] / seconds
        width[k] = lessons[WIDE + k] / lessons[ARRIVING + k] if lessons[ARRIVING + k] > 0.0 else 0.0


@inlined
def expected_weight(lessons, facts, term, doubt, demand, estimate):
    """What a waiting job is expected to weigh."""
    own = weight_by(term, demand, estimate)
    mean = facts[MEAN] if facts[MEAN] > 0.0 else own
    prior = mean**doubt * own ** (1.0 - doubt)
    length = length_class(estimate)
    for cell in (ALL + length, width_class(demand) * LENGTHS + length):
        prior = (lessons[WEIGHT + cell] + facts[SPREAD] * prior) / (
            lessons[COUNT + cell] + facts[SPREAD]
        )
    return prior


#: What is known of a class is believed once so many of its jobs have ended.
FEW = 5.0


@inlined
def expected_part(lessons, facts, demand, estimate):
    """What part of its estimate a waiting job is expected to take."""
    part = facts[TAKEN]
    length = length_class(estimate)
    for cell in (ALL + length, width_class(demand) * LENGTHS + length):
        part = (lessons[PART + cell] + FEW * part) / (lessons[COUNT + cell] + FEW)
    return part


@compiled
def learn_all(lessons, term, demand, believed, runtime, now):
    """Learn from these ended jobs."""
    for i in range(demand.size):
        learn(lessons, term, demand[i], believed[i], runtime[i], now)
