"""Pages with parts that a script writes, between markers; and tables for them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from packwise.experiments.store import Store
from packwise.experiments.study import Study
from packwise.model.errors import InputError


def filled(page: str, parts: Mapping[str, str]) -> str:
    """The page with new text between ``<!-- begin NAME -->`` and ``<!-- end NAME -->``."""
    for name, text in parts.items():
        marked = re.compile(rf"(<!-- begin {name} -->\n).*?(<!-- end {name} -->)", re.DOTALL)
        if not marked.search(page):
            raise InputError(
                f"the page has no place for '{name}': <!-- begin {name} --> is missing."
            )
        page = marked.sub(lambda found, text=text: f"{found[1]}\n{text}\n\n{found[2]}", page)
    return page


def what_ran(store: Store, studies: Iterable[Study]) -> str:
    """What of some studies is in a store, when it was made, on what: one line."""
    scenarios = {one.key: one for study in studies for one in study.scenarios}
    records = [store.record(key) for key in sorted(scenarios)]
    logs = {one.workload.source for one in scenarios.values()}
    days = sorted({str(record["written"])[:10] for record in records})
    made = {
        name: ", ".join(sorted({str(record["versions"][name]) for record in records}))
        for name in ("packwise", "platform")
    }
    minutes = sum(float(record["seconds"]) for record in records) / 60
    when = " to ".join(dict.fromkeys((days[0], days[-1])))
    return (
        f"{len(records)} replays of {len(logs)} logs, made on {when} "
        f"with Packwise {made['packwise']} on {made['platform']}, in {minutes:.1f} minutes of one core."
    )


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table as Markdown has it."""
    lines = [f"| {' | '.join(header)} |", f"|{'---|' * len(header)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])
