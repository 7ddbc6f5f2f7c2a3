"""One metric of one grid point, over its replicas: the value, and the change against the baseline."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Cell:
    """Means over replicas, with half-widths of their confidence intervals (None: one replica).

    ``change`` is the mean of the changes in per cent, replica by replica (paired), against the
    baseline: None where there is no baseline result or it is 0. ``significant`` tells whether the
    change differs from 0 at the study's confidence; None where one replica cannot tell. ``pairs``
    counts the replicas that both sides have: the change is over these.
    """

    value: float
    half_width: float | None
    change: float | None
    change_half_width: float | None
    significant: bool | None
    replicas: int
    pairs: int = 0
