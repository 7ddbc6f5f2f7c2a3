"""The shipped studies beside what was published: fills in docs/reproduction.md and draws its pictures.

    python -m scripts.reproduce --traces TRACES --published PUBLISHED [--store STORE]

TRACES holds KTH-SP2.swf.gz, CTC-SP2.swf.gz, SDSC-SP2.swf.gz, SDSC-BLUE-2000-4.2-cln.swf.gz, CEA-Curie.swf.gz;
PUBLISHED holds packing-and-fairness-table2.csv, -table3.csv and -table4.csv, and cp-vs-backfilling-table2.csv.
Results are kept in the store, by default where `packwise report` keeps its own: what is there is not replayed.
"""

from __future__ import annotations

import argparse
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
from packwise.files.own_folders import cache_folder
from packwise.reports.charts.chart import Chart
from packwise.reports.charts.drawing import draw_chart
from packwise.reports.charts.palette import policy_styles
from packwise.reports.charts.sweeps import sweep_chart
from packwise.reports.figures import compute
from packwise.reports.material import Material
from packwise.reports.study.material import study_material
from scripts.page import filled, table, what_ran

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
    return results, values, compare(results, values, study.published)


def unexpected(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Cells that do not agree, and that nothing explains."""
    return [one for one in verdicts if one.outcome in (Outcome.DIFFERS, Outcome.NOT_RUN)]


def _draw(material: Material, chart: Chart, name: str) -> None:
    draw_chart(chart, {style.label: style for style in policy_styles(material)}, IMAGES / name)


def _chart(material: Material, name: str) -> Chart:
    case = compute(material).cases[0]
    return next(chart for chart in case.charts if chart.name == name)


def wait_area(traces: Path, store: Path) -> None:
    """Figure 3 of Goponenko et al., SBAC-PAD 2022."""
    study, kept = run("cumulative-wait-area", traces, store)
    material = study_material(study, kept, "")
    _draw(material, _chart(material, "wait-area"), "figure-wait-area.png")


def distortion(traces: Path, store: Path) -> str:
    """Figure 4 of the same paper, and the distortion that is best by each metric."""
    study, kept = run("distortion", traces, store)
    material = study_material(study, kept, "")
    sweep = material.sweeps[0]
    _draw(material, sweep_chart(sweep, 1, material.metrics), "figure-distortion.png")
    rows = [
        (policy, *(_least(sweep.points, lines[metric]) for metric in material.metrics))
        for policy, lines in sweep.lines.items()
    ]
    return table(("policy", *material.metrics), rows)


def _least(points: tuple[float, ...], values: tuple[float, ...]) -> str:
    return f"{points[min(range(len(points)), key=lambda i: values[i])]:g}"


def queue(traces: Path, store: Path) -> str:
    """Figure 5 of Goponenko et al., DEBS 2024, and the utilization that goes with it."""
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
    return f"Ours: {reg} to {saf}, and this queue:"


def tables_of(results: StudyResults, published: Published, verdicts: list[Verdict]) -> str:
    """The comparison without its title and the remark on who wrote it, its headings one level lower."""
    parts = page(results, published, verdicts).split("\n\n")[2:]
    return "\n\n".join(f"#{one}" if one.startswith("#") else one for one in parts).strip()


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--traces", type=Path, required=True)
    parser.add_argument("--published", type=Path, required=True)
    parser.add_argument("--store", type=Path, default=cache_folder() / "results")
    arguments = parser.parse_args()
    where = arguments.traces, arguments.store
    found = {name: compared(name, where[0], arguments.published, where[1]) for name in TABLES}
    wait_area(*where)
    parts = {
        "distortion": distortion(*where),
        "queue": queue(*where),
        "run": what_ran(Store.open(where[1]), [results.study for results, _, _ in found.values()]),
    }
    parts |= {name.removesuffix(".csv"): tables_of(*one) for name, one in found.items()}
    with atomic_output(PAGE) as file:
        file.write(filled(PAGE.read_text(encoding="utf-8"), parts).encode())
    bad = [verdict for _, _, verdicts in found.values() for verdict in unexpected(verdicts)]
    for verdict in bad:
        print(verdict)
    print(f"Wrote {PAGE}; {len(bad)} cells differ for no known reason")
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
