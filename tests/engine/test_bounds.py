"""The compiled loops never leave their arrays: the same replays with bounds checking on.

Compiled without checks, an index beyond the end would read or write foreign memory unnoticed. A fresh
process compiles with checks, into a cache of its own, and replays workloads that fill every array: long
queues, a window that wraps, overruns, all jobs at once.
"""

from __future__ import annotations

import os
import subprocess
import sys

SCRIPT = """
import numpy as np
from packwise import Cluster, ConservativePolicy, Exact, ListPolicy, Requested, simulate
from packwise.policies.orders import ORDERS
from packwise.workloads.lublin import generate

busy = generate(1500, 64, 3, load=1.2)
heap = generate(300, 64, 4).replace(submit=np.zeros(300, np.int64))
serial = busy.replace(demand=np.ones(len(busy), np.int64))
policies = [
    ListPolicy(),
    ListPolicy(order=ORDERS["laf"]),
    ListPolicy(order=ORDERS["wfp"], threshold=3600),
    ListPolicy(depth=1, backfill_order=ORDERS["sjf"]),
    ListPolicy(depth=3, backfill_order=ORDERS["saf"]),
    ListPolicy(option="greedy", order=ORDERS["saf"]),
    ConservativePolicy(),
]
for workload in (busy, heap, serial):
    for policy in policies:
        for estimate in (Requested(), Exact(), Exact(0.5)):
            run = simulate(workload, Cluster.pool(64), policy, estimate)
            assert run.schedule.ran.all()
from packwise.predict.catalogue import COMPILED, predictor

for workload in (busy, heap, busy.replace(user=np.full(len(busy), -1))):
    for name in COMPILED:
        for corrector in ("steps", "conditional"):
            believed = predictor(f"{name}(corrector={corrector})")
            for policy in (policies[0], policies[3], policies[-1]):
                simulate(workload, Cluster.pool(64), policy, believed)
        simulate(heap, Cluster.pool(64), policies[1], predictor(name), stepped=True)
from packwise.optimise.bounds import bound_of_metric
from packwise.optimise.offline import Budget, Log, solve
from packwise.optimise.round import Round
from packwise.registry import policy

for workload in (busy, heap, serial):
    for name in ("AF,window=8", "AWF", "BSLD,window=300", "P2SF,window=3", "0.5*AF+0.5*P1SF"):
        for estimate in (Requested(), Exact(0.5)):
            searched = policy(f"packwise(objective={name},budget=20)")
            simulate(workload, Cluster.pool(64), searched, estimate)
simulate(heap, Cluster.pool(64), policy("packwise(window=5)"), Exact(0.5), stepped=True)
for metric in ("AF", "BSLD", "P2SF"):
    jobs = heap.demand, heap.runtime
    now = np.zeros(1, np.int64)
    full = np.array([64], np.int64)
    bound_of_metric(metric, Round(0, 64, np.arange(300), heap.submit, *jobs, now, full))
    solve(Log(busy.submit, busy.demand, busy.runtime, 64, metric), Budget(evaluations=3000))
stepped = simulate(heap, Cluster.pool(64), ConservativePolicy(), Exact(0.5), stepped=True)
assert stepped.schedule.ran.all()
print("within bounds")
"""


def test_no_index_leaves_its_array(tmp_path):
    environment = os.environ | {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip() == "within bounds"
    assert done.stderr == ""  # where an exception inside a C function would be told
