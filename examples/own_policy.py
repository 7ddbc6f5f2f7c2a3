"""A policy of one's own: widest job first, and no job overtakes one that waited over a day.

From the command line: packwise replay log.swf --policy examples/own_policy.py:WidestFirst
"""

from packwise import Cluster, Decision, View, check_policy, simulate, summarize

DAY = 86_400


class WidestFirst:
    """Widest job first; whoever waited over a day goes before all others."""

    name = "widest-first"

    def decide(self, view: View) -> Decision:
        def urgency(job: int) -> tuple[bool, int]:
            return (view.now - view.submit[job] <= DAY, -view.demand[job])

        start, free = [], view.free
        for job in sorted(view.queue.tolist(), key=urgency):
            if view.demand[job] <= free:
                start.append(job)
                free -= view.demand[job]
            elif view.now - view.submit[job] > DAY:
                break  # keep the free processors for it
        return Decision(start=start)


if __name__ == "__main__":
    from packwise.workloads.lublin import generate

    report = check_policy(WidestFirst())
    print("contract:", "kept" if report.ok else report.problems)
    run = simulate(generate(2000, 64, seed=1, load=0.8), Cluster.pool(64), WidestFirst())
    print(summarize(run.workload, run.cluster, run.schedule, ["BSLD", "AWF", "max_wait"]))
