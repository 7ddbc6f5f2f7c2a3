"""What changes for whom."""

from __future__ import annotations

import numpy as np
import pytest

from packwise.metrics.group_changes import changes_by, group_kinds, group_words
from packwise.model.errors import InputError
from packwise.model.workload import Workload

DAY = 86400
N = 200
EVERY = np.arange(N)


def workload(**more: object) -> Workload:
    return Workload(
        "w",
        EVERY,
        EVERY * DAY // 4,
        np.full(N, 60),
        np.full(N, 60),
        np.where(EVERY % 4 == 0, 1, 8),
        **more,
    )


def test_the_groups_that_there_are() -> None:
    two = EVERY % 2
    assert group_kinds(workload(), EVERY) == ["size"]
    assert group_kinds(workload(user=two, queue=two), EVERY) == ["queue", "user", "size"]
    both = workload(queue=two, group=two, extra={"partition": two, "account": two})
    assert group_kinds(both, EVERY) == ["partition", "account", "size"]
    assert group_kinds(workload(user=np.zeros(N, np.int64)), EVERY) == ["size"]
    assert group_kinds(workload(user=two), EVERY[::2]) == ["size"], "only one of them is looked at"


def test_by_hand() -> None:
    users = np.where(EVERY < 100, 0, np.where(EVERY < 150, 1, -1))
    log = workload(user=users, names={"user": ("alice", "bob")})
    before = np.full(N, 1000.0)
    after = np.where(users == 0, 500.0, 1000.0)
    found = changes_by(log, EVERY, before, after, "user")
    assert {one.name for one in found} == {"alice", "bob", "unknown user"}
    told = {one.name: one for one in found}
    assert (told["alice"].change.before, told["alice"].change.after) == (1000, 500)
    assert told["alice"].change.sure
    assert not told["bob"].change.sure
    assert sum(one.area for one in found) == pytest.approx(1)
    assert [one.area for one in found] == sorted((one.area for one in found), reverse=True)
    words = group_words("user", found)
    assert words == "By user: less for 1 (alice -50 %), of 3 with 10 jobs or more."


def test_per_cents_of_next_to_nothing_are_told_as_waits() -> None:
    log = workload(user=EVERY % 2, names={"user": ("alice", "bob")})
    before = np.full(N, 2.0)
    after = np.where(EVERY % 2, 2.0, 7200.0)
    words = group_words("user", changes_by(log, EVERY, before, after, "user"))
    assert "longer for 1 (alice 2.0 h instead of 2 s)" in words


def test_numbers_stay_numbers_and_sizes_keep_their_order() -> None:
    log = workload(user=EVERY % 3)
    same = np.ones(N)
    assert {one.name for one in changes_by(log, EVERY, same, same, "user")} == {
        "user 0", "user 1", "user 2",
    }  # fmt: skip
    sizes = changes_by(log, EVERY, same, same, "size")
    assert [one.name for one in sizes] == ["1 processor", "5-8 processors"]
    assert [one.change.jobs for one in sizes] == [50, 150]


def test_one_day_makes_no_winner() -> None:
    log = workload(user=EVERY % 2)
    before = np.full(N, 1000.0)
    after = before + np.where(EVERY < 4, 50_000.0, 0.0)
    words = group_words("user", changes_by(log, EVERY, before, after, "user"))
    assert words == "By user: nothing that is more than chance."


def test_what_the_log_does_not_tell() -> None:
    with pytest.raises(InputError, match="does not tell the account"):
        changes_by(workload(), EVERY, np.ones(N), np.ones(N), "account")
