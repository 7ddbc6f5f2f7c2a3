"""What a study command needs of the store: the study's results, and remarks on what is missing."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packwise.experiments.study import Study
    from packwise.experiments.tables.results import StudyResults

STDOUT = Path("-")
_SHOWN = 10


def results_of(study: Study, given: str, wanted: Iterable[str] | None = None) -> StudyResults:
    """The results of a study; ``given`` is how it is called in commands, ``wanted`` replaces its metrics."""
    from packwise.cli.study.working import add_own
    from packwise.experiments.store import Store
    from packwise.experiments.tables.results import StudyResults
    from packwise.model.errors import InputError

    command = f"packwise study run {given}"
    if not study.store.exists():
        raise InputError(f"{study.store}: there are no results here yet. Run first: {command}")
    store = Store.open(study.store)
    add_own(study, store, wanted)
    results = StudyResults.of(study, store.frame())
    if not results.there.any():
        raise InputError(
            f"{study.store}: none of the {len(study.scenarios):,} scenarios of '{study.name}' has a "
            "result here (those of another version of Packwise, or of changed logs, do not count). "
            f"Run first: {command}"
        )
    return results


def say_missing(results: StudyResults, given: str) -> None:
    """On stderr, if the study is not finished; ``given`` is how the study is called in commands."""
    from packwise.cli.terminal import note

    missing = int((~results.there).sum())
    if missing:
        total = len(results.study.scenarios)
        verb = "has" if missing == 1 else "have"
        note(
            f"{missing:,} of {total:,} scenarios {verb} no result: packwise study run {given} does what "
            "is missing, packwise study list tells what failed."
        )


def say_unfiltered(results: StudyResults) -> None:
    """On stderr, which cases have no values because jobs that no policy made wait cannot be told."""
    from packwise.cli.terminal import note

    cases = [case for case in results.filtered if case.reason]
    for case in cases[:_SHOWN]:
        note(f"warning: {case}: {case.remark}")
    if len(cases) > _SHOWN:
        note(f"warning: and {len(cases) - _SHOWN:,} more cases without all their results")


def say_machines(results: StudyResults) -> None:
    """On stderr, which machines are in doubt, and which are guesses."""
    from packwise.cli.terminal import note, printable

    for line in results.machine_words():
        note(printable(line))


def say_chance(results: StudyResults) -> None:
    """On stderr, if some results are not reproducible."""
    from packwise.cli.terminal import note, printable

    if told := results.chance_words():
        note(printable(told))


def say_left_out(results: StudyResults) -> None:
    """On stderr, if some metrics are not about all jobs."""
    from packwise.cli.terminal import note

    lines = results.jobs_left_out()
    for line in lines[:_SHOWN]:
        note(f"warning: {line}")
    if len(lines) > _SHOWN:
        note(f"warning: and {len(lines) - _SHOWN:,} more that did not run all jobs")


def check_outputs(*paths: Path | None, json: bool) -> None:
    """Can these be written? One of them may be '-', for stdout, unless JSON goes there."""
    from packwise.cli.options.destination import Output, check_destinations
    from packwise.model.errors import InputError

    given = [path for path in paths if path is not None]
    if sum(path == STDOUT for path in given) + json > 1:
        raise InputError(
            "stdout can take one of --json and the outputs named '-'. Give the others a file."
        )
    check_destinations(*(Output(path) for path in given if path != STDOUT))


def write_text(path: Path, text: str) -> None:
    """To a file, whole or not at all, or to stdout."""
    from packwise.files.output import atomic_output

    if path == STDOUT:
        print(text, end="")
        return
    with atomic_output(path) as file:
        file.write(text.encode())
