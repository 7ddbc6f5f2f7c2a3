"""The claims and figures 2 to 7 of N'Takpé and Suter, JSSPP 2017, and their policy beside others.

    python -m scripts.reproduce_deadlines --traces TRACES [--store STORE] [--docs DOCS]

Draws docs/images/deadline-*.png and fills in docs/deadline-backfilling.md, between its markers, from what the
store has of studies/deadline-backfilling.toml and studies/deadline-policies.toml; run these first.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from packwise.experiments.store import Store
from packwise.experiments.study import Study
from packwise.experiments.study_file import read_study
from packwise.experiments.tables.claims import judge_claims
from packwise.experiments.tables.claims_text import claims_section
from packwise.experiments.tables.results import Point, StudyResults
from packwise.files.output import atomic_output
from packwise.model.errors import InputError, PackwiseError
from packwise.reports.charts.drawing import draw_chart
from packwise.reports.figures import compute
from packwise.reports.study.material import study_material
from scripts.page import filled, what_ran

ROOT = Path(__file__).resolve().parents[1]
CLAIMS = ROOT / "studies" / "deadline-backfilling.toml"
POLICIES = ROOT / "studies" / "deadline-policies.toml"
PAGE = "deadline-backfilling.md"
MINUTE = 60


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--traces", type=Path, required=True)
    parser.add_argument("--store", type=Path)
    parser.add_argument("--docs", type=Path, default=ROOT / "docs")
    arguments = parser.parse_args()
    claims, policies = (
        read_study(file, traces=[arguments.traces], store=arguments.store)
        for file in (CLAIMS, POLICIES)
    )
    store = Store.open(claims.store)
    draw(claims, store, arguments.docs / "images")
    page = arguments.docs / PAGE
    parts = {
        "run": what_ran(store, (claims, policies)),
        "claims": claims_text(results_of(claims, store)),
    }
    parts |= {
        f"policies {workload}": table(results_of(policies, store), workload)
        for workload in dict.fromkeys(one.series for one in policies.swept.values())
    }
    text = filled(page.read_text(encoding="utf-8"), parts)
    with atomic_output(page) as file:
        file.write(text.encode())
    print(f"Wrote {page} and its figures.")
    return 0


def results_of(study: Study, store: Store) -> StudyResults:
    """All results of a study; an error if some are missing."""
    results = StudyResults.of(study, store.frame())
    if missing := results.missing():
        raise InputError(
            f"{study.name}: {len(missing)} scenarios have no result. Run the study first: packwise study run."
        )
    return results


def claims_text(results: StudyResults) -> str:
    """The table of claims, without its heading."""
    return claims_section(results, judge_claims(results)).partition("\n\n")[2]


def draw(study: Study, store: Store, images: Path) -> None:
    """The report's figures about deadlines, and promise against outcome of one case."""
    figures = compute(study_material(study, store, ""))
    styles = {style.label: style for style in figures.styles}
    assert figures.deadlines is not None
    for chart in figures.deadlines.charts:
        draw_chart(chart, styles, images / f"{chart.name}.png")
    draw_chart(figures.cases[0].promised_waits, styles, images / "deadline-promises.png")


def table(results: StudyResults, workload: str) -> str:
    """What each policy gives: mean waits in minutes by share, and missed deadlines."""
    labels = [label for label, one in results.study.swept.items() if one.series == workload]
    ends = [labels[0], labels[-1]]
    columns = [
        *((f"regular, {_share(label, workload)}", label, "wait_regular") for label in labels),
        *((f"with deadline, {_share(label, workload)}", label, "wait_deadline") for label in ends),
        *((f"all, {_share(label, workload)}", label, "wait") for label in ends),
        *((f"missed, {_share(label, workload)}", label, "deadline_misses") for label in ends),
    ]
    lines = [
        f"| policy | {' | '.join(head for head, _, _ in columns)} |",
        f"|---|{'---|' * len(columns)}",
    ]
    for policy in results.study.axis("policy"):
        cells = [_cell(results, label, policy, name) for _, label, name in columns]
        lines.append(f"| `{policy}` | {' | '.join(cells)} |")
    return "\n".join(lines)


def _share(label: str, workload: str) -> str:
    return label.removeprefix(workload).strip().replace("%", " %")


def _cell(results: StudyResults, workload: str, policy: str, name: str) -> str:
    cell = results.cell(Point(workload, "", policy, "requested"), name)
    if cell is None:
        raise InputError(f"{workload}, {policy}: there is no {name}.")
    return f"{cell.value:.0f}" if name == "deadline_misses" else f"{cell.value / MINUTE:.1f}"


if __name__ == "__main__":
    try:
        raise SystemExit(main())
    except PackwiseError as error:
        raise SystemExit(f"error: {error}") from error
