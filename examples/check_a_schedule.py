"""Find out what is wrong with a schedule: here one that starts a job before there is room."""

from packwise import Cluster, Schedule, Workload, check_schedule

# (submit, processors, run time, limit), times in seconds
workload = Workload.of([(0, 3, 100, 120), (10, 2, 50, 60), (20, 4, 30, 30)])
cluster = Cluster.pool(4)

good = Schedule(start=[0, 100, 150], end=[100, 150, 180])
assert check_schedule(workload, cluster, good).ok

bad = Schedule(start=[0, 60, 15], end=[100, 110, 45])
verdict = check_schedule(workload, cluster, bad)
print(f"{verdict.total} problems, at most {verdict.peak_usage} processors in use")
for violation in verdict.violations:
    print(f"  {violation.kind}: {violation.message}")
