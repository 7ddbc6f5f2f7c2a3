"""Sorting places by two keys."""

from __future__ import annotations

from packwise.compiled import apart


@apart
def sort_by(places, first, second, n):
    """Shell sort of places by (first, second, place)."""
    gap = 1
    while gap < n // 9:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            place_i = places[i]
            one = first[place_i]
            two = second[place_i]
            k = i
            while k >= gap:
                other = places[k - gap]
                if first[other] > one or (
                    first[other] == one
                    and (second[other] > two or (second[other] == two and other > place_i))
                ):
                    places[k] = other
                    k -= gap
                else:
                    break
            places[k] = place_i
        gap //= 3
