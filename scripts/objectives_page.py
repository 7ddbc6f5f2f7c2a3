"""The tables of docs/objectives-on-logs.md.

    packwise study run studies/objectives.toml --traces LOGS --store STORE
    packwise study table studies/objectives.toml --traces LOGS --store STORE --csv table.csv
    python -m scripts.objectives_page table.csv

Fills in docs/objectives-on-logs.md between its markers.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from packwise.files.output import atomic_output
from scripts.balanced_page import Changes, logs_of, read_changes
from scripts.page import filled

ROOT = Path(__file__).resolve().parents[1]
PAGE = "objectives-on-logs.md"
OBJECTIVES = ("AF", "AWF", "BSLD", "P2SF")
ESTIMATES = ("exact", "requested")
LISTS = ("list-reg", "list-spf", "list-saf", "list-sjf", "list-laf", "easy")
#: A cell is lost that is above the best list policy by more than this, in per cent.
LOST = 1.0
_DAY = 86_400


def best_list(values: Changes, log: str, estimate: str, metric: str) -> tuple[str, float]:
    """The list policy with the least value, and that."""
    return min(
        ((one, values[log, estimate, one, metric].value) for one in LISTS),
        key=lambda pair: pair[1],
    )


def distance(values: Changes, log: str, estimate: str, metric: str) -> float:
    """How far the objective is above the best list policy by its own metric, in per cent."""
    _, least = best_list(values, log, estimate, metric)
    own = values[log, estimate, f"packwise(objective={metric})", metric].value
    return 100.0 * (own / least - 1.0)


def distances_table(values: Changes, logs: Sequence[str], estimate: str) -> str:
    """One row per log, one column per objective, and how long somebody waits under objective=BSLD."""
    head = [*OBJECTIVES, "longest wait under BSLD / under the list, days"]
    rows = [["log", *head], ["---"] * (len(head) + 1)]
    for log in logs:
        cells = []
        for metric in OBJECTIVES:
            name, _ = best_list(values, log, estimate, metric)
            above = distance(values, log, estimate, metric)
            said = f"{above:+.1f} ({name.removeprefix('list-').upper()})".replace("-", "−")
            cells.append(f"**{said}**" if above > LOST else said)
        name, _ = best_list(values, log, estimate, "BSLD")
        waits = (
            values[log, estimate, one, "max_wait"].value / _DAY
            for one in ("packwise(objective=BSLD)", name)
        )
        rows.append([log, *cells, " / ".join(f"{wait:.0f}" for wait in waits)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def counted(values: Changes, logs: Sequence[str]) -> str:
    """In how many cells each objective is lost, and by how much."""
    said = []
    for metric in OBJECTIVES:
        for estimate in ESTIMATES:
            above = {log: distance(values, log, estimate, metric) for log in logs}
            lost = sorted((one for one in above if above[one] > LOST), key=lambda one: -above[one])
            named = ", ".join(f"{log} {above[log]:+.0f} %" for log in lost)
            mean = f"{sum(above.values()) / len(above):+.0f} % in the mean".replace("-", "−")
            said.append(
                f"- {metric}, {estimate}: {len(logs) - len(lost)} of {len(logs)} within {LOST:g} % or better, "
                f"{mean}{'; not ' + named if lost else ''}."
            )
    return "\n".join(said)


def known(values: Changes, logs: Sequence[str]) -> list[str]:
    """The logs of which all results are there: a study may have been stopped."""
    policies = (*LISTS, *(f"packwise(objective={one})" for one in OBJECTIVES))
    needed = [(e, p, m) for e in ESTIMATES for p in policies for m in (*OBJECTIVES, "max_wait")]
    return [
        log
        for log in logs
        if all((log, *one) in values and values[(log, *one)].value > 0 for one in needed)
    ]


def parts_of(values: Changes) -> dict[str, str]:
    """What the page has between its markers."""
    took, rest = (known(values, logs) for logs in logs_of(values))
    parts = {"count no part": counted(values, rest), "count took part": counted(values, took)}
    for estimate in ESTIMATES:
        parts[f"no part {estimate}"] = distances_table(values, rest, estimate)
        parts[f"took part {estimate}"] = distances_table(values, took, estimate)
    return parts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", type=Path)
    parser.add_argument("--docs", type=Path, default=ROOT / "docs")
    given = parser.parse_args()
    page = given.docs / PAGE
    text = filled(page.read_text(), parts_of(read_changes(given.table)))
    with atomic_output(page) as stream:
        stream.write(text.encode())


if __name__ == "__main__":
    main()
