"""The shipped studies beside what was published: writes docs/reproduction.md and its pictures.

    python -m scripts.reproduce --traces TRACES --published PUBLISHED [--store STORE]

TRACES holds KTH-SP2.swf.gz, CTC-SP2.swf.gz, SDSC-SP2.swf.gz, SDSC-BLUE.swf.gz and CEA-Curie.swf.gz;
PUBLISHED holds packing-and-fairness-table2.csv, -table3.csv and -table4.csv, and cp-vs-backfilling-table2.csv.
What the store has is not replayed again.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

from packwise.experiments.execution import make_plan, run_plan
from packwise.experiments.executors.processes import ProcessExecutor
from packwise.experiments.scenario import Scenario
from packwise.experiments.store import Store
from packwise.experiments.study import Study
from packwise.experiments.study_file import read_study
from packwise.experiments.tables.agreement import Outcome, Verdict, compare
from packwise.experiments.tables.agreement_text import page
from packwise.experiments.tables.published import Published, read_published
from packwise.experiments.tables.results import Point, StudyResults
from packwise.experiments.work import Done, Failed
from packwise.files.output import atomic_output
from packwise.reports.charts.chart import Chart
from packwise.reports.charts.drawing import draw_chart
from packwise.reports.charts.palette import policy_styles
from packwise.reports.charts.sweeps import sweep_chart
from packwise.reports.figures import compute
from packwise.reports.material import Material
from packwise.reports.study.material import study_material

ROOT = Path(__file__).resolve().parents[1]
STUDIES = ROOT / "studies"
IMAGES = ROOT / "docs" / "images"
PAGE = ROOT / "docs" / "reproduction.md"
#: Published tables, and the study that each belongs to.
TABLES = {
    "packing-and-fairness-table2.csv": "packing-and-fairness",
    "cp-vs-backfilling-table2.csv": "list-scheduling",
    "packing-and-fairness-table3.csv": "run-time-prediction",
    "packing-and-fairness-table4.csv": "run-time-prediction",
}

TITLES = {
    "packing-and-fairness-table2.csv": "Table II of SBAC-PAD 2022",
    "cp-vs-backfilling-table2.csv": "Table 2 of DEBS 2024",
    "packing-and-fairness-table3.csv": "Table III of SBAC-PAD 2022",
    "packing-and-fairness-table4.csv": "Table IV of SBAC-PAD 2022",
}

#: Cells that are out of tolerance, all of CTC-SP2 with requested limits, and by how many points at most.
KNOWN_MISSES = {
    *((metric, policy) for metric in ("BSLD", "AF") for policy in ("SJF-JustBF", "SAF-JustBF", "SAF-EASY")),
    ("BSLD", "List-SAF"),
    ("BSLD", "List-SJF"),
    ("AF", "List-SJF"),
}  # fmt: skip
MOST_POINTS = 2.3
#: As the paper calls them.
PREDICTORS = ("Last2", "CVH", "Hierarchy", "SP-2%", "SP-3%", "SP-4%")
#: Of Table III: what has SAF-JustBF with requested limits on CTC-SP2 for its baseline, by so many points.
MOST_POINTS_OF_CHANGE = 3.0
#: CVH on SDSC-BLUE: by so much, in points and in R2.
MOST_OF_CVH = {"change": 240.0, "R2": 0.06}

INTRODUCTION = """# Reproduction of published results

Written by `python -m scripts.reproduce`; do not edit by hand.

The grids are the study files in `studies/`; anybody with the logs can rerun them:

<!-- not run: needs the logs -->
```bash
packwise study run studies/packing-and-fairness.toml --traces LOGS
packwise study compare studies/packing-and-fairness.toml --traces LOGS --published table2.csv
packwise report studies/packing-and-fairness.toml --traces LOGS --output report.html
```

The sixth trace of both papers, BW201911, is not in the Parallel Workloads Archive and is left out.

## The cells that differ

All are BSLD or AF of the orders that put small jobs first, on CTC-SP2 with requested limits, by at most 2.3
points. AWF and P2SF of the same policies agree, every other policy on that trace agrees, and so does
everything with exact run times; other tie-breaks (`list(order=saf/sjf)` and the like) are further away in AWF.
Leaving out one single job of that log (66761) puts 25 of the 80 cells that Table II has for it out of
tolerance. So the likely cause is a small difference between versions of the log, not a rule; that is a guess.
In Table III the same baseline (SAF-JustBF with requested limits on CTC-SP2) puts Last2 and Hierarchy out of
tolerance, by at most 3 points.

**CVH on SDSC-BLUE** differs in all four policies, in Table III and in R2. The other predictors on that log
agree to the published digit, and so does CVH on KTH-SP2 and CEA-Curie and, SAF-JustBF of CTC-SP2 (see above)
and JustBF of SDSC-SP2 aside, on the others; on KTH-SP2 it gives every wait of the reference schedules. Its
learning is chaotic: changing its initial scale by one part in 10,000 moves P2SF of JustBF on SDSC-BLUE from
+630 % to +452 %. But R2 hardly moves then (0.015 against -0.01 published), so there must be another reason,
which we do not know.
"""


def run(name: str, traces: Path, store: Path) -> tuple[Study, Store]:
    """A shipped study with all its results in the store."""
    study = read_study(STUDIES / f"{name}.toml", traces=[traces], store=store)
    kept = Store.open(store, create=True)
    plan = make_plan(study, kept)

    def heard(scenario: Scenario, result: Done | Failed) -> None:
        if isinstance(result, Failed):
            raise SystemExit(f"{scenario}: {result.record['traceback']}")

    if plan.planned:
        run_plan(plan, kept, ProcessExecutor(), heard)
    return study, kept


def compared(
    table: str, traces: Path, published: Path, store: Path
) -> tuple[StudyResults, Published, list[Verdict]]:
    """A published table and the study that it belongs to."""
    study, kept = run(TABLES[table], traces, store)
    results = StudyResults.of(study, kept.frame())
    values = read_published(published / table)
    return results, values, compare(results, values, study.tolerances)


def unexpected(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Cells that neither agree nor are known not to."""
    return [verdict for verdict in verdicts if _is_unexpected(verdict)]


def _is_unexpected(verdict: Verdict) -> bool:
    if verdict.outcome is Outcome.NOT_RUN:
        return True
    if verdict.outcome is not Outcome.DIFFERS:
        return False
    cell = verdict.published
    if cell.estimate in PREDICTORS:
        return not _is_known_of_predictors(verdict)
    known = (cell.metric, cell.policy) in KNOWN_MISSES
    where = (verdict.workload, verdict.estimate) == ("CTC-SP2", "requested")
    return not (known and where and abs(verdict.difference or 0.0) <= MOST_POINTS)


def _is_known_of_predictors(verdict: Verdict) -> bool:
    cell = verdict.published
    if (verdict.workload, cell.estimate) == ("SDSC-BLUE", "CVH"):
        most = MOST_OF_CVH["R2" if cell.metric == "R2" else "change"]
        return abs(verdict.difference or 0.0) <= most
    of_baseline = (verdict.workload, cell.policy, cell.metric) == ("CTC-SP2", "SAF-JustBF", "BSLD")
    return of_baseline and abs(verdict.difference or 0.0) <= MOST_POINTS_OF_CHANGE


def _draw(material: Material, chart: Chart, name: str) -> None:
    draw_chart(chart, {style.label: style for style in policy_styles(material)}, IMAGES / name)


def _chart(material: Material, name: str) -> Chart:
    case = compute(material).cases[0]
    return next(chart for chart in case.charts if chart.name == name)


def wait_area(traces: Path, store: Path) -> str:
    """Figure 3 of Goponenko et al., SBAC-PAD 2022."""
    study, kept = run("cumulative-wait-area", traces, store)
    material = study_material(study, kept, "")
    _draw(material, _chart(material, "wait-area"), "figure-wait-area.png")
    return """## Who waits, by job size (SBAC-PAD 2022, figure 3)

`studies/cumulative-wait-area.toml`. The paper: JustBF keeps the cumulative wait area about proportional to the
cumulative job area; SAF-JustBF empties the queue of small jobs and starves the large ones; LAF-JustBF makes
small jobs wait longer, yet they do not starve. So it is here:

![Cumulative share of jobs and work, and cumulative wait area, over job area](images/figure-wait-area.png)
"""


def distortion(traces: Path, store: Path) -> str:
    """Figure 4 of the same paper."""
    study, kept = run("distortion", traces, store)
    material = study_material(study, kept, "")
    _draw(material, sweep_chart(material.sweeps[0], 1, material.metrics), "figure-distortion.png")
    rows = ["| policy | " + " | ".join(material.metrics) + " |"]
    rows.append("|---|" + "---|" * len(material.metrics))
    sweep = material.sweeps[0]
    for policy, lines in sweep.lines.items():
        best = [_least(sweep.points, lines[metric]) for metric in material.metrics]
        rows.append(f"| {policy} | " + " | ".join(best) + " |")
    return f"""## Distorted estimates (SBAC-PAD 2022, figure 4)

`studies/distortion.toml`: KTH-SP2 with estimates of k times the run time. The paper: exact run times (k = 1)
minimise BSLD of SAF-JustBF but not its other metrics, and P2SF of LAF-JustBF; they are not the best for BSLD
and AF of LAF-JustBF and JustBF; AWF and P2SF of those two suffer more from estimates that are too short than
from those that are too long. Estimates may exceed the limits here: if they are cut to the limits, exact run
times are no longer the best for BSLD of SAF-JustBF and P2SF of LAF-JustBF. Ours:

![Four metrics over the distortion of estimates](images/figure-distortion.png)

The k with the least value of each metric:

{chr(10).join(rows)}
"""


def _least(points: tuple[float, ...], values: tuple[float, ...]) -> str:
    return f"{points[min(range(len(points)), key=lambda i: values[i])]:g}"


def queue(traces: Path, store: Path) -> str:
    """Figure 5 of Goponenko et al., DEBS 2024."""
    study, kept = run("list-scheduling", traces, store)
    some = [
        scenario
        for scenario in study.scenarios
        if scenario.workload.label == "SDSC-SP2"
        and scenario.estimate.label == "exact"
        and scenario.policy.label in ("List-REG", "List-SAF")
    ]
    part = study.replace(scenarios=tuple(some))
    material = study_material(part, kept, "")
    _draw(material, _chart(material, "queue"), "figure-queue.png")
    results = StudyResults.of(part, kept.frame())
    used = {
        policy: results.cell(Point("SDSC-SP2", "", policy, "exact"), "utilization")
        for policy in ("List-REG", "List-SAF")
    }
    reg, saf = (f"{100 * cell.value:.1f} %" for cell in used.values() if cell is not None)
    return f"""## The queue over time (DEBS 2024, figure 5)

`studies/list-scheduling.toml`. The paper: under List-SAF the queue of SDSC-SP2 grows and grows, and
utilization, which many rely on to notice such a thing, only falls from 82.5 % to 78.8 %.
Ours: {reg} to {saf}, and this queue:

![Jobs waiting over time on SDSC-SP2](images/figure-queue.png)
"""


def _section(title: str, text: str) -> str:
    """A page as a part of another: its headings one level lower, without its first remark."""
    lines = [f"#{line}" if line.startswith("#") else line for line in text.splitlines()]
    lines[0] = f"{lines[0]}: {title}"
    return "\n".join(line for line in lines if not line.startswith("Written by")) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--traces", type=Path, required=True)
    parser.add_argument("--published", type=Path, required=True)
    parser.add_argument("--store", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = arguments.store or Path(folder) / "store"
        found = [compared(name, arguments.traces, arguments.published, store) for name in TABLES]
        parts = [
            INTRODUCTION,
            *(figure(arguments.traces, store) for figure in (wait_area, distortion, queue)),
        ]
        parts += [
            _section(title, page(*one)) for title, one in zip(TITLES.values(), found, strict=True)
        ]
    with atomic_output(PAGE) as file:
        file.write("\n".join(parts).encode())
    bad = [verdict for _, _, verdicts in found for verdict in unexpected(verdicts)]
    for verdict in bad:
        print(verdict)
    print(f"Wrote {PAGE}; {len(bad)} cells differ that did not before")
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
