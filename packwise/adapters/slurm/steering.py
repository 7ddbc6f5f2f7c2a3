"""Steering: site factors that bring the queue into the order of a plan, changing as few jobs as possible."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple


class Steered(NamedTuple):
    """New site factors, by raw id; and how many jobs the band keeps from where the plan wants them."""

    change: dict[int, int]
    beyond: int


def steer(order: Sequence[int], priority: Mapping[int, tuple[int, int]], band: int) -> Steered:
    """Site factors with which jobs come in this order, the first first.

    ``priority``: of each job its priority and the site factor that is in it. Those that are in order already
    (as many as possible: a longest falling subsequence) stay as they are; the others get a place
    between them. So as few change as possible, as long as the band has room for those places. If it has not,
    values in order are found nevertheless, if there are any, with more changes than need be. If there are none,
    a job comes as near to its place as the band lets it, and ``beyond`` counts who is not in order then. No
    factor is beyond ``band``, either way, no priority below 1, and steering again changes nothing.

    A job of priority 0 is held by somebody, and left alone; so is one that would have none within the band (its
    factor is from a wider one).
    """
    jobs = [
        raw
        for raw in order
        if raw in priority and priority[raw][0] > max(0, priority[raw][1] - band)
    ]
    base = [priority[raw][0] - priority[raw][1] for raw in jobs]
    now = [priority[raw][0] for raw in jobs]
    low = [max(basis - band, 1) for basis in base]
    high = [basis + band for basis in base]
    values = _within(_fitted(now, _falling(now)), low, high)
    if _out_of_order(values):
        values = _nearest(now, low, high)
    change = {
        raw: value - basis
        for raw, value, basis in zip(jobs, values, base, strict=True)
        if value != priority[raw][0]
    }
    return Steered(change, _out_of_order(values))


def _within(values: Sequence[int], low: Sequence[int], high: Sequence[int]) -> list[int]:
    """The values, or what the band allows."""
    return [
        min(max(value, least), most) for value, least, most in zip(values, low, high, strict=True)
    ]


def _out_of_order(values: Sequence[int]) -> int:
    """Jobs that do not come after one that should come before them."""
    found = 0
    lowest: int | None = None
    for value in values:
        if lowest is not None and value >= lowest:
            found += 1
        lowest = value if lowest is None else min(lowest, value)
    return found


def _nearest(now: Sequence[int], low: Sequence[int], high: Sequence[int]) -> list[int]:
    """Values in order, if there are any: from the first one down, each as it is, but above all that those
    behind it need, and below the one before it.
    """
    needed = list(low)
    for place in range(len(needed) - 2, -1, -1):
        needed[place] = max(needed[place], needed[place + 1] + 1)
    found: list[int] = []
    for place, value in enumerate(now):
        below = min(high[place], found[-1] - 1) if found else high[place]
        found.append(max(min(max(value, needed[place]), below), low[place]))
    return found


def _falling(values: Sequence[int]) -> list[bool]:
    """The members of a longest subsequence that falls, at each step by the room that the jobs between need, and
    leaves room for those below down to 1.
    """
    # Adding its place to each makes 'falls by one for each job between them' into 'does not rise'.
    level = [-(value + place) for place, value in enumerate(values)]
    tails: list[int] = []
    last: list[int] = []
    before = [-1] * len(level)
    for place, value in enumerate(level):
        if values[place] < len(values) - place:
            continue
        at = bisect_left(tails, value + 1)  # equal ones may follow each other
        before[place] = last[at - 1] if at else -1
        if at == len(tails):
            tails.append(value)
            last.append(place)
        else:
            tails[at], last[at] = value, place
    member = [False] * len(level)
    place = last[-1] if last else -1
    while place >= 0:
        member[place] = True
        place = before[place]
    return member


def _fitted(values: Sequence[int], stay: Sequence[bool]) -> list[int]:
    """Values that fall by one or more at each step: those that stay, and the others spread between them."""
    found = list(values)
    kept = [place for place, is_member in enumerate(stay) if is_member]
    edges = [-1, *kept, len(found)]
    for left, right in pairwise(edges):
        gap = right - left - 1
        if not gap:
            continue
        below = found[right] if right < len(found) else 0
        high = found[left] if left >= 0 else below + gap + 1
        low = below if right < len(found) else high - gap - 1
        for k in range(1, gap + 1):
            found[left + k] = high - (high - low) * k // (gap + 1)
    return found
