"""Which of the jobs that end first or last a study leaves out, and under which policies it does not."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from packwise.experiments.study_file.table import Table, short
from packwise.metrics.trimming import Trim
from packwise.model.errors import InputError, UnknownName


def read_trim(study: Table, policies: Sequence[str]) -> tuple[Trim | None, tuple[str, ...]]:
    """``trim`` and ``untrimmed``, the latter as labels of the ``policies``: they may be patterns (* and ?)."""
    text = study.text("trim", None)
    trim = None
    if text is not None:
        try:
            trim = Trim.of(text)
        except InputError as error:
            study.wrong(error, "trim")
    untrimmed: dict[str, None] = {}
    for item in study.names("untrimmed", '["EASY"]'):
        pattern = item.value.strip().lower()
        named = [one for one in policies if pattern == one.lower()]
        found = named or [one for one in policies if fnmatchcase(one.lower(), pattern)]
        if not found:
            study.problems.add(item.line, UnknownName("policy", short(item.value), policies))
        untrimmed |= dict.fromkeys(found)
    if "untrimmed" in study and "trim" not in study:
        study.wrong('untrimmed goes with trim, which is not there. Add trim = "last".', "untrimmed")
    return trim, tuple(untrimmed)
