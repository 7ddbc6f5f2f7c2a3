"""Slurm's scheduler in small cases, worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from packwise.model import Cluster, NodeGroup, Workload
from packwise.model.cluster import Partition
from packwise.model.errors import InputError
from packwise.model.slurm_settings import SlurmSettings
from packwise.policies.slurm import SlurmPolicy
from packwise.policies.slurm_site import site_of
from packwise.registry import policy
from packwise.simulation import simulate
from tests.oracle.naive_slurm import NaiveSlurm


def starts(
    jobs: list[tuple[int, int, int, int]], cluster: Cluster | int, name: str, **columns: object
) -> list[int]:
    """Starts where nodes are given to others as soon as a job ends, unless the name says otherwise."""
    workload = Workload.of(jobs).replace(**columns)
    chosen = policy(name)
    if isinstance(chosen, SlurmPolicy) and "completing" not in chosen.given:
        chosen = chosen.changed({"completing": "0"})
    return simulate(workload, cluster, chosen, placement="first-fit").schedule.start.tolist()


def test_nodes_are_free_a_second_after_an_end() -> None:
    jobs = [(0, 4, 100, 100), (1, 4, 50, 60)]
    assert starts(jobs, 4, "slurm(completing=1)") == [0, 101]
    assert starts(jobs, 4, "slurm(completing=7)") == [0, 107]
    assert simulate(Workload.of(jobs), 4, "slurm").schedule.start.tolist() == [0, 101]


def test_the_main_pass_stops_at_the_first_who_does_not_fit() -> None:
    jobs = [(0, 3, 100, 100), (1, 4, 50, 60), (2, 1, 10, 5000)]
    # The second waits for the first; the third fits, but comes after the second, and would delay it.
    assert starts(jobs, 4, "slurm") == [0, 100, 150]


@pytest.mark.parametrize(("resolution", "third"), [(60, 150), (1, 30)])
def test_a_reservation_is_rounded_down(resolution: int, third: int) -> None:
    jobs = [(0, 3, 100, 100), (1, 4, 50, 60), (2, 1, 60, 60)]
    # The second is planned at 100. Kept from 60 on, it is in the way of the third, which could run from 30 to
    # 90.
    assert starts(jobs, 4, f"slurm(bf_resolution={resolution})") == [0, 100, third]


@pytest.mark.parametrize(("interval", "third"), [(30, 30), (7, 7), (5, 5)])
def test_backfilling_waits_for_its_pass(interval: int, third: int) -> None:
    jobs = [(0, 3, 1000, 1000), (1, 4, 50, 60), (2, 1, 60, 60)]
    assert starts(jobs, 4, f"slurm(bf_interval={interval})") == [0, 1000, third]


def test_new_jobs_wait_for_the_next_main_pass() -> None:
    jobs = [(0, 1, 10, 10), (1, 1, 10, 10), (2, 1, 10, 10), (9, 1, 10, 10)]
    # Passes: over the whole queue at 0, three seconds later for those who have come, and then at once.
    assert starts(jobs, 8, "slurm") == [0, 3, 3, 9]
    assert starts(jobs, 8, "slurm(batch_sched_delay=0)") == [0, 1, 2, 9]


def test_beyond_the_window_nothing_is_reserved() -> None:
    jobs = [(0, 3, 7200, 7200), (1, 4, 50, 60), (2, 1, 60, 10800)]
    assert starts(jobs, 4, "slurm")[2] == 7250
    assert starts(jobs, 4, "slurm(bf_window=60)")[2] == 30


def test_a_pass_looks_at_so_many_jobs_of_a_user() -> None:
    jobs = [(0, 3, 1000, 1000), (1, 4, 50, 60), (2, 1, 60, 60), (3, 1, 60, 60)]
    users = np.array([0, 1, 1, 2])
    # The second job of user 1 is not looked at in the first pass; the one of user 2 is.
    assert starts(jobs, 4, "slurm(bf_max_job_user=1)", user=users) == [0, 1000, 1050, 30]
    assert starts(jobs, 4, "slurm(bf_max_job_test=1)", user=users) == [0, 1000, 1050, 1050]


def test_fair_share_puts_those_first_who_had_little() -> None:
    jobs = [(0, 1, 100, 100), (10, 1, 10, 10), (20, 1, 10, 10)]
    users = np.array([0, 0, 1])
    fair = "slurm(PriorityWeightFairshare=1000,PriorityCalcPeriod=1)"
    assert starts(jobs, 1, "slurm", user=users) == [0, 100, 110]
    assert starts(jobs, 1, fair, user=users) == [0, 110, 100]


@pytest.mark.parametrize(("half_life", "first"), [("0", 1), ("0-00:02:00", 2)])
def test_usage_is_forgotten_by_half_lives(half_life: str, first: int) -> None:
    # User 0 had 600 s long ago, user 1 has 300 s of late: which of them has had more?
    jobs = [(0, 1, 600, 600), (3600, 1, 300, 300), (3601, 1, 9, 9), (3602, 1, 9, 9)]
    users = np.array([0, 1, 1, 0])
    name = f"slurm(PriorityWeightFairshare=1000,PriorityCalcPeriod=1,PriorityDecayHalfLife={half_life})"
    found = starts(jobs, 1, name, user=users)
    assert found[2:] == ([3900, 3909] if first == 1 else [3909, 3900])


def test_classic_fair_share() -> None:
    jobs = [(0, 1, 100, 100), (10, 1, 10, 10), (20, 1, 10, 10)]
    name = "slurm(PriorityWeightFairshare=1000,PriorityCalcPeriod=1,PriorityFlags=NO_FAIR_TREE)"
    assert starts(jobs, 1, name, user=np.array([0, 0, 1])) == [0, 110, 100]


@pytest.mark.parametrize(("shares", "order"), [("u:1", [1, 2, 3]), ("u:0", [2, 3, 1])])
def test_who_has_no_share_comes_last(shares: str, order: list[int]) -> None:
    """Only w has used anything, the machine until 100. Without a share u comes behind w himself."""
    jobs = [(0, 1, 100, 100), (1, 1, 10, 10), (2, 1, 10, 10), (3, 1, 10, 10)]
    users = {"user": np.array([2, 0, 1, 2]), "names": {"user": ("u", "v", "w")}}
    name = f"slurm(PriorityWeightFairshare=1000,PriorityCalcPeriod=1,shares={shares})"
    found = starts(jobs, 1, name, **users)
    assert sorted(range(1, 4), key=lambda job: found[job]) == order


def test_who_has_no_share_has_no_factor() -> None:
    """Level FS: v infinity, w less, u 0. Three users and root, who has used nothing: 3, 2 and 1 of 4."""
    jobs = [(0, 1, 100, 100), (1, 1, 10, 10), (2, 1, 10, 10), (3, 1, 10, 10)]
    users = {"user": np.array([2, 0, 1, 2]), "names": {"user": ("u", "v", "w")}}
    workload = Workload.of(jobs).replace(**users)
    naive = NaiveSlurm(workload, Cluster.pool(1), SlurmSettings({"shares": "u:0"}))
    naive.usage[-1, 2] = 50.0
    naive._count(0)
    assert [naive.factor[-1, user] for user in range(3)] == [0.25, 0.75, 0.5]


def on_two_nodes(**group: object) -> Cluster:
    return Cluster("two", (NodeGroup("n", 2, {"cores": 2}, **group),))  # type: ignore[arg-type]


def test_a_reservation_keeps_whole_nodes() -> None:
    cluster = on_two_nodes()
    jobs = [(0, 2, 100, 100), (1, 3, 50, 60), (2, 1, 10, 300)]
    cores = {"cores": np.array([2, 1, 1])}
    units = np.array([1, 3, 1])
    # The second is to have a node and half the other, from 100 on. The third would fit beside it, but the
    # other node is kept for the second, all of it.
    assert starts(jobs, cluster, "slurm", units=units, per_unit=cores) == [0, 100, 100]
    assert starts(jobs, cluster, "easy", units=units, per_unit=cores) == [0, 100, 2]


def partitions(**second: object) -> Cluster:
    groups = (NodeGroup("a", 1, {"cores": 2}), NodeGroup("b", 1, {"cores": 2}))
    both = (Partition("one", 0, ("a",)), Partition("two", 1, ("a", "b"), **second))  # type: ignore[arg-type]
    return Cluster("some", groups, both)


def test_a_blocked_partition_leaves_the_others_their_nodes() -> None:
    jobs = [(0, 2, 100, 100), (0, 2, 100, 100), (0, 1, 50, 50)]
    extra = {"partition": np.array([0, 0, 1])}
    # The second waits for node a; the third, of the other partition, has node b at once.
    assert starts(jobs, partitions(), "slurm", extra=extra) == [0, 100, 0]


def test_a_higher_tier_goes_first() -> None:
    jobs = [(0, 2, 100, 100), (1, 2, 100, 100), (2, 4, 50, 50)]
    extra = {"partition": np.array([0, 0, 1])}
    assert starts(jobs, partitions(), "slurm", extra=extra) == [0, 100, 200]
    assert starts(jobs, partitions(tier=2), "slurm", extra=extra) == [0, 150, 100]


def test_features_are_asked_of_nodes() -> None:
    groups = (
        NodeGroup("a", 1, {"cores": 2}, features=("ib", "old")),
        NodeGroup("b", 1, {"cores": 2}, features=("ib", "new")),
    )
    words = ("ib&new", "old|none")
    jobs = [(0, 2, 100, 100), (0, 2, 100, 100), (0, 2, 100, 100)]
    found = starts(
        jobs,
        Cluster("some", groups),
        "slurm(bf_interval=1)",
        extra={"features": np.array([0, 0, 1])},
        names={"features": words},
    )
    assert found == [0, 100, 0]


def fixed(settings: dict[str, str], **columns: object) -> list[float]:
    workload = Workload.of([(0, 2, 60, 60), (0, 4, 60, 600)]).replace(**columns)
    return site_of(workload, partitions(factor=4), SlurmSettings(settings)).fixed.tolist()


def test_what_of_a_priority_stays_as_it_is() -> None:
    size = {"priorityweightjobsize": "1000"}
    # 2 of 4 processors and 1 of 2 nodes; all processors, and 1 node at least.
    assert fixed(size) == [500, 750]
    assert fixed({**size, "priorityfavorsmall": "YES"}) == [500, 250]
    assert fixed({**size, "priorityflags": "SMALL_RELATIVE_TO_TIME"}) == [500, 100]
    extra = {"partition": np.array([0, 1])}
    assert fixed({"priorityweightpartition": "1000"}, extra=extra) == [250, 1000]
    qos = {"priorityweightqos": "1000", "qos": "high:50/low:10"}
    named = {"extra": {"qos": np.array([0, 1])}, "names": {"qos": ("high", "low")}}
    assert fixed(qos, **named) == [1000, 200]
    assert fixed({}, extra={"nice": np.array([-1, 30])}) == [0, -30]


def test_shares_of_accounts_and_users() -> None:
    workload = Workload.of([(0, 1, 1, 1)] * 3).replace(
        user=np.array([0, 1, 2]),
        group=np.array([0, 0, 1]),
        names={"user": ("ann", "bob", "eve"), "group": ("physics", "biology")},
    )
    site = site_of(workload, Cluster.pool(1), SlurmSettings({"shares": "physics:3/ann:9"}))
    assert site.share.tolist() == [0.9, 0.1, 1.0]
    assert site.account_share.tolist() == [0.75, 0.25]


def test_settings_of_the_cluster_count_and_can_be_replaced() -> None:
    jobs = [(0, 3, 1000, 1000), (1, 4, 50, 60), (2, 1, 60, 60)]
    cluster = Cluster(
        "p", Cluster.pool(4).groups, scheduler={"bf_interval": "5", "batch_sched_delay": "0"}
    )
    assert starts(jobs, cluster, "slurm")[2] == 5
    assert starts(jobs, cluster, "slurm(bf_interval=9)")[2] == 9
    assert Cluster.from_document(cluster.document()) == cluster


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("slurm(bf_window=soon)", "bf_window"),
        ("slurm(bf_interval=0)", "from 1 to"),
        ("slurm(PriorityFavorSmall=maybe)", "YES or NO"),
        ("slurm(PriorityMaxAge=1:2:3:4)", "7-0"),
        ("slurm(qos=high)", "name:number"),
        ("slurm(bf_windo=3)", "bf_window"),
    ],
)
def test_what_is_wrong_with_a_setting_is_said(name: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        policy(name)


def test_it_is_for_replays() -> None:
    from packwise.model.view import View

    nothing = np.empty(0, np.int64)
    with pytest.raises(InputError, match="for replays"):
        policy("slurm").decide(View(0, 1, 1, *(nothing,) * 12))  # type: ignore[call-arg]
