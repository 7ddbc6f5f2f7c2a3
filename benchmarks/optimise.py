"""Measure the optimising policies, and write their tables into docs/benchmarks-optimise.md and its picture.

    python -m benchmarks.optimise --traces DIR [--quick] [--only speed|budget|rounds] [--logs KTH-SP2,...]

DIR holds KTH-SP2, SDSC-SP2, CTC-SP2, SDSC-BLUE and CEA-Curie (.swf.gz). What is measured is kept in the folder
of --store, and a run goes on from there. --quick measures less, and writes no page; --page measures nothing,
and writes what is in the store.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks import optimise_speed
from benchmarks.optimise_budget import budget_table, lines_of, measure_budgets
from benchmarks.optimise_picture import plot_budgets
from benchmarks.optimise_rounds import LOGS, bounds_table, measure_rounds, rounds_table
from benchmarks.optimise_speed import measure_speed, speed_table
from benchmarks.optimise_store import Measurements, OtherCode
from benchmarks.run import ROOT
from packwise.files.output import atomic_output
from scripts.reproduce_figures import filled

SECTIONS = ("speed", "budget", "rounds")
PAGE = ROOT / "docs" / "benchmarks-optimise.md"
PICTURE = ROOT / "docs" / "images" / "budget.png"
ALL = tuple(log.trace for log in optimise_speed.LOGS)
QUICK = ("KTH-SP2", "SDSC-SP2", "CTC-SP2")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--traces", type=Path, required=True, help="folder with archive logs")
    parser.add_argument(
        "--store",
        type=Path,
        default=Path("packwise-results/benchmarks-optimise"),
        help="folder for what has been measured (%(default)s)",
    )
    parser.add_argument("--only", choices=SECTIONS, help="one section")
    parser.add_argument("--logs", help="some of the logs, separated by commas")
    parser.add_argument("--quick", action="store_true", help="measure less, print only")
    parser.add_argument("--page", action="store_true", help="write the page only")
    parser.add_argument("--keep", action="store_true", help="use measurements of other code too")
    arguments = parser.parse_args()
    logs = arguments.logs.split(",") if arguments.logs else list(QUICK if arguments.quick else ALL)
    if unknown := set(logs) - set(ALL):
        parser.error(f"no log {', '.join(sorted(unknown))}; there are {', '.join(ALL)}.")
    for section in [arguments.only] if arguments.only else SECTIONS:
        try:
            store = Measurements(arguments.store, section, keep=arguments.keep)
        except OtherCode as error:
            parser.error(str(error))
        if not arguments.page:
            measure(section, arguments, logs, store)
        if not store.found:
            continue
        lines = [*tables(section, store), "", store.circumstances()]
        print("\n".join(lines))
        if section == "budget":
            picture = arguments.store / PICTURE.name if arguments.quick else PICTURE
            plot_budgets(lines_of(store), picture)
        if not arguments.quick:
            page = filled(PAGE.read_text(encoding="utf-8"), {section: "\n".join(lines)})
            with atomic_output(PAGE) as file:
                file.write(page.encode())


def measure(
    section: str, arguments: argparse.Namespace, logs: list[str], store: Measurements
) -> None:
    """Measure what the store lacks."""
    traces, quick = arguments.traces, arguments.quick
    match section:
        case "speed":
            measure_speed(traces, logs, store)
        case "budget":
            measure_budgets(traces, logs, store, quick=quick)
        case "rounds":
            measure_rounds(traces, logs, store, arguments.store, quick=quick)


def tables(section: str, store: Measurements) -> list[str]:
    """The tables of a section."""
    match section:
        case "speed":
            return speed_table(store)
        case "budget":
            return budget_table(store)
    lines = ["### How far from the best", "", *bounds_table(store)]
    for log in LOGS:
        if any(key.startswith(f"{log} ") for key in store.found):
            lines += ["", f"### Rounds of {log}", "", *rounds_table(store, log)]
            lines += [
                "",
                f"### Rounds of {log} with a second for CP-SAT",
                "",
                *rounds_table(store, log, long=True),
            ]
    return lines


if __name__ == "__main__":
    main()
