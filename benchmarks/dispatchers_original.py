"""The dispatchers on OR-Tools' original solver: what a decision takes, against the ratios of the paper.

``python -m benchmarks.dispatchers_original --traces FOLDER --store FILE`` replays Eurora's log under each, and
solves saved rounds of it, the same for all, with the limits of the paper. What is in the store is not done
again; ``--only TEXT`` does a part, ``--jobs`` takes the first jobs of the log alone, and ``--share 0.05`` gives
a replay that part of the limits. Then it prints the ratios of table 1.
"""

from __future__ import annotations

import argparse
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.dispatchers import EURORA_LOG, timed
from benchmarks.dispatchers_rounds import views_of
from benchmarks.dispatchers_store import Store
from packwise import View
from packwise.clusters.finding import find_cluster
from packwise.model.errors import PackwiseError
from packwise.model.placement import DEFAULT_PLACEMENT
from packwise.optimise.cp.nodes.original.methods import METHODS
from packwise.registry import policy
from packwise.workloads.trace import load_trace
from packwise.workloads.window import Window

NAMES = ("hcp19", "pcp19", "pcp21")
BELIEVED = {"D": "data-driven", "R": "exact"}
#: Mean times of a decision in table 1 of the paper: whose against whose, and the ratio.
CLAIMS = (
    ("pcp21-D", "hcp19-D", 0.53),
    ("pcp21-D", "pcp19-D", 0.41),
    ("pcp21-R", "hcp19-R", 0.72),
    ("pcp21-R", "pcp19-R", 0.55),
    ("pcp21-D", "pcp21-R", 0.82),
)


def limited(name: str, share: float) -> str:
    """A dispatcher with a part of its usual branches."""
    return f"{name}(solver=cp,branches={max(1, round(share * METHODS[name].effort.branches))})"


def replayed(name: str, believed: str, traces: Path, jobs: int | None) -> dict[str, Any]:
    eurora = find_cluster("eurora")
    log = load_trace(traces / EURORA_LOG, None, Window(), on=eurora).workload
    some = log if jobs is None else log.select(np.arange(min(jobs, len(log))))
    return timed(some, eurora, name, believed, DEFAULT_PLACEMENT)


def decided(view: View, name: str) -> dict[str, Any]:
    """A saved round, with what its search came to."""
    dispatcher = policy(f"{name}(solver=cp)")
    begin = time.process_time()
    decision = dispatcher.decide(view)
    return {"seconds": time.process_time() - begin, **decision.notes}


def gather(traces: Path, store: Store, jobs: int | None, share: float, every: int) -> None:
    for label, believed in BELIEVED.items():
        for name in NAMES:
            some = "" if jobs is None else f" | {jobs} jobs"
            key = f"replay | {name}-{label} | {share:g}{some}"
            store.add(key, partial(replayed, limited(name, share), believed, traces, jobs))
        if not store.wants(f"rounds | {label} | {every} | done"):
            continue
        for number, view in enumerate(views_of("Eurora", believed, traces, every)):
            for name in NAMES:
                key = f"round | {name}-{label} | {every} | {number}"
                store.add(key, partial(decided, view, name))
        store.add(f"rounds | {label} | {every} | done", dict)


def ratios(store: Store) -> list[str]:
    """A line for each claim of the paper and each way of measuring it."""
    times: dict[tuple[str, str], list[float]] = {}
    for key, value in store.known.items():
        kind, who, *which = key.split(" | ")
        if kind == "replay":
            times.setdefault((" | ".join([kind, *which]), who), []).append(value["dispatch_ms"])
        elif kind == "round":
            times.setdefault((f"{kind} | {which[0]}", who), []).append(1000 * value["seconds"])
    lines = []
    for way in sorted({way for way, _ in times}):
        for who, against, paper in CLAIMS:
            if (way, who) in times and (way, against) in times:
                mine, other = np.mean(times[way, who]), np.mean(times[way, against])
                lines.append(
                    f"{way}: {who} {mine:.1f} ms, {against} {other:.1f} ms: ratio {mine / other:.2f}, "
                    f"in the paper {paper}"
                )
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--traces", type=Path, required=True, help="folder with Eurora's log")
    parser.add_argument("--store", type=Path, required=True, help="results so far, as JSON lines")
    parser.add_argument("--only", default="", help="do what has this in its key, as 'pcp21-D'")
    parser.add_argument("--jobs", type=int, help="replay the first jobs alone (all)")
    parser.add_argument("--share", type=float, default=1.0, help="of the limits (%(default)s)")
    parser.add_argument(
        "--every", type=int, default=90, help="how many rounds are left out for one"
    )
    options = parser.parse_args()
    store = Store(options.store, options.only)
    gather(options.traces, store, options.jobs, options.share, options.every)
    print("\n".join(ratios(store)))
    return 0


if __name__ == "__main__":
    try:
        raise SystemExit(main())
    except PackwiseError as error:
        raise SystemExit(f"error: {error}") from error
