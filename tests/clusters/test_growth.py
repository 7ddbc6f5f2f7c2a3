"""Clusters with more nodes, or fewer."""

from __future__ import annotations

import pytest

from packwise.clusters.growth import grown
from packwise.model import Cluster, NodeGroup
from packwise.model.cluster import Outage, Partition
from packwise.model.errors import InputError

SITE = Cluster(
    "site",
    (
        NodeGroup("thin", 40, {"cores": 8}),
        NodeGroup("fat", 8, {"cores": 8, "memory": 64}),
        NodeGroup("gpu", 2, {"cores": 8, "gpus": 2}, hosts=("g1", "g2")),
    ),
    (Partition("batch", 0, ("thin", "fat")), Partition("gpu", 1, ("gpu", "fat"))),
)


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("+10%", [44, 9, 2]),
        ("-10%", [36, 7, 2]),
        ("+5", [44, 9, 2]),
        ("+1", [41, 8, 2]),
        ("100", [80, 16, 4]),
        ("-50%", [20, 4, 1]),
        ("gpu=+3", [40, 8, 5]),
        ("fat=12", [40, 12, 2]),
        ("batch=+6", [45, 9, 2]),
        ("batch=24", [20, 4, 2]),
        ("+0.1%", [41, 8, 2]),
        ("+0", [40, 8, 2]),
    ],
)
def test_counts(text: str, counts: list[int]) -> None:
    found = grown(SITE, text)
    assert [group.count for group in found.groups] == counts
    assert all(not group.hosts or len(group.hosts) == group.count for group in found.groups)


def test_new_hosts_have_names_of_their_own() -> None:
    assert grown(SITE, "gpu=+1").groups[2].hosts == ("g1", "g2", "gpu+1")


def test_a_pool_has_processors() -> None:
    assert grown(Cluster.pool(100), "+10%").procs == 110
    assert grown(Cluster.pool(100), "64").procs == 64


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("more", r"\+10%"),
        ("+1.5", r"\+10%"),
        ("50%", r"\+10%"),
        ("=+3", r"\+10%"),
        ("tpu=+3", "Did you mean gpu"),
        ("-50", "from 1 to"),
        ("0", "from 1 to"),
        ("gpu=-2", "no node of group 'gpu'"),
        ("+99999999", "from 1 to"),
    ],
)
def test_what_is_wrong_is_said(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        grown(SITE, text)


def test_outages_name_nodes() -> None:
    with pytest.raises(InputError, match="outages"):
        grown(Cluster("o", SITE.groups, outages=(Outage((3,), 0, 10),)), "+1")
