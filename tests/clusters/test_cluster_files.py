"""Clusters by name and from TOML files, and what is refused with its line."""

from __future__ import annotations

import pytest

from packwise.clusters.amounts import megabytes
from packwise.clusters.finding import find_cluster
from packwise.model.errors import InputError, UnknownName

SITE = """
name = "site"

[[group]]
name = "cpu"
count = 4
cores = 16
memory = "64 GB"

[[group]]
name = "gpu"
count = 2
cores = 32
memory = 131072
gpus = 4
shared = false

[[partition]]
name = "all"
groups = ["cpu", "gpu"]

[[partition]]
name = "fast"
number = 7
groups = ["gpu"]
"""


def read(tmp_path, text, name="site.toml"):
    path = tmp_path / name
    path.write_text(text)
    return find_cluster(str(path))


def test_presets():
    eurora = find_cluster("Eurora")
    assert (eurora.nodes, eurora.procs) == (64, 1024)
    assert eurora.resources == ("cores", "memory", "gpus", "mics")
    assert eurora.capacity()[31].tolist() == [16, 16384, 0, 2]
    assert eurora.capacity()[32].tolist() == [16, 16384, 2, 0]
    assert eurora.node_name(0) == "mic-1"
    assert eurora.node_name(63) == "gpu-32"
    kit = find_cluster("kit-fh2")
    assert (kit.nodes, kit.procs) == (1173, 1152 * 20 + 21 * 48)
    with pytest.raises(UnknownName, match="Did you mean eurora"):
        find_cluster("euroar")


def test_a_file(tmp_path):
    site = read(tmp_path, SITE)
    assert (site.name, site.nodes, site.procs) == ("site", 6, 128)
    assert site.capacity()[0].tolist() == [16, 65536, 0]
    assert site.whole_nodes().tolist() == [0, 0, 0, 0, 1, 1]
    assert site.open_to(site.partitions[1]).tolist() == [0, 0, 0, 0, 1, 1]
    assert [one.number for one in site.partitions] == [0, 7]
    assert site.from_document(site.document()) == site
    assert dict(site.from_document(site.document()).groups[1].capacity)["gpus"] == 4


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("count = 4", "count = 0"), r"line 6: expected count to be a whole number of 1 or more"),
        (("count = 4", "count = 4.5"), "line 6: expected count to be a whole number"),
        (("count = 4\n", ""), "line 4: expected count = N, the nodes of group 'cpu'"),
        (("cores = 16", "cores = 0"), "line 4: expected cores = N in group 'cpu'"),
        (("cores = 16", "cpus = 16"), "line 7: expected 'cores', which jobs ask for, found 'cpus'"),
        (('"64 GB"', '"64 apples"'), r"line 8: expected memory such as 16384 \(MB\) or \"16 GB\""),
        (('"64 GB"', "-3"), "line 8: expected memory to be a whole number of 0 or more"),
        (("shared = false", 'shared = "no"'), "line 16: expected true or false"),
        (("gpus = 4", "GPUs = 4"), "line 15: expected 'gpus', which jobs ask for, found 'GPUs'"),
        (
            ("count = 4", "count = 1000000000"),
            "10,000,000 nodes at most, found 1,000,000,002; group 'cpu'",
        ),
        (("cores = 16", "cores = 1000000000000"), "should have 1099511627776 cores at most"),
        (("cores = 16", "cores = 10000000000000"), "0 or more and at most 1099511627776"),
        (('groups = ["gpu"]', 'groups = ["gpus"]'), "Did you mean gpu"),
        (('groups = ["gpu"]', "groups = []"), "partition 'fast' has no nodes"),
        (("number = 7", "number = 0"), "each partition should have a number of its own"),
        (('name = "gpu"', 'name = "cpu"'), "two node groups 'cpu'"),
        (('name = "site"', "nodes = 3"), "line 2: expected one of name, group, partition"),
        (("[[group]]", "[[group"), "not TOML"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path, change, message):
    with pytest.raises(InputError, match=message):
        read(tmp_path, SITE.replace(*change))


def test_no_groups_and_no_files(tmp_path):
    with pytest.raises(InputError, match=r"at least one \[\[group\]\]"):
        read(tmp_path, 'name = "empty"')
    with pytest.raises(InputError, match=r"ends in \.toml, a slurm\.conf, or a table"):
        find_cluster("nodes.txt")
    with pytest.raises(InputError, match=r"missing\.toml"):
        find_cluster(str(tmp_path / "missing.toml"))


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("64000", 64000),
        ("16 GB", 16384),
        ("1.5T", 1572864),
        ("2048K", 2),
        ("1 GiB", 1024),
        ("1K", None),
        ("GB", None),
        ("-3 GB", None),
    ],
)
def test_amounts_of_memory(text, amount):
    assert megabytes(text) == amount


OUTAGES = """
[[outage]]
nodes = "gpu"
from = 3600
until = "2h"

[[outage]]
nodes = ["cpu-[1-2,4]", "gpu-2"]
from = "1d"
until = 90000
running = "keep"
"""


def test_outages(tmp_path):
    first, second = read(tmp_path, SITE + OUTAGES).outages
    assert (first.nodes, first.begin, first.end, first.kill) == ((4, 5), 3600, 7200, True)
    assert (second.nodes, second.begin, second.end, second.kill) == (
        (0, 1, 3, 5),
        86400,
        90000,
        False,
    )


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (
            'nodes = "gpu"',
            'nodes = "gpus"',
            "line 28: expected nodes of the groups cpu (1 to 4), gpu (1 to 2)",
        ),
        ('nodes = "gpu"', 'nodes = "gpu-3"', "found 'gpu-3'"),
        ('nodes = "gpu"', 'nodes = "gpu-0"', "found 'gpu-0'"),
        ('nodes = "gpu"', f'nodes = "gpu-{"9" * 5000}"', "nodes of the groups"),
        ('nodes = "gpu"', 'nodes = "gpu-[1-"', "a bracket is missing"),
        ('nodes = "gpu"', "nodes = []", "found []"),
        ('nodes = "gpu"', "nodes = 7", 'expected nodes such as "cpu"'),
        ("from = 3600", "from = -1", "whole number of 0 or more"),
        ("from = 3600", "from = 1.5", "whole number of 0 or more"),
        ("from = 3600", 'from = "soon"', 'from in seconds, or such as "36h"'),
        ("from = 3600", "", "expected from = ... in each [[outage]]"),
        ('until = "2h"', 'until = "1h"', "until to be later than from (3600 s), found 3600 s"),
        ('running = "keep"', 'running = "drain"', "running to be kill"),
        ('running = "keep"', "jobs = 1", "one of nodes, from, until, running, found 'jobs'"),
    ],
)
def test_outages_that_make_no_sense(tmp_path, before, after, said):
    text = SITE + OUTAGES
    assert before in text
    with pytest.raises(InputError) as caught:
        read(tmp_path, text.replace(before, after, 1))
    assert said in str(caught.value)
