"""Clusters from slurm.conf, and lists of hosts."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packwise.clusters.finding import find_cluster
from packwise.files.hostlists import hosts
from packwise.model.errors import InputError

CONF = """
# a comment
ClusterName=demo
NodeName=DEFAULT CPUs=12 RealMemory=48000
NodeName=n[1-4] Feature=IB,CPU-N
NodeName=m[01-02] Sockets=2 CoresPerSocket=8 ThreadsPerCore=2 CPUs=32 \\
    RealMemory=64000
NodeName=g1 Gres=gpu:tesla:2(S:0-1),mic:1,nvme:100G
PartitionName=batch Nodes=n[1-4],m[01-02] Default=YES
PartitionName=gpu Nodes=g1 OverSubscribe=EXCLUSIVE
PartitionName=all Nodes=ALL
"""


def read(tmp_path, text):
    path = tmp_path / "slurm.conf"
    path.write_text(text)
    return find_cluster(str(path))


def test_nodes_and_partitions(tmp_path):
    cluster = read(tmp_path, CONF)
    assert cluster.name == "demo"
    groups = {group.name: group for group in cluster.groups}
    assert list(groups) == ["n1..n4", "m01..m02", "g1"]
    assert (groups["n1..n4"].count, groups["n1..n4"].capacity["cores"]) == (4, 12)
    assert groups["m01..m02"].capacity == {"cores": 32, "memory": 64000}
    assert groups["g1"].capacity["gpus"] == 2
    assert groups["g1"].capacity["mics"] == 1
    assert groups["g1"].capacity["nvme"] == 100 * 1024**3
    assert [group.shared for group in cluster.groups] == [True, True, False]
    assert [(one.name, one.groups) for one in cluster.partitions] == [
        ("batch", ("n1..n4", "m01..m02")),
        ("gpu", ("g1",)),
        ("all", ("n1..n4", "m01..m02", "g1")),
    ]


def test_lines_that_say_something_else_are_left_alone(tmp_path):
    text = "PrologFlags=don't\nNodeName = n[1-2] CPUs = 4 Gres=gpu:2(S:0,1),mic:1\n"
    cluster = read(tmp_path, text)
    assert cluster.procs == 8
    assert dict(cluster.groups[0].capacity) == {"cores": 4, "gpus": 2, "mics": 1}


def test_cpus_are_made_of_sockets(tmp_path):
    cluster = read(tmp_path, "NodeName=a Sockets=2 CoresPerSocket=8 ThreadsPerCore=2\n")
    assert cluster.procs == 32


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ClusterName=x\n", "no NodeName"),
        ("NodeName=n[1-\n", r"line 1: expected hosts such as n\[001-064\]"),
        ("NodeName=a CPUs=many\n", "line 1: expected cpus= a whole number"),
        ("NodeName=a CPUs=1\nNodeName=a CPUs=1\n", "line 2: expected each node once"),
        ("NodeName=a CPUs=1\nPartitionName=p Nodes=b\n", "line 2: expected nodes that have"),
        ("NodeName=a CPUs=1 Gres=:::\n", "line 1: expected Gres such as gpu:2"),
        ('NodeName=a "CPUs=1\n', "line 1: expected key=value pairs"),
        ("NodeName=a CPUs=²\n", "line 1: expected cpus= a whole number"),
        ("NodeName=a CPUs=0\n", r"slurm\.conf: node group 'a' should have something"),
        ("NodeName=n[1-999999999] CPUs=1\n", "more than 1,000,000 hosts"),
        ("NodeName=n[1-100000][1-100000] CPUs=1\n", "more than 1,000,000 hosts"),
        ("NodeName=a CPUs=1\nInclude more.conf\n", "line 2: expected an included file"),
        (
            "NodeName=a CPUs=1\ninclude slurm.conf\n",
            "found 'slurm.conf' includes 'slurm.conf'. Remove",
        ),
        ("NodeName=a CPUs=" + "9" * 5000, "cpus= a whole number, found '9{40}...'"),
        ("NodeName=a Gres=gpu:" + "9" * 5000, "Gres such as gpu:2, found 'gpu:9{36}...'"),
        ("NodeName=a Gres=gpu:2(S:0", "a bracket is missing"),
        ("NodeName=a CPUs=1\nPartitionName=p Nodes=ALL MaxTime=" + "9" * 5000, "MaxTime such as"),
        ("NodeName=a[1-2],\\\n b1 CPUs=4\n", "line 1: expected key=value pairs, found 'b1 CPUs=4'"),
        ("NodeName=a CPUs=1 stray\n", "key=value pairs, found 'stray'"),
        ("NodeName=a CPUs=\n", "key=value pairs, found 'CPUs='"),
        ('NodeName=a Reason="b c CPUs=1\n', "key=value pairs, found 'c CPUs=1'"),
    ],
)
def test_refusals(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        read(tmp_path, text)


def test_a_line_goes_on_with_nothing_between(tmp_path):
    """As Slurm 22.05 reads the same text."""
    cluster = read(
        tmp_path,
        "SchedulerParameters=bf_window=2880,\\\nbf_interval=7\n"
        "NodeName=n1,\\  \nn2 CPUs=2 \\ # and so on\nState=UNKNOWN # \\\n"
        'NodeName=n3 Reason="out # \\ of" CPUs=1\n'.replace("# \\ ", "\\# ")
        + "PartitionName=a Nodes=n1,\\\nn2,\\\nn3\n",
    )
    assert (cluster.scheduler["bf_window"], cluster.scheduler["bf_interval"]) == ("2880", "7")
    assert [group.hosts for group in cluster.groups] == [("n1", "n2"), ("n3",)]
    assert cluster.partitions[0].groups == ("n1..n2", "n3")


def test_files_that_include_each_other(tmp_path):
    (tmp_path / "more.conf").write_text("NodeName=b CPUs=1\nInclude slurm.conf\n")
    with pytest.raises(InputError) as caught:
        read(tmp_path, "Include more.conf\n")
    said = (
        "found 'slurm.conf' includes 'more.conf' includes 'slurm.conf'. Remove one of these lines."
    )
    assert f"more.conf, line 2: expected a file that does not include itself, {said}" in str(
        caught.value
    )


def test_a_file_may_be_included_twice(tmp_path):
    """As long as what it says may stand there twice."""
    (tmp_path / "more.conf").write_text("NodeName=DEFAULT CPUs=8\n")
    cluster = read(tmp_path, "include more.conf\nNodeName=a\nInclude more.conf\nNodeName=b\n")
    assert cluster.procs == 16


def test_lists_of_hosts():
    assert hosts("a") == ["a"]
    assert hosts("n[001-003,7],gpu1") == ["n001", "n002", "n003", "n7", "gpu1"]
    assert hosts("n" + "[1]" * 5_000) == ["n" + "1" * 5_000]
    with pytest.raises(ValueError, match="more than 1,000 letters"):
        hosts("n" * 10**6 + "[1-1000000]")
    assert hosts("r[1-2]c[1-2]") == ["r1c1", "r1c2", "r2c1", "r2c2"]
    for wrong in ("n[1-", "n]1", "n[3-1]", "n[a]", "n[[1]]"):
        with pytest.raises(ValueError, match=r".+"):
            hosts(wrong)


@given(st.text(alphabet="n[]-,019", max_size=12))
def test_any_text_is_hosts_or_refused(text):
    with contextlib.suppress(ValueError):
        assert all(isinstance(name, str) for name in hosts(text))


SCHEDULER = """
SchedulerType=sched/backfill
SchedulerParameters=bf_window=4320,bf_continue,max_job_bf=77,bf_yield_interval=1000
PriorityWeightAge=1000
PriorityDecayHalfLife=14-0
PriorityType=priority/multifactor
NodeName=n[1-4] CPUs=4 Features=ib,new
NodeName=m[1-4] CPUs=4
PartitionName=batch Nodes=ALL PriorityJobFactor=3
PartitionName=fast Nodes=n[1-4] PriorityTier=5
PartitionName=old Nodes=ALL Priority=7
"""


def test_the_settings_of_the_scheduler(tmp_path):
    cluster = read(tmp_path, SCHEDULER)
    assert dict(cluster.scheduler) == {
        "schedulertype": "sched/backfill",
        "bf_window": "4320",
        "bf_continue": "",
        "bf_max_job_test": "77",
        "priorityweightage": "1000",
        "prioritydecayhalflife": "14-0",
        "prioritytype": "priority/multifactor",
    }
    assert [(one.factor, one.tier) for one in cluster.partitions] == [(3, 1), (1, 5), (7, 7)]
    assert [group.features for group in cluster.groups] == [("ib", "new"), ()]
    assert type(cluster).from_document(cluster.document()) == cluster


def test_a_setting_that_is_none(tmp_path):
    with pytest.raises(InputError, match=r"slurm.conf, line 3: setting bf_window"):
        read(tmp_path, SCHEDULER.replace("4320", "long"))


def test_what_is_easily_misread(tmp_path):
    text = (
        "SlurmctldPort=6817 SchedulerParameters=bf_window=99,bf_window=50\n"
        "SelectType=select/cons_tres SelectTypeParameters=CR_Core\n"
        "PriorityFlags=NO_FAIR_TREE,DEPTH_OBLIVIOUS\nPriorityWeightTRES=CPU=1000\nPriorityUsageResetPeriod=NONE\n"
        "NodeName=n[1-4] CPUs=4 RealMemory=100\nNodeName=f[1-4] CPUs=4 RealMemory=100 State=FUTURE\n"
        "PartitionName=last Nodes=ALL \\"
    )
    cluster = read(tmp_path, text)
    assert (cluster.nodes, cluster.resources) == (4, ("cores",))
    assert [one.name for one in cluster.partitions] == ["last"]
    assert dict(cluster.scheduler) == {
        "schedulertype": "sched/backfill",
        "bf_window": "99",
        "priorityflags": "NO_FAIR_TREE",
        "not followed": "DEPTH_OBLIVIOUS, priorityweighttres",
    }
    again = read(
        tmp_path,
        "SchedulerParameters=bf_window=5\nSchedulerParameters=bf_interval=-1\nNodeName=n1 CPUs=1",
    )
    assert dict(again.scheduler) == {"schedulertype": "sched/backfill", "bf_interval": "-1"}
    with pytest.raises(InputError, match="each partition once"):
        read(tmp_path, "NodeName=n1 CPUs=1\nPartitionName=a Nodes=ALL\nPartitionName=a Nodes=ALL")
