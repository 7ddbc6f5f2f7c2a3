"""Three policies on one synthetic workload, and which one is best depends on whom you ask."""

from packwise import Cluster, simulate, summarize
from packwise.registry import policy
from packwise.workloads.lublin import generate

cluster = Cluster.pool(128)
workload = generate(3000, cluster.procs, seed=7, load=0.9)
names = ("BSLD", "AWF", "P2SF", "max_wait")

print(f"{'policy':10}" + "".join(f"{name:>12}" for name in names))
for choice in ("easy", "list-saf", "list-laf"):
    run = simulate(workload, cluster, policy(choice))
    values = summarize(run.workload, run.cluster, run.schedule, names)
    print(f"{choice:10}" + "".join(f"{values[name]:12,.0f}" for name in names))
