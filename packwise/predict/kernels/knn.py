"""The nearest completed jobs, and a quantile of how much of their limits they used.

Only what a job asked for decides how near it is, so jobs that asked for the same share an answer, and it
holds until a job has ended that can be among the nearest.
"""

from __future__ import annotations

from packwise.predict.kernels.kernel import (
    FINISHED,
    INTERRUPTED,
    OUTLIVED,
    STARTED,
    inlined,
    kernel,
    real_numbers,
    whole_numbers,
)
from packwise.predict.kernels.quantile import quantile_above

# By job
LIMIT, RUNTIME, USER, APP, QUEUE, LOG_LIMIT, LOG_DEMAND, KIND = range(8)
# Completed jobs in the order of their ends: of each user from FIRST on, COUNT of them; of all users
FIRST, COUNT, OF_USER, OF_ALL, ALL = range(8, 13)
# By kind of job: the answer, and which completed jobs it was made from
ANSWER, MADE_FROM = range(13, 15)
# The nearest so far
DISTANCE, SHARE = range(15, 17)
K_AND_MEMORY, QUANTILE = range(17, 19)

# What it costs to differ: in application, in queue, by a factor of e in limit or processors, by a job in age.
# Halving or doubling any of them changes little: under 2 % of the quantile loss on four logs of the archive.
OTHER_APP = 2.0
OTHER_QUEUE = 1.0
PER_LIMIT = 1.0
PER_DEMAND = 0.5
PER_JOB = 1e-3


@kernel
def knn(event, job, time, state):
    limit = whole_numbers(state, LIMIT)[job]
    user = whole_numbers(state, USER)[job]
    count = whole_numbers(state, COUNT)
    everyone = whole_numbers(state, ALL)
    first = whole_numbers(state, FIRST)[user]
    k = whole_numbers(state, K_AND_MEMORY)[0]
    if event in (STARTED, INTERRUPTED):
        return 0.0
    if event == FINISHED:
        whole_numbers(state, OF_USER)[first + count[user]] = job
        count[user] += 1
        whole_numbers(state, OF_ALL)[everyone[0]] = job
        everyone[0] += 1
        return 0.0
    own = count[user] >= k
    if not own and everyone[0] < k:
        return float(limit)
    kind = whole_numbers(state, KIND)[job]
    made_from = whole_numbers(state, MADE_FROM)
    answer = real_numbers(state, ANSWER)
    if own:
        past = whole_numbers(state, OF_USER)[first : first + count[user]]
        version = count[user]
    else:
        past = whole_numbers(state, OF_ALL)[: everyone[0]]
        version = -everyone[0]
    if event == OUTLIVED:
        find_nearest(job, past, state)
        return limit * quantile_above(
            real_numbers(state, SHARE), time / limit, real_numbers(state, QUANTILE)[0], 1
        )
    if made_from[kind] != version:
        find_nearest(job, past, state)
        answer[kind] = limit * quantile_above(
            real_numbers(state, SHARE), 0.0, real_numbers(state, QUANTILE)[0], 1
        )
        made_from[kind] = version
    return answer[kind]


@inlined
def find_nearest(job, past, state):
    """The shares of the k nearest of the last ``memory`` past jobs, nearest first; of equals the newer."""
    k = whole_numbers(state, K_AND_MEMORY)[0]
    memory = whole_numbers(state, K_AND_MEMORY)[1]
    distance = real_numbers(state, DISTANCE)
    share = real_numbers(state, SHARE)
    found = 0
    for age in range(min(past.size, memory)):
        other = past[past.size - 1 - age]
        far = distance_between(job, other, state) + PER_JOB * age
        if found < k:
            found += 1
        elif far >= distance[k - 1]:
            continue
        place = found - 1
        while place > 0 and distance[place - 1] > far:
            distance[place] = distance[place - 1]
            share[place] = share[place - 1]
            place -= 1
        distance[place] = far
        share[place] = whole_numbers(state, RUNTIME)[other] / whole_numbers(state, LIMIT)[other]


@inlined
def distance_between(a, b, state):
    """How much two jobs differ in what was asked for."""
    app = whole_numbers(state, APP)
    queue = whole_numbers(state, QUEUE)
    limit = real_numbers(state, LOG_LIMIT)
    demand = real_numbers(state, LOG_DEMAND)
    total = PER_LIMIT * abs(limit[a] - limit[b]) + PER_DEMAND * abs(demand[a] - demand[b])
    if app[a] != app[b]:
        total += OTHER_APP
    if queue[a] != queue[b]:
        total += OTHER_QUEUE
    return total
