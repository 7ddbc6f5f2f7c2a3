"""The 18 fields of a job line in the Standard Workload Format, version 2.2.

S. J. Chapin et al., "Benchmarks and Standards for the Evaluation of Parallel Job Schedulers",
Job Scheduling Strategies for Parallel Processing, LNCS 1659, 1999; the definition is kept at
https://www.cs.huji.ac.il/labs/parallel/workload/swf.html. ``-1`` means unknown in every field.
"""

from __future__ import annotations

from typing import Final

#: Column name and what the field means, in file order.
FIELDS: Final[dict[str, str]] = {
    "job_id": "job number",
    "submit": "submit time",
    "wait": "wait time",
    "runtime": "run time",
    "used_procs": "processors used",
    "cpu_time": "average CPU time used",
    "used_memory": "memory used",
    "requested_procs": "processors requested",
    "requested_time": "requested time",
    "requested_memory": "memory requested",
    "status": "status",
    "user": "user",
    "group": "group",
    "app": "executable",
    "queue": "queue",
    "partition": "partition",
    "preceding_job": "preceding job",
    "think_time": "think time",
}

NAMES: Final = tuple(FIELDS)

#: Fields that may hold decimals; all others are whole numbers.
FLOAT_FIELDS: Final = frozenset({"cpu_time", "used_memory", "requested_memory", "think_time"})

#: Fields that a Workload keeps in ``extra``, so that writing loses nothing.
EXTRA_FIELDS: Final = (
    "wait",
    "used_procs",
    "cpu_time",
    "used_memory",
    "requested_procs",
    "requested_memory",
    "partition",
    "preceding_job",
    "think_time",
)
