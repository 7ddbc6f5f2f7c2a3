"""Forecasts of starts on archive logs, against the usual rule and the plan with limits.

    python -m benchmarks.forecast_starts --traces DIR [--only HPC2N] [--jobs 450] [--futures 40]

Each log has two truths: a replay under ``easy``, whose policy the forecasts know, and what the log has
recorded, whose policy nobody knows. Parameters were chosen on the first three logs; the others were named
beforehand and are judged. Writes docs/benchmarks-forecast.md, unless --only picks some.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.forecast_rivals import planned_with_limits, waits_of_like_jobs
from benchmarks.run import machine
from packwise import load_workload, simulate
from packwise.forecasting.backtest import PATIENCE, Backtest, askable, backtest
from packwise.model.cluster import Cluster
from packwise.model.recorded import recorded_starts
from packwise.model.schedule import NEVER
from packwise.model.workload import Floats, Ints, Workload

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "benchmarks-forecast.md"
WORDS = Path(__file__).parent / "forecast_page.md"
NUMBERS = Path(__file__).parent / "forecast_starts.json"
CHOSEN_ON = ("KTH-SP2-1996-2.1-cln", "CTC-SP2-1996-3.1-cln", "SDSC-SP2-1998-4.2-cln")
#: The last one was added when it turned out that hardly anybody waits on Thunder, before it was looked at.
JUDGED = (
    "SDSC-BLUE-2000-4.2-cln",
    "HPC2N-2002-2.2-cln",
    "LLNL-Thunder-2007-1.1-cln",
    "SDSC-DS-2004-2.1-cln",
)
#: Nobody is asked for in the first weeks, in which there is no history.
FIRST_WEEKS = 28 * 86_400
#: The first forecasts are for calibration to learn from, and do not count.
UNCOUNTED = 100
#: Like jobs whose waits the usual rule looks at.
LAST = 20
#: Jobs of all kinds that are asked for at their submission.
ANYBODY = 250
HOUR = 3600.0


class Truth(NamedTuple):
    """A log, and when its jobs started."""

    name: str
    kind: str
    workload: Workload
    cluster: Cluster
    start: Ints


class Result(NamedTuple):
    """What was forecast for some jobs, by whom, and what happened: seconds from the moment of asking."""

    truth: Truth
    found: Backtest
    rivals: dict[str, Floats]
    seconds: float
    counted: slice

    def error(self, told: Floats) -> Floats:
        return np.abs(told - self.found.outcome)[self.counted] / HOUR

    def below(self, told: Floats) -> list[float]:
        """The share that had started by P10, P50 and P90."""
        waited = self.found.outcome[self.counted, None]
        return (100 * (waited <= told[self.counted]).mean(axis=0)).tolist()

    def width(self) -> Floats:
        wait = self.found.wait[self.counted]
        return (wait[:, 2] - wait[:, 0]) / HOUR


def truths(traces: Path, log: str) -> list[Truth]:
    """The truths of a log."""
    loaded = load_workload(traces / f"{log}.swf.gz", missing_limit="runtime")
    workload, cluster = loaded.workload, loaded.cluster
    assert loaded.log is not None
    told = dict(
        zip(
            loaded.log.columns["job_id"].tolist(),
            loaded.log.columns["requested_time"].tolist(),
            strict=True,
        )
    )
    missing = np.array([told[job] <= 0 for job in workload.id.tolist()])
    if missing.any():
        # The longest limit that anybody told, as a site gives it to who tells none: a limit that is the run
        # time would tell what nobody knew.
        limit = workload.requested_time.copy()
        limit[missing] = limit[~missing].max()
        workload = workload.replace(
            requested_time=limit, runtime=np.minimum(workload.runtime, limit)
        )
    name = log.rsplit("-", 3)[0]
    easy = simulate(workload, cluster, "easy").schedule.start
    found = [Truth(name, "easy", workload, cluster, easy)]
    recorded = recorded_starts(workload)
    if (recorded != NEVER).any():
        here = recorded != NEVER
        found.append(Truth(name, "recorded", workload.select(here), cluster, recorded[here]))
    return found


def measured(truth: Truth, jobs: int, futures: int, *, patience: int = PATIENCE) -> Result:
    """Forecasts and rivals for a sample of jobs that wait, or of all."""
    w, start = truth.workload, truth.start
    may = askable(w, start, patience if patience else -1)
    may = may[w.submit[may] > w.submit[0] + FIRST_WEEKS]
    rng = np.random.default_rng(1)
    places = np.sort(rng.choice(may, min(jobs, len(may)), replace=False))
    begin = time.perf_counter()
    found = backtest(w, start, truth.cluster, places, count=futures, patience=patience)
    seconds = time.perf_counter() - begin
    at = (w, start, found.place, found.asked)
    mean, median = waits_of_like_jobs(*at, last=LAST, patience=patience)
    plan = planned_with_limits(w, start, truth.cluster, *at[2:], undecided=patience == 0)
    rivals = {"like, mean": mean, "like, median": median, "plan": plan}
    rivals["queue"] = waits_of_like_jobs(*at, last=LAST, patience=patience, queues=True)[1]
    return Result(truth, found, rivals, seconds, slice(min(UNCOUNTED, len(places) // 4), None))


ERRORS = (
    "| log | truth | wait | P50 | futures alone | like, mean | like, median | and queue | plan "
    "| P50 to best rival | worst jobs |\n|---|---|---|---|---|---|---|---|---|---|---|"
)


def error_row(one: Result, typical: bool = False) -> str:
    """Errors in hours; then the ratio to the best of all rivals, and what the worst twentieth of all jobs has
    of the sum of our errors.
    """

    def of(told: Floats) -> float:
        error = one.error(told)
        return float(np.median(error) if typical else error.mean())

    ours = of(one.found.wait[:, 1])
    errors = np.sort(one.error(one.found.wait[:, 1]))
    worst = f"{100 * errors[-(-19 * len(errors) // 20) :].sum() / errors.sum():.0f} %"
    rivals = [of(one.rivals[name]) for name in ("like, mean", "like, median", "queue", "plan")]
    cells = [of(np.zeros(1)), ours, of(one.found.raw[:, 1]), *rivals]
    shown = " | ".join(f"{cell:.2f}" for cell in cells)
    return f"| {one.truth.name} | {one.truth.kind} | {shown} | **{ours / min(rivals):.2f}** | {worst} |"


COVERAGE = (
    "| log | truth | jobs | on days | by P10 | by P50 | by P90 | futures alone: by P10 | P50 | P90 "
    "| P10 to P90, mean | median |\n|---|---|---|---|---|---|---|---|---|---|---|---|"
)


def coverage_row(one: Result) -> str:
    ours = " | ".join(f"**{share:.0f} %**" for share in one.below(one.found.wait))
    raw = " | ".join(f"{share:.0f} %" for share in one.below(one.found.raw))
    width = one.width()
    days = len(np.unique(one.found.asked[one.counted] // 86_400))
    return (
        f"| {one.truth.name} | {one.truth.kind} | {len(width)} | {days} | {ours} | {raw} "
        f"| {width.mean():.1f} h | {np.median(width):.1f} h |"
    )


ANYBODY_HEAD = (
    "| log | truth | start at once | of these P50 says so | of the others P50 says at once | by P50 | by P90 "
    "| P50 | like, mean | like, median | plan |\n|---|---|---|---|---|---|---|---|---|---|---|"
)


def anybody_row(one: Result) -> str:
    """At once: within a minute."""
    really = one.found.outcome[one.counted] <= PATIENCE
    said = one.found.wait[one.counted, 1] <= PATIENCE
    right = 100 * said[really].mean() if really.any() else 0.0
    wrong = 100 * said[~really].mean() if (~really).any() else 0.0
    _, half, most = one.below(one.found.wait)
    told = [one.found.wait[:, 1], *(one.rivals[n] for n in ("like, mean", "like, median", "plan"))]
    errors = " | ".join(f"{one.error(each).mean():.2f}" for each in told)
    return (
        f"| {one.truth.name} | {one.truth.kind} | {100 * really.mean():.0f} % | {right:.0f} % "
        f"| {wrong:.0f} % | {half:.0f} % | {most:.0f} % | {errors} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--traces", type=Path, default=ROOT.parent / "shared" / "traces")
    parser.add_argument("--only", default="", help="a part of the names of logs")
    parser.add_argument("--jobs", type=int, default=450)
    parser.add_argument("--futures", type=int, default=40)
    parser.add_argument("--page", action="store_true", help="write the page again, measure nothing")
    given = parser.parse_args()
    if given.page:
        write_page()
        return
    found: dict[str, list[Result]] = {"chosen": [], "judged": []}
    anybody = []
    for log in (*CHOSEN_ON, *JUDGED):
        if given.only not in log:
            continue
        for truth in truths(given.traces, log):
            one = measured(truth, given.jobs, given.futures)
            found["judged" if log in JUDGED else "chosen"].append(one)
            print(error_row(one), coverage_row(one), f"{one.seconds:.0f} s", sep="\n", flush=True)
            if log in JUDGED:
                anybody.append(measured(truth, ANYBODY, given.futures, patience=0))
                print(anybody_row(anybody[-1]), flush=True)
    if given.only:
        return
    tables = {}
    for name, results in found.items():
        tables[f"{name} errors"] = [ERRORS, *map(error_row, results)]
        tables[f"{name} typical"] = [ERRORS, *(error_row(one, typical=True) for one in results)]
        tables[f"{name} coverage"] = [COVERAGE, *map(coverage_row, results)]
    each = [one.seconds / len(one.found.place) for one in (*found["chosen"], *found["judged"])]
    numbers = {name: "\n".join(lines) for name, lines in tables.items()}
    numbers["anybody"] = "\n".join([ANYBODY_HEAD, *map(anybody_row, anybody)])
    numbers |= {"futures": str(given.futures), "jobs": str(given.jobs), "machine": machine()}
    numbers["seconds"] = f"{min(each):.2f} to {max(each):.2f}"
    NUMBERS.write_text(json.dumps(numbers, indent=1))
    write_page()


def write_page() -> None:
    """The page: its words, with the numbers of the last run."""
    text = WORDS.read_text()
    for name, value in json.loads(NUMBERS.read_text()).items():
        text = text.replace(f"{{{name}}}", value)
    PAGE.write_text(text)


if __name__ == "__main__":
    main()
