"""How much are better run-time estimates worth? EASY with estimates of k times the true run time.

k = 1 is perfect knowledge. Above it the scheduler believes jobs to be longer than they are, below
it shorter; a job that outlives its estimate is then believed to run to its limit.
"""

from packwise import Cluster, Exact, Requested, simulate, summarize
from packwise.registry import policy
from packwise.workloads.lublin import generate

cluster = Cluster.pool(128)
workload = generate(3000, cluster.procs, seed=7, load=0.9)
estimates = [*(Exact(k) for k in (0.5, 0.8, 1, 1.25, 2, 5)), Requested()]

print(f"{'estimate':>11}{'BSLD':>9}{'AWF (h)':>9}{'P2SF (h)':>10}")
for estimate in estimates:
    run = simulate(workload, cluster, policy("easy"), estimate)
    values = summarize(run.workload, run.cluster, run.schedule, ["BSLD", "AWF", "P2SF"])
    print(
        f"{estimate.name:>11}{values['BSLD']:9.1f}"
        f"{values['AWF'] / 3600:9.1f}{values['P2SF'] / 3600:10.1f}"
    )
