"""Tables of nodes, a row for each."""

from __future__ import annotations

import gzip

import pytest

from packwise.clusters.finding import find_cluster
from packwise.model.errors import InputError

OURS = "name,cores,memory,gpus\na,16,1000,0\nb,32,2000,4\nc,16,1000,0\n"
ALIBABAS = "sn,cpu_milli,memory_mib,gpu,model\nn0,32000,262144,0,\nn1,96000,393216,8,G2\nn2,96000,524288,8,G2\n"


def read(tmp_path, text, name="nodes.csv"):
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return find_cluster(str(path))


def test_nodes_that_are_alike_are_a_group(tmp_path):
    cluster = read(tmp_path, OURS)
    assert (cluster.name, cluster.nodes, cluster.procs) == ("nodes", 3, 64)
    assert [(g.name, g.count, dict(g.capacity)) for g in cluster.groups] == [
        ("node.1", 2, {"cores": 16, "memory": 1000, "gpus": 0}),
        ("node.2", 1, {"cores": 32, "memory": 2000, "gpus": 4}),
    ]


def test_alibabas_names(tmp_path):
    cluster = read(tmp_path, ALIBABAS, "openb.csv.gz")
    assert [(g.name, g.capacity["cores"]) for g in cluster.groups] == [
        ("node", 32),
        ("G2.1", 96),
        ("G2.2", 96),
    ]


def test_as_a_spreadsheet_writes_it(tmp_path):
    cluster = read(
        tmp_path, "\ufeffGroup, Cores,GPUs\r\nthin,16,\r\nfat,16, 2\r\nthin,16,0\r\n\r\n"
    )
    assert [(g.name, g.count, dict(g.capacity)) for g in cluster.groups] == [
        ("thin", 2, {"cores": 16, "gpus": 0}),
        ("fat", 1, {"cores": 16, "gpus": 2}),
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "a header line and at least one node"),
        ("name,memory\na,5\n", "found name, memory"),
        ("cores\n", "a header line and at least one node"),
        ("cores\nmany\n", "line 2: expected a whole number in column 'cores', found 'many'"),
        ("cores\n1.5\n", "found '1.5'"),
        ("cores,gpus\n0,1\n", "a node with cores"),
        ("cpu_milli\n1500\n", "a multiple of 1000"),
        ("cores\n99999999999999999999\n", "whole number"),
        ("cores\n" + "9" * 5000 + "\n", "whole number"),
        ("cores,gpus\n16,2\n16\n", "line 3: expected 2 fields as in the header, found 1"),
        ("cores,gpus\n16,2,9\n", "line 2: expected 2 fields as in the header, found 3"),
        ("cores,cores\n16,8\n", "each column once"),
        ("Cores,cores\n16,8\n", "one column for each resource"),
        ("cpu_milli,cores\n16000,8\n", "one column for each resource"),
        ("cores,\n16,\n", "a name for each column"),
        ('name,cores\nn1,8\n"n2,8\nn3,8\n', "line 3: expected CSV, found a quote that is opened"),
        ('name,cores\n"n1,8\nn2,8\nn3",8\n', "line 2: expected a quote that is closed in its cell"),
    ],
)
def test_what_is_no_table_of_nodes(tmp_path, text, said):
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    assert said in str(caught.value)


def test_the_nodes_of_alibaba(shared):
    cluster = find_cluster(str(shared / "traces" / "Alibaba-GPU-2023.nodes.csv.gz"))
    assert (cluster.nodes, cluster.procs) == (1523, 125_514)
    assert cluster.capacity()[:, cluster.resources.index("gpus")].sum() == 6212
