"""The user's last job of the same profile."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from packwise.model.workload import Ints, Workload
from packwise.predict.groups import grouped
from packwise.predict.learning import LearningPredictor

if TYPE_CHECKING:
    from packwise.engine.expectation import Kernel

#: The code of a name that is unknown, or that a rule has no use for.
NO_NAME = -1
SHORTEST_PREFIX = 3

_NO_LETTERS = re.compile(r"[\W\d_]+")


@dataclass(frozen=True)
class DataDriven(LearningPredictor):
    """The run time of the user's last completed job with a similar profile; the limit if there is none.

    The heuristic of Galleguillos et al., 'Data-driven job dispatching in HPC systems', MOD 2017, as retold
    in Galleguillos et al., CP 2021, which speaks of 'a set of rules'. Our reading of them: a profile is
    the job's name and its request, which is queue, limit and processors. The first of these rules that any
    completed job of the user matches gives the answer, and the last such job to end is taken:

    1. the same name and the same request;
    2. a similar name and the same request;
    3. the same name, queue and limit;
    4. a similar name and the same queue and limit;
    5. the same name;
    6. the same prefix of the name.

    Names are similar if they are equal in lower case with each run of characters that are not letters
    (digits, separators) replaced by one mark: ``run_12`` and ``Run-7`` are, ``run`` and ``run_12`` are not.
    The prefix is the letters before the first character that is none, in lower case, if there are at least
    three.

    Names are the workload's column ``job_name``, or those of applications. Where it has none, the
    application's number is the name, and similar is the same: only rules 1, 3 and 5 are left. An unknown name
    (empty, or a negative number) is the same as another unknown one in rules 1 and 3, and matches nothing in
    the others.

    With ``corrector=own``, a job that has outlived its estimate gets that of the first rule that gives a
    longer one.
    """

    part: ClassVar[str] = "data-driven"

    base_name = "data-driven"
    corrects = True

    def kernel(self, workload: Workload) -> Kernel:
        from packwise.engine.expectation import Kernel
        from packwise.predict.kernels.data_driven import data_driven

        groups, count = groups_by_rule(workload)
        return Kernel(
            data_driven.address,
            (workload.requested_time, workload.runtime, groups, np.zeros(count, np.int64)),
        )


def groups_by_rule(workload: Workload) -> tuple[Ints, int]:
    """The group of each job under each rule, one row per job, and how many groups there are in all.

    A job matches a rule with those of its group; -1 where the rule does not apply to it. A rule need not
    shut out what an earlier one would have matched: it is only asked when the earlier found nothing.
    """
    name, similar, prefix = names(workload)
    known = name != NO_NAME
    everywhere = np.ones(len(workload), np.bool_)
    placed = (workload.user, workload.queue, workload.requested_time)
    rules = (
        (everywhere, (*placed, workload.demand, name)),
        (similar != NO_NAME, (*placed, workload.demand, similar)),
        (everywhere, (*placed, name)),
        (similar != NO_NAME, (*placed, similar)),
        (known, (workload.user, name)),
        (prefix != NO_NAME, (workload.user, prefix)),
    )
    columns = []
    total = 0
    for applies, same in rules:
        group, groups = grouped(*same)
        columns.append(np.where(applies, group + total, -1))
        total += groups
    return np.ascontiguousarray(np.array(columns).T), total


def names(workload: Workload) -> tuple[Ints, Ints, Ints]:
    """Numbers for the name of each job, its form without digits and separators, and its prefix."""
    told = workload.job_names()
    if told is None:
        nothing = np.full(len(workload), NO_NAME)
        return np.maximum(workload.app, NO_NAME), nothing, nothing
    number: dict[str, int] = {}
    which = [number.setdefault(name, len(number)) for name in told]
    forms = [_NO_LETTERS.sub("#", name.lower()) for name in number]
    prefixes = [form.partition("#")[0] for form in forms]
    long_enough = [prefix if len(prefix) >= SHORTEST_PREFIX else "" for prefix in prefixes]
    return _codes(list(number))[which], _codes(forms)[which], _codes(long_enough)[which]


def _codes(words: list[str]) -> Ints:
    """A number for each different word; NO_NAME for the empty one."""
    number = {"": NO_NAME}
    return np.array([number.setdefault(word, len(number)) for word in words], np.int64)
