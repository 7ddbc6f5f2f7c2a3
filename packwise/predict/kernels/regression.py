"""On-line linear regression with normalised adaptive gradient: Ross, Mineiro and Langford, UAI 2013.

As tuned for backfilling by Gaussier et al., SC 2015: 19 features of a job at its submission, the products of
pairs of the features 1 to 16 and the squares of the features 1 to 18. Sums run from the first term to the last:
learning is chaotic enough for another order of additions to give another schedule.

Two peculiarities are those of the schedules published with it: what stands for the run time of a user's past
job is the time since its submission, and the answer is the size of the linear form whatever its sign.
"""

from __future__ import annotations

import math

from packwise.predict.kernels.kernel import (
    FINISHED,
    INTERRUPTED,
    STARTED,
    SUBMITTED,
    inlined,
    kernel,
    real_numbers,
    whole_numbers,
)

SUBMIT, DEMAND, RUNTIME, LIMIT, USER = range(5)
# By user: completed jobs, the last three of them, sums over them, and the running ones as a list
DONE, RECENT, WORK, WIDTH, LAST_END, OLDEST, NEWEST = range(5, 12)
# By job: start, and the neighbours in the list of its user's running jobs
START, OLDER, NEWER = range(12, 15)
FEATURES, WEIGHTS, SCALES, GRADIENTS, SUMS = range(15, 20)

PLAIN = 19
PAIRED = 16
TERMS = PLAIN + PAIRED * (PAIRED - 1) // 2 + PLAIN - 1
TINY = 1e-9
STEP = 5000.0
RIDGE = 4e9
DAY = 86400
WEEK = 7 * DAY


@kernel
def regression(event, job, time, state):
    features = real_numbers(state, FEATURES)[job * PLAIN : (job + 1) * PLAIN]
    weights = real_numbers(state, WEIGHTS)
    if event == STARTED:
        join_running(job, time, state)
        return 0.0
    if event == INTERRUPTED:
        leave_running(job, state)
        return 0.0
    if event == FINISHED:
        leave_running(job, state)
        remember(job, time, state)
        learn(job, features, weights, state)
        return 0.0
    if event == SUBMITTED:
        describe(job, time, state, features)
    return math.floor(abs(linear_form(features, weights)))


@inlined
def join_running(job, now, state):
    """Add a job to the list of its user's running jobs, which is in the order of their starts."""
    user = whole_numbers(state, USER)[job]
    newest = whole_numbers(state, NEWEST)
    whole_numbers(state, START)[job] = now
    whole_numbers(state, OLDER)[job] = newest[user]
    whole_numbers(state, NEWER)[job] = -1
    if newest[user] >= 0:
        whole_numbers(state, NEWER)[newest[user]] = job
    else:
        whole_numbers(state, OLDEST)[user] = job
    newest[user] = job


@inlined
def leave_running(job, state):
    """Take a job out of the list of its user's running jobs."""
    user = whole_numbers(state, USER)[job]
    older = whole_numbers(state, OLDER)
    newer = whole_numbers(state, NEWER)
    if older[job] >= 0:
        newer[older[job]] = newer[job]
    else:
        whole_numbers(state, OLDEST)[user] = newer[job]
    if newer[job] >= 0:
        older[newer[job]] = older[job]
    else:
        whole_numbers(state, NEWEST)[user] = older[job]


@inlined
def remember(job, now, state):
    """Add a completed job to its user's history."""
    user = whole_numbers(state, USER)[job]
    recent = whole_numbers(state, RECENT)
    recent[3 * user + 2] = recent[3 * user + 1]
    recent[3 * user + 1] = recent[3 * user]
    recent[3 * user] = job
    whole_numbers(state, DONE)[user] += 1
    whole_numbers(state, WORK)[user] += whole_numbers(state, RUNTIME)[job]
    whole_numbers(state, WIDTH)[user] += whole_numbers(state, DEMAND)[job]
    whole_numbers(state, LAST_END)[user] = now


@inlined
def describe(job, now, state, x):
    """Fill in the features of a job that is submitted now."""
    submit = whole_numbers(state, SUBMIT)
    demand = whole_numbers(state, DEMAND)
    user = whole_numbers(state, USER)[job]
    limit = whole_numbers(state, LIMIT)[job]
    recent = whole_numbers(state, RECENT)
    done = whole_numbers(state, DONE)[user]
    x[0] = 1.0
    for k in range(3):
        x[1 + k] = limit if k >= done else min(limit, now - submit[recent[3 * user + k]])
    x[4] = limit
    x[5] = 0.5 * (x[1] + x[2]) if done >= 2 else x[1]
    x[6] = 0.33 * (x[1] + x[2] + x[3]) if done >= 3 else x[5]
    x[7] = 0.0
    x[8] = 0.0
    x[9] = 0.0
    if done > 0:
        x[7] = whole_numbers(state, WORK)[user] / done
        x[8] = now - whole_numbers(state, LAST_END)[user]
        x[9] = demand[job] / (whole_numbers(state, WIDTH)[user] / done)
    width = 0
    ages = 0
    count = 0
    running = whole_numbers(state, OLDEST)[user]
    start = whole_numbers(state, START)
    x[13] = now - start[running] if running >= 0 else 0.0
    while running >= 0:
        width += demand[running]
        ages += now - start[running]
        count += 1
        running = whole_numbers(state, NEWER)[running]
    x[10] = width
    x[11] = ages
    x[12] = count
    of_day = 2.0 * math.pi * (submit[job] % DAY) / float(DAY)
    of_week = 2.0 * math.pi * (submit[job] % WEEK) / float(WEEK)
    x[14] = math.cos(of_day)
    x[15] = math.sin(of_day)
    x[16] = math.cos(of_week)
    x[17] = math.sin(of_week)
    x[18] = demand[job]


@inlined
def linear_form(x, weights):
    """The weighted sum of all terms.

    Sizes are the arrays', not constants, or the compiler would write all 157 terms out, twice.
    """
    total = 0.0
    plain = x.size
    for i in range(plain):
        total += weights[i] * x[i]
    i = plain
    paired = plain - (PLAIN - PAIRED)
    for a in range(1, paired + 1):
        for b in range(a + 1, paired + 1):
            total += weights[i] * (x[a] * x[b])
            i += 1
    for a in range(1, plain):
        total += weights[i] * (x[a] * x[a])
        i += 1
    return total


@inlined
def expand(x, terms):
    """All terms: the features, the products of pairs, the squares."""
    plain = x.size
    for i in range(plain):
        terms[i] = x[i]
    i = plain
    paired = plain - (PLAIN - PAIRED)
    for a in range(1, paired + 1):
        for b in range(a + 1, paired + 1):
            terms[i] = x[a] * x[b]
            i += 1
    for a in range(1, plain):
        terms[i] = x[a] * x[a]
        i += 1


@inlined
def learn(job, x, weights, state):
    """One step of the normalised adaptive gradient.

    The loss is squared where the estimate was too long and absolute where it was too short.
    """
    scales = real_numbers(state, SCALES)
    gradients = real_numbers(state, GRADIENTS)
    sums = real_numbers(state, SUMS)
    terms = sums[2:]
    runtime = float(whole_numbers(state, RUNTIME)[job])
    importance = 1.0 + math.log(float(whole_numbers(state, DEMAND)[job]) * runtime)
    expand(x, terms)
    normalised = 0.0
    for i in range(weights.size):
        size = abs(terms[i])
        if size > scales[i]:
            weights[i] *= scales[i] / size
            scales[i] = size
        normalised += terms[i] * terms[i] / (scales[i] * scales[i])
    sums[0] += normalised
    error = linear_form(x, weights) - runtime
    for i in range(weights.size):
        slope = 0.0
        if error > 0.0:
            slope = importance * (2.0 * terms[i] * error)
        elif error < 0.0:
            slope = -importance * terms[i]
        slope += RIDGE * weights[i]
        gradients[i] += slope * slope
        weights[i] -= STEP * slope / (math.sqrt(sums[0] * gradients[i] / sums[1]) * scales[i])
    sums[1] += 2.0
