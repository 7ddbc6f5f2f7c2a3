"""Users and the time limits they ask for, for synthetic workloads.

D. Tsafrir, Y. Etsion, D. G. Feitelson, "Modeling User Runtime Estimates", Job Scheduling
Strategies for Parallel Processing, LNCS 3834, 2005, observed: users choose round values; twenty of
them cover about 90 % of the jobs; the site's maximum is among the most popular; a share of the jobs
runs to its limit and is killed there. The numbers below follow those observations; they are not
the paper's fitted model.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from packwise.model.workload import Ints

_MINUTE, _HOUR = 60, 3600

#: The values users choose from, in seconds.
ROUND_LIMITS: Final = np.array(
    [m * _MINUTE for m in (5, 10, 15, 20, 30, 45)]
    + [h * _HOUR for h in (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 24, 36, 48)],
    np.int64,
)

AT_MAXIMUM: Final = 0.2  # jobs that ask for the site's maximum
KILLED: Final = 0.1  # jobs that run to their limit exactly
VALUES_PER_USER: Final = 5  # round values in a user's habit, besides the maximum
STAY: Final = 0.8  # chance that the next job comes from the same user's session
SESSION_GAP: Final = 1200  # seconds without a job after which a session is over
POPULARITY: Final = 1.0  # exponent of the Zipf law of users


def draw_users(rng: np.random.Generator, submit: Ints, users: int) -> Ints:
    """A user (1, 2, ...) per job: few are very active, and jobs come in sessions.

    A job goes on with the previous one's session with probability ``STAY`` if it follows within
    ``SESSION_GAP``; otherwise a user is drawn by a Zipf law.
    """
    share = 1.0 / np.arange(1, users + 1) ** POPULARITY
    cumulative = np.cumsum(share) / share.sum()
    fresh = np.minimum(np.searchsorted(cumulative, rng.random(len(submit)), "right"), users - 1) + 1
    begins = rng.random(len(submit)) >= STAY
    begins[1:] |= np.diff(submit) > SESSION_GAP
    begins[0] = True
    user: Ints = fresh[np.flatnonzero(begins)[np.cumsum(begins) - 1]]
    return user


def draw_limits(rng: np.random.Generator, runtime: Ints, user: Ints) -> tuple[Ints, Ints]:
    """(run time, limit) per job; the run time of a killed job becomes its limit.

    Each user has a habit of a few round values. A job asks for one of those that are long enough,
    short ones first more often; if none is, for the site's maximum. A killed job would have run
    longer: its limit is the user's largest habit below the drawn run time, and it stops there.
    """
    jobs, people = len(runtime), int(user.max()) + 1
    values = len(ROUND_LIMITS)
    order = np.argsort(rng.random((people, values)), axis=1)
    habit = np.zeros((people, values), np.bool_)
    np.put_along_axis(habit, order[:, :VALUES_PER_USER], True, axis=1)
    habit[:, -1] = True
    # next_habit[u, k]: the first habitual value at k or later; last_habit: the last one up to k.
    place = np.arange(values)
    upward = np.where(habit, place, values)
    next_habit = np.minimum.accumulate(upward[:, ::-1], axis=1)[:, ::-1]
    last_habit = np.maximum.accumulate(np.where(habit, place, -1), axis=1)

    needed = np.minimum(np.searchsorted(ROUND_LIMITS, runtime), values - 1)
    generous = np.minimum(needed + rng.geometric(0.35, jobs) - 1, values - 1)
    choice = next_habit[user, generous]
    choice[rng.random(jobs) < AT_MAXIMUM] = values - 1
    below = np.where(needed > 0, last_habit[user, needed - 1], -1)
    killed = (rng.random(jobs) < _kill_chance(below)) & (below >= 0)
    choice[killed] = below[killed]
    limit = ROUND_LIMITS[choice]
    return np.where(killed, limit, np.minimum(runtime, limit)), limit


def _kill_chance(below: Ints) -> float:
    """The chance that makes ``KILLED`` of all jobs run to their limit, as far as there are any."""
    possible = float((below >= 0).mean())
    return min(KILLED / possible, 1.0) if possible > 0 else 0.0
