"""Dates on the axes of still pictures."""

from __future__ import annotations

from typing import Any

import numpy as np

from packwise.model.workload import Floats
from packwise.pictures.canvas import DAY
from packwise.pictures.clock import Clock


def date_places(clock: Clock | None, days: Floats) -> Floats:
    """Days since the first submission as Matplotlib counts dates; as they are where there is no clock."""
    if clock is None:
        return days
    places: Floats = clock.local(np.asarray(days, np.float64) * DAY) / DAY
    return places


def name_dates(axis: Any, clock: Clock | None) -> None:
    """Ticks and title of an axis whose places come from ``date_places``."""
    if clock is None:
        axis.set_label_text("days since the first submission")
        return
    from matplotlib import dates

    made: Any = dates  # without types
    locator = made.AutoDateLocator(minticks=4, maxticks=9)
    axis.set_major_locator(locator)
    axis.set_major_formatter(made.ConciseDateFormatter(locator))
    axis.set_label_text(clock.title)
