"""What the section about deadlines shows: the quantities of figures 2 and 4 to 7 of N'Takpé and Suter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from packwise.metrics.catalogue import metric
from packwise.metrics.definition import Metric


@dataclass(frozen=True)
class Quantity:
    """A metric, and how it is told. ``affected``: without the regular jobs that wait under no policy."""

    key: str
    short: str
    title: str
    axis: str
    caption: str
    metric: Metric
    affected: bool = False
    scale: Literal["linear", "log"] = "linear"
    unit: str = ""


WAIT_REGULAR: Final = Quantity(
    "regular-wait",
    "wait, regular",
    "Average wait of regular jobs",
    "average wait",
    "Jobs without a deadline, less those that start at once under every policy compared: these tell "
    "nothing apart.",
    metric("wait_regular"),
    affected=True,
)
WAIT_ALL: Final = Quantity(
    "all-wait",
    "wait, all",
    "Average wait of all jobs",
    "average wait",
    "All jobs, with a deadline or without one, also those that nobody lets wait: whether the patience "
    "of some costs the whole.",
    metric("wait"),
    unit="min",
)
STRETCH: Final = Quantity(
    "regular-stretch",
    "stretch",
    "Largest stretch of regular jobs",
    "(wait + limit) / limit",
    "The wait and the limit of the job that is treated worst, over its limit. One job decides it, so "
    "look at the trend and not at single points.",
    metric("max_limit_stretch_regular"),
    scale="log",
)
MISSES_DAY: Final = Quantity(
    "misses-day",
    "missed, 24 h",
    "Missed deadlines of at most 24 h",
    "missed deadlines",
    "Jobs that ended after a deadline at most 24 hours from their submission.",
    metric("deadline_misses_day"),
)
MISSES_LONGER: Final = Quantity(
    "misses-longer",
    "missed, longer",
    "Missed deadlines of more than 24 h",
    "missed deadlines",
    "Jobs that ended after a deadline more than 24 hours from their submission.",
    metric("deadline_misses_longer"),
)
USAGE: Final = Quantity(
    "usage",
    "use",
    "Average use of the deadlines",
    "% of the time until the deadline",
    "How much of the time from submission to deadline has passed when a job ends, on average over the "
    "deadline-driven jobs that did not start at once; 100 % is just in time.",
    metric("deadline_usage"),
)

#: The columns of a table of one case.
QUANTITIES: Final = (WAIT_REGULAR, WAIT_ALL, STRETCH, MISSES_DAY, MISSES_LONGER, USAGE)

#: Metrics that a report reads from the store for this section, whatever the study asks for.
MEASURED: Final = tuple(one.metric.name for one in QUANTITIES if not one.affected)
