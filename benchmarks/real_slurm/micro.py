"""The 500 jobs of the Slurm simulator's micro cluster, which ran on a real Slurm: accounting, and what the jobs
asked for, which the accounting does not tell. Settings as its authors publish them; their version shared fairly
in the classic way.
"""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import numpy as np

from packwise.model.workload import Workload

CONF = """ClusterName=micro
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=bf_max_job_user=20,bf_window=4320,bf_interval=30,bf_max_job_test=1200,default_queue_depth=1200
FairShareDampeningFactor=5
PriorityFlags=NO_FAIR_TREE
PriorityDecayHalfLife=0-4
PriorityWeightFairshare=50000
PriorityWeightAge=50000
PriorityMaxAge=0-5
PriorityWeightPartition=1000000
PriorityWeightJobSize=200000
PriorityWeightQOS=20000
NodeName=DEFAULT CPUs=12 RealMemory=48000
NodeName=n[1-4] Feature=IB,CPU-N
NodeName=m[1-4] Feature=IB,CPU-M
NodeName=g1 Gres=gpu:2 Feature=IB,CPU-G
NodeName=b1 RealMemory=512000 Feature=IB,CPU-G,BigMem
PartitionName=normal Nodes=ALL Default=YES
PartitionName=debug Nodes=n[1-2]
"""
DUMP, JOBS = "slurm-micro.sacct.txt.gz", "slurm-micro.jobs.csv.gz"


def with_requests(workload: Workload, traces: Path) -> Workload:
    """The jobs with the features and GPUs that they asked for."""
    with gzip.open(traces / JOBS, "rt") as stream:
        rows = {int(row["job_id"]): row for row in csv.DictReader(stream, delimiter=";")}
    asked = [rows[job] for job in workload.id.tolist()]
    words = ("", *sorted({row["constraint"] for row in asked if row["constraint"]}))
    features = np.array([words.index(row["constraint"]) for row in asked])
    gpus = np.array([int(row["gres"].rpartition(":")[2] or 0) for row in asked])
    return workload.replace(
        extra={**workload.extra, "features": features},
        names={**workload.names, "features": words},
        per_unit={**workload.per_unit, "gpus": gpus},
    )
