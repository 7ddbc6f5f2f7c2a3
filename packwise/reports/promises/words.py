"""What became of promises, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from packwise.readable import duration
from packwise.reports.promises.kept import Kinds, Promised
from packwise.reports.readings import typeset


def promise_caption(found: Mapping[str, Kinds], replicas: int) -> str:
    """How to read the figure, and what there is to see in it."""
    said = (
        "Each circle is a class of jobs, larger for more jobs: across, the wait until the promised start; "
        "up, the wait that came of it. Below the dashed line jobs started earlier than promised, above it "
        "the promise was broken."
    )
    if any("deadline-driven jobs" in kinds for kinds in found.values()):
        said += (
            " A job with a deadline may be promised no more than to start in time for it: deadline less "
            "estimate."
        )
    if replicas > 1:
        said += f" Shown is one of the {replicas} replicas."
    return typeset(said)


def promise_words(cases: Sequence[Mapping[str, Kinds]]) -> list[str]:
    """One sentence for each policy, over all cases."""
    of_label: dict[str, list[Promised]] = {}
    for found in cases:
        for label, kinds in found.items():
            of_label.setdefault(label, []).extend(one for one in kinds.values() if one.told)
    where = f"Over all {len(cases)} cases " if len(cases) > 1 else ""
    said = []
    for label, rows in of_label.items():
        told, late = sum(one.told for one in rows), sum(one.late for one in rows)
        at_once, earlier = sum(one.at_once for one in rows), sum(one.earlier for one in rows)
        gain = sum(one.told * one.gain for one in rows) / told
        kept = (
            "and kept every promise"
            if not late
            else f"and broke {_jobs(late, 'promise')} ({_percent(late, told)})"
        )
        said.append(
            typeset(
                f"{where}{label} promised {_jobs(told, 'job')} a start {kept}. {_percent(at_once, told)} of "
                f"them started at once, {_percent(earlier, told)} after a shorter wait than promised; "
                f"{_gain(gain)}."
            )
        )
    return said


def _gain(seconds: float) -> str:
    if seconds < 0:
        return f"on average a job started {duration(-seconds)} after the promised time"
    return f"on average a job started {duration(seconds)} before the promised time"


def _jobs(count: int, what: str) -> str:
    return f"1 {what}" if count == 1 else f"{count:,} {what}s"


def _percent(part: int, whole: int) -> str:
    share = 100 * part / whole
    if 0 < share < 0.1:
        return "less than 0.1 %"
    return f"{share:.1f} %"
