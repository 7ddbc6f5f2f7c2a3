"""How good schedules on nodes are: ``packwise`` against the best of the list family, and the rules of
placement.

``python -m benchmarks.nodes_quality --traces FOLDER --store FILE`` replays Eurora's log and workloads like it
at three loads, several times each, and writes docs/benchmarks-nodes-quality.md. What is in the store is not
replayed again.

Said before anything was looked at: the jobs that judge are those of seeds 101 to 106, and Eurora's log. A
policy of the list family is the best in hindsight, per load, of all of them. ``scarce-last`` was changed after
a look at Eurora's log and at seeds 1 to 5; the machine of seeds 201 to 206 took no part.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from packwise import Cluster, Workload, simulate
from packwise.clusters.finding import find_cluster
from packwise.model import NodeGroup
from packwise.model.placement import DEFAULT_PLACEMENT, PLACEMENTS
from packwise.registry import estimate, policy
from packwise.workloads.accelerated import generate_accelerated
from packwise.workloads.trace import load_trace
from packwise.workloads.transform import scale_load, shake
from packwise.workloads.window import Window
from scripts.page import filled

PAGE = Path(__file__).resolve().parents[1] / "docs" / "benchmarks-nodes-quality.md"
EURORA = find_cluster("eurora")
ORDERS = ("sjf", "saf", "spf", "srf", "exp", "wfp", "unicef", "f1", "f2", "f3", "f4")
LISTS = (
    *("fcfs", "easy", "list-reg"),
    *(f"list-{order}" for order in ORDERS),
    *(f"{order}-easy" for order in ORDERS),
    *(f"easy-{order}" for order in ORDERS),
)
SEARCHED = ("packwise", "packwise(objective=AF)", "packwise(objective=BSLD)")
#: A minute or two for each replay of Eurora's log: not all of them.
SEARCHED_ON_THE_LOG = ("packwise", "packwise(objective=BSLD)")
#: In which the rules of placement are compared.
PLACED = ("easy", "list-sjf", "list-saf", "list-reg", "sjf-easy", "easy-sjf")
BELIEVED = ("requested", "exact")
LOADS, SEEDS, JOBS = (0.6, 0.75, 0.9), range(101, 107), 1500
FACTORS, SHAKES = (1.0, 1.3, 1.6), range(1, 3)
OTHER = Cluster(
    "other",
    (
        NodeGroup("cpu", 44, {"cores": 32, "memory": 131072}),
        NodeGroup("gpu", 16, {"cores": 48, "memory": 393216, "gpus": 4}),
        NodeGroup("fat", 4, {"cores": 64, "memory": 1048576}),
    ),
)
OTHER_LOADS, OTHER_SEEDS = (0.75, 0.9, 1.05), range(201, 207)


class Case(NamedTuple):
    """A workload: what of, at which load, and which copy."""

    what: str
    load: float
    seed: int


class Result(NamedTuple):
    """Of a replay: mean flow time, mean slowdown (unbounded), the wait that one job in a hundred exceeds, and
    the longest.
    """

    flow: float
    slowdown: float
    long_wait: float
    longest_wait: float


def cases() -> list[Case]:
    """Those in which the search is judged."""
    generated = [Case("like Eurora", load, seed) for load in LOADS for seed in SEEDS]
    return generated + [Case("Eurora", load, seed) for load in FACTORS for seed in SHAKES]


def other_cases() -> list[Case]:
    """Those in which only the rules of placement are compared."""
    return [Case(OTHER.name, load, seed) for load in OTHER_LOADS for seed in OTHER_SEEDS]


def searched_on(what: str) -> tuple[str, ...]:
    return SEARCHED_ON_THE_LOG if what == "Eurora" else SEARCHED


def cluster_of(case: Case) -> Cluster:
    return OTHER if case.what == OTHER.name else EURORA


def jobs_of(case: Case, traces: Path) -> Workload:
    if case.what == "Eurora":
        log = traces / "Eurora-2014.csv.gz"
        jobs = load_trace(log, None, Window(), on=EURORA).workload
        return shake(scale_load(jobs, case.load), case.seed)
    return generate_accelerated(JOBS, cluster_of(case), case.seed, load=case.load)


def replays() -> Iterator[tuple[Case, str, str, str]]:
    """What is to be replayed: case, policy, estimate, placement; what is fast first."""
    for case in cases():
        for believed in BELIEVED:
            for name in LISTS:
                yield case, name, believed, DEFAULT_PLACEMENT
    for case in (*cases(), *other_cases()):
        for believed in BELIEVED:
            for name in PLACED:
                for rule in PLACEMENTS:
                    if rule != DEFAULT_PLACEMENT or case.what == OTHER.name:
                        yield case, name, believed, rule
    for case in cases():
        for believed in BELIEVED:
            for name in searched_on(case.what):
                yield case, name, believed, DEFAULT_PLACEMENT


def replay(jobs: Workload, cluster: Cluster, name: str, believed: str, rule: str) -> Result:
    run = simulate(
        jobs, cluster, policy(name), estimate(believed), placement=rule, reject_too_large=True
    )
    runtime = run.workload.runtime
    wait = run.schedule.wait(run.workload)
    flow = wait + runtime
    long_wait = float(np.quantile(wait, 0.99))
    return Result(float(flow.mean()), float((flow / runtime).mean()), long_wait, float(wait.max()))


def gather(traces: Path, store: Path) -> dict[tuple[Any, ...], Result]:
    """What is to be replayed, and the results. What is in the store is not replayed again."""
    known: dict[tuple[Any, ...], Result] = {}
    if store.exists():
        for line in store.read_text().splitlines():
            case, name, believed, rule, result = json.loads(line)
            known[Case(*case), name, believed, rule] = Result(*result)
    jobs: Workload | None = None
    last: Case | None = None
    with store.open("a") as file:
        for case, name, believed, rule in replays():
            if (case, name, believed, rule) in known:
                continue
            if jobs is None or case != last:
                jobs, last = jobs_of(case, traces), case
            found = replay(jobs, cluster_of(case), name, believed, rule)
            known[case, name, believed, rule] = found
            file.write(json.dumps([case, name, believed, rule, found]) + "\n")
            file.flush()
    return {key: known[key] for key in replays()}  # not what else is in the store


def mean(
    known: dict[tuple[Any, ...], Result],
    what: str,
    load: float,
    name: str,
    believed: str,
    rule: str,
) -> Result:
    """Over the copies of a workload."""
    found = [
        result
        for (case, *key), result in known.items()
        if (case.what, case.load) == (what, load) and key == [name, believed, rule]
    ]
    return Result(*np.mean(found, axis=0).tolist())


def searched_table(known: dict[tuple[Any, ...], Result]) -> str:
    lines = [
        "| workload | load | run times | metric | best list | value | "
        + " | ".join(f"`{name}`" for name in SEARCHED)
        + " |",
        "|---" * (6 + len(SEARCHED)) + "|",
    ]
    for what, load in dict.fromkeys((case.what, case.load) for case in cases()):
        for believed in BELIEVED:
            for metric, title in (("flow", "AF"), ("slowdown", "slowdown")):
                by_list = {
                    name: getattr(
                        mean(known, what, load, name, believed, DEFAULT_PLACEMENT), metric
                    )
                    for name in LISTS
                }
                best = min(by_list, key=lambda name: by_list[name])
                cells = []
                for name in SEARCHED:
                    if name not in searched_on(what):
                        cells.append("")
                        continue
                    value = getattr(
                        mean(known, what, load, name, believed, DEFAULT_PLACEMENT), metric
                    )
                    cells.append(f"{100 * (value / by_list[best] - 1):+.1f} %")
                lines.append(
                    f"| {what} | {load:g} | {believed} | {title} | `{best}` | {by_list[best]:,.4g} | "
                    + " | ".join(cells)
                    + " |"
                )
    return "\n".join(lines)


def against_easy_table(known: dict[tuple[Any, ...], Result]) -> str:
    """Searched policies against EASY, also in the waits of the few who wait long."""
    lines = [
        "| policy | workload | load | run times | AF | slowdown | 99th percentile of waits | longest wait |",
        "|---" * 8 + "|",
    ]
    for name in SEARCHED_ON_THE_LOG:
        for what, load in dict.fromkeys((case.what, case.load) for case in cases()):
            for believed in BELIEVED:
                ours, easy = (
                    mean(known, what, load, one, believed, DEFAULT_PLACEMENT)
                    for one in (name, "easy")
                )
                cells = " | ".join(
                    f"{100 * (mine / theirs - 1):+.1f} %"
                    for mine, theirs in zip(ours, easy, strict=True)
                )
                lines.append(f"| `{name}` | {what} | {load:g} | {believed} | {cells} |")
    return "\n".join(lines)


def placement_table(known: dict[tuple[Any, ...], Result]) -> str:
    """Each rule against first fit: the mean of the changes over policies, loads and estimates."""
    lines = ["| workload | metric | " + " | ".join(PLACEMENTS) + " |"]
    lines.append("|---" * (2 + len(PLACEMENTS)) + "|")
    places = ("like Eurora", LOADS), ("Eurora", FACTORS), (OTHER.name, OTHER_LOADS)
    for what, loads in places:
        for metric, title in (("flow", "AF"), ("slowdown", "slowdown")):
            cells = []
            for rule in PLACEMENTS:
                changes = [
                    getattr(mean(known, what, load, name, believed, rule), metric)
                    / getattr(mean(known, what, load, name, believed, "first-fit"), metric)
                    - 1
                    for load in loads
                    for name in PLACED
                    for believed in BELIEVED
                ]
                cells.append(f"{100 * float(np.mean(changes)):+.1f} %")
            lines.append(f"| {what} | {title} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--traces", type=Path, required=True, help="folder with Eurora's log")
    parser.add_argument("--store", type=Path, required=True, help="results so far, as JSON lines")
    parser.add_argument("--gather-only", action="store_true", help="do not write the page")
    options = parser.parse_args()
    known = gather(options.traces, options.store)
    if options.gather_only:
        return
    tables = {
        "searched": searched_table(known),
        "easy": against_easy_table(known),
        "placement": placement_table(known),
    }
    PAGE.write_text(filled(PAGE.read_text(), tables))


if __name__ == "__main__":
    main()
