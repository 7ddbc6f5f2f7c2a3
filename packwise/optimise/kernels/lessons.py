"""What a search learns from jobs that have ended, where a metric weighs jobs by run times that it cannot know.

By BSLD a second of waiting counts 1/D, and D is not known while a job waits. A limit says little about it, so
the weight is learned: what jobs of about this estimate have weighed once they had ended. A class with few jobs,
or whose jobs differ widely, leans on the mean of all, or on what its estimate says where estimates are good (a
credibility mean, after Bühlmann, "Experience rating and credibility", 1967). Users differ more than classes do:
whose last jobs weighed more than was expected of them is expected to have more of these. With exact estimates
all that comes to the metric's own weight.

Just as well learned is what the jobs that come weigh, by width, and what part of their estimates jobs take.
On nodes those who come are of different sorts: see ``sorts.py``. There is a row of lessons for each term of an
objective whose weights are learned.
"""

from __future__ import annotations

import math

from packwise.compiled import inlined
from packwise.optimise.kernels.columns import DEMAND, ESTIMATE, FLOOR, KIND, LEARNED

DAY = 24 * 3600.0

#: Classes of widths (one for each doubling) and of estimates (two), the last ones without an end.
WIDTHS, LENGTHS = 24, 50
#: Resources of nodes by which those who come are told apart: the first ones of a machine.
KINDS = 6
SORTS = KINDS * WIDTHS
#: Users are told apart by their numbers, of which so many have a place of their own.
USERS = 1024

# By class of estimates: how many jobs ended, and sums: of weights, of their squares, and of the parts of their
# estimates that jobs took
COUNT, WEIGHT, SQUARES, PART = range(0, 4 * LENGTHS, LENGTHS)
# By class of widths the weights, and weights times widths
ARRIVING = 4 * LENGTHS
WIDE = ARRIVING + WIDTHS
# By sort the weights, and weights times what is needed of each resource
SORTED = WIDE + WIDTHS
NEEDED = SORTED + SORTS
# The work of ended jobs and what it was believed to be, their weights, their number, and from when to when they
# were there
DONE = NEEDED + SORTS * KINDS
BELIEVED, TOTAL, ENDED, SINCE, UNTIL = range(DONE + 1, DONE + 6)
# By user: what the last jobs weighed, and what was expected of them
WEIGHED, THOUGHT = UNTIL + 1, UNTIL + 1 + USERS
LESSONS = THOUGHT + USERS

#: All sums but those of users are halved after so many jobs: the last ones count, once to twice as many as half
#: of it.
KEPT = 20_000
#: Classes are taken to differ by half of the mean, so the mean counts as so many jobs for each unit of SPREAD.
LEAN = 4.0
#: What part of its estimate a class takes is believed once so many of its jobs have ended.
FEW = 5.0
#: Each job of a user counts so much of the next one; and against them count so many as good as expected.
FADING, AS_EXPECTED = 0.8, 4.0

#: What is made of the lessons for a round, by term: the mean weight, how widely weights differ within a class
#: (variance over squared mean), and the part of estimates that is taken.
MEAN, SPREAD, TAKEN = range(3)
FACTS = 3


@inlined
def learned_term(terms):
    """The first term whose weights are learned, or -1."""
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
def leaning(lessons, sums, length, prior, many):
    """The mean of a class, with the prior counting as so many jobs."""
    return (lessons[sums + length] + many * prior) / (lessons[COUNT + length] + many)


@inlined
def learn(lessons, term, demand, believed, runtime, user, now):
    """A job has ended."""
    if lessons[ENDED] == 0.0:
        lessons[SINCE] = float(now - runtime)
    width = width_class(demand)
    length = length_class(believed)
    weight = weight_by(term, demand, runtime)
    if user >= 0:
        mean = lessons[TOTAL] / lessons[ENDED] if lessons[ENDED] > 0.0 else weight
        thought = leaning(lessons, WEIGHT, length, mean, FEW)
        for k, value in ((WEIGHED, weight), (THOUGHT, thought)):
            lessons[k + user % USERS] = FADING * lessons[k + user % USERS] + value
    lessons[COUNT + length] += 1.0
    lessons[WEIGHT + length] += weight
    lessons[SQUARES + length] += weight * weight
    lessons[PART + length] += runtime / max(float(believed), 1.0)
    lessons[ARRIVING + width] += weight
    lessons[WIDE + width] += weight * demand
    lessons[DONE] += float(demand) * runtime
    lessons[BELIEVED] += float(demand) * believed
    lessons[TOTAL] += weight
    lessons[ENDED] += 1.0
    lessons[UNTIL] = float(now)
    if lessons[ENDED] > KEPT:
        for k in range(SINCE):
            lessons[k] *= 0.5
        lessons[SINCE] = 0.5 * (lessons[SINCE] + lessons[UNTIL])


@inlined
def sum_up(lessons, facts, rate, width):
    """Fill the facts of a round, and by class of widths the weight that comes per second and its mean width."""
    spread = 0.0
    for length in range(LENGTHS):
        count = lessons[COUNT + length]
        weight = lessons[WEIGHT + length]
        if count > 0.0 and weight > 0.0:
            mean = weight / count
            spread += max(lessons[SQUARES + length] / (mean * mean) - count, 0.0)
    facts[MEAN] = lessons[TOTAL] / max(lessons[ENDED], 1.0)
    facts[SPREAD] = (spread + 1.0) / (lessons[ENDED] + 1.0)
    facts[TAKEN] = (lessons[DONE] + 1.0) / (lessons[BELIEVED] + 1.0)
    seconds = max(lessons[UNTIL] - lessons[SINCE], DAY)
    for k in range(WIDTHS):
        rate[k] = lessons[ARRIVING + k] / seconds
        width[k] = lessons[WIDE + k] / lessons[ARRIVING + k] if lessons[ARRIVING + k] > 0.0 else 0.0


@inlined
def expected_weight(lessons, facts, term, doubt, demand, estimate, user):
    """What a waiting job is expected to weigh. A user's past counts as far as estimates are doubted, and raises
    it to no more than the shortest job weighs.
    """
    own = weight_by(term, demand, estimate)
    if facts[MEAN] <= 0.0:
        return own
    prior = facts[MEAN] ** doubt * own ** (1.0 - doubt)
    expected = leaning(lessons, WEIGHT, length_class(estimate), prior, LEAN * facts[SPREAD])
    if user < 0:
        return expected
    many = AS_EXPECTED * facts[MEAN]
    rating = (lessons[WEIGHED + user % USERS] + many) / (lessons[THOUGHT + user % USERS] + many)
    most = max(weight_by(term, demand, 0), expected)
    return min(expected * rating**doubt, most)


@inlined
def expected_part(lessons, facts, estimate):
    """What part of its estimate a waiting job is expected to take."""
    return leaning(lessons, PART, length_class(estimate), facts[TAKEN], FEW)
