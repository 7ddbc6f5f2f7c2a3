"""Which of the jobs that end first or last a study leaves out, and under which policies it does not."""

from __future__ import annotations

from collections.abc import Sequence

from packwise.experiments.study_file.table import Table, short
from packwise.metrics.trimming import Trim
from packwise.model.errors import InputError, UnknownName


def read_trim(study: Table, policies: Sequence[str]) -> tuple[Trim | None, tuple[str, ...]]:
    """``trim`` and ``untrimmed``, the latter in the spelling of the ``policies``, which are labels."""
    text = study.text("trim", None)
    trim = None
    if text is not None:
        try:
            trim = Trim.of(text)
        except InputError as error:
            study.wrong(error, "trim")
    labels = {label.lower(): label for label in policies}
    untrimmed = []
    for item in study.names("untrimmed", '["EASY"]'):
        label = labels.get(item.value.strip().lower())
        if label is None:
            study.problems.add(item.line, UnknownName("policy", short(item.value), policies))
        else:
            untrimmed.append(label)
    if "untrimmed" in study and "trim" not in study:
        study.wrong('untrimmed goes with trim, which is not there. Add trim = "last".', "untrimmed")
    return trim, tuple(untrimmed)
