"""Mistakes in the tables of a study file: workloads, policies, machines, tolerances."""

from __future__ import annotations

import pytest

from packwise.experiments.scenario import load
from packwise.experiments.study_file import read_study
from packwise.model.errors import InputError
from packwise.workloads.trace import find_archived

HEAD = 'policies = ["easy"]\n'
WORKLOAD = "[[workload]]\ngenerate = { jobs = 50, procs = 16 }\n"


def refused(tmp_path, text, **options):
    """The message, without the folder."""
    file = tmp_path / "s.toml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError) as caught:
        read_study(file, **options)
    return str(caught.value).replace(f"{tmp_path}/", "")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("", "a [[workload]] needs one source out of archive"),
        ("file = 'a.swf'\narchive = 'KTH-SP2'", "found archive and file."),
        ("file = 'a.swf'", "there is no file 'a.swf'. Check the path."),
        ("file = 'kth-sp2'", 'For the log of the archive write archive = "kth-sp2".'),
        ("file = '.'", "there is no file"),
        ('file = "a\\u0000b"', "file should be text of one line"),
        (f"file = '{'x' * 900}'", "there is no file"),
        ("archive = 'KTH-SP3'", "unknown archived log 'KTH-SP3'. Did you mean kth-sp2"),
        ("archive = 'nowhere/log.swf'", "unknown archived log 'nowhere/log.swf'"),
        ("archive = 5", "archive should be text"),
        ("generate = 5", "generate should be a table, found 5."),
        ('generate = { jobs = 5, procs = 4, cluster = "eurora" }', "Give one of them."),
        ('generate = { jobs = 5, cluster = "europa" }', "unknown cluster 'europa'"),
        ("generate = { jobs = 5, cluster = 7 }", "cluster should be text"),
        ("generate = { jobs = 5 }", "generate needs procs, as in"),
        (
            "generate = { jobs = 0, procs = 4 }",
            "jobs should be a whole number from 1 to 100,000,000, found 0.",
        ),
        ("generate = { jobs = 5, procs = 4, lod = 1 }", "unknown key 'lod'. Did you mean load?"),
        ("generate = { jobs = 5, procs = 4, load = -1 }", "load should be a number above 0"),
        (
            "generate = { jobs = 5, procs = 4, users = 1000001 }",
            "users should be a whole number from 1 to 1,000,000, found 1000001.",
        ),
        ("generate = { jobs = 5, procs = 4, users = 0 }", "users should be a whole number from 1"),
        (
            "generate = { jobs = 5, procs = 4, seed = 1, seeds = [1] }",
            "give seed or seeds, not both.",
        ),
        ("generate = { jobs = 5, procs = 4, seeds = [] }", "seeds should have one element or more"),
        (
            "generate = { jobs = 5, procs = 4, seeds = [1, 1] }",
            "seeds should all differ, found 1 more",
        ),
        (
            "generate = { jobs = 5, procs = 4, seeds = [true] }",
            "each of seeds should be a whole number",
        ),
    ],
)
def test_sources(tmp_path, lines, message, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    found = refused(tmp_path, f"{HEAD}[[workload]]\n{lines}\n")
    assert found.startswith(("s.toml, line 2: ", "s.toml, line 3: "))
    assert message in found


def test_a_file_with_the_name_of_a_log_does_not_stand_for_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "KTH-SP2").write_text("1 0 0 1 1 -1 -1 1 1 -1 1 1 1 1 1 -1 -1 -1")
    found = refused(tmp_path, f"{HEAD}[[workload]]\narchive = 'KTH-SP2'")
    assert "packwise workload fetch KTH-SP2" in found


def test_an_archived_log_that_is_not_here(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    found = refused(tmp_path, f"{HEAD}[[workload]]\narchive = 'KTH-SP2'", traces=[tmp_path])
    assert "packwise workload fetch KTH-SP2" in found
    found = refused(tmp_path, HEAD, traces=[tmp_path / "nowhere"])
    assert found == "nowhere: no such folder of traces. Check --traces."


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "metrics = ['AF']",
            "'metrics' belongs to the whole study: put it above the first line in brackets.",
        ),
        ("name = 'x'", "unknown key 'name' here. What it is called is its label."),
        ("proc = 4", "unknown key 'proc'. Did you mean procs"),
        ("procs = 0", "procs should be a whole number of 1 or more, found 0."),
        ("label = ''", "label should be text of one line"),
        ("replicas = 20_000", "replicas should be a whole number from 0 to 10,000, found 20000."),
        ("from = 'x'", "from should be a duration: seconds, or a string such as '90m'"),
        ("from = -5", "found -5."),
        ("from = 1.5", "found 1.5."),
        ("from = 9\nuntil = 5", "until should be later than from, found 9 s to 5 s"),
        ("count = 0", "count should be a whole number of 1 or more"),
        ("first = -1", "first should be a whole number of 0 or more"),
        (
            "drop_queues = 3",
            "drop_queues should be a list of whole numbers, as in [1, 2, 3]; found 3.",
        ),
        (
            "drop_queues = ['x']",
            "each of drop_queues should be a whole number of -1 or more, found 'x'.",
        ),
        ("round_demand = 0", "round_demand should be a whole number of 1 or more"),
        ("scale_load = []", "scale_load should have one element or more"),
        ("scale_load = [1, 0]", "scale_load should be a number above 0 and at most 20"),
        (
            "scale_load = [2, 2]",
            "workload 'lublin-50-16 x2' is there twice, first at line 2. Remove one.",
        ),
        ("missing_limit = 'keep'", "missing_limit should be one of drop, runtime; found 'keep'."),
    ],
)
def test_workload_keys(tmp_path, line, message):
    found = refused(tmp_path, f"{HEAD}{WORKLOAD}{line}\n")
    assert found.startswith("s.toml, line ")
    assert message in found


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("order = 'saf'", "line 4: a [[policy]] needs a name"),
        ("name = 'esay'", "line 5: unknown policy 'esay'. Did you mean easy"),
        ("name = 'list'\nordr = 'saf'", "line 6: unknown key 'ordr'. Did you mean order?"),
        ("name = 'list'\norder = ['saf',\n'sag']", "line 7: unknown order 'sag'. Did you mean saf"),
        (
            "name = 'list'\ndepth = [1.5]",
            "line 6: depth should be a whole number, or a list to sweep; found 1.5.",
        ),
        (
            "name = 'list'\norder = true",
            "line 6: order should be a name, or a list to sweep; found true.",
        ),
        ("name = 'list'\ndepth = []", "line 6: depth should have one element or more"),
        ("name = 'list'\ndepth = -1", "depth should be a whole number of 0 or more, found -1."),
        ("name = 'list'\norder = 'saf,depth=1'", "order should be one word or number"),
        (
            "name = 'cbf'\ndepth = 1",
            "line 6: unknown key 'depth'. Known: name, label, compress, power_cap.",
        ),
        ("name = 'fcfs'\ndepth = 1", "depth would have no effect"),
        ("name = 'list(depth=1)'\ndepth = 2", "parameter 'depth' is given twice"),
        (
            "name = 'my.py:mine'\ndepth = 2",
            "line 6: policy 'my.py:mine' comes from a module of your own",
        ),
        (
            "name = 'my.py:mine'",
            "policy 'my.py:mine': there is no file 'my.py'. Check the path before the colon.",
        ),
        ("name = 'nowhere.at_all:mine'", "could not be imported"),
        ("name = 'my.py'", "say which policy of the file"),
        (
            "name = 'list'\nlabel = 'L {depht}'\ndepth = 1",
            "line 6: label 'L {depht}' has the placeholder {depht}.",
        ),
        (
            "name = 'list'\nlabel = 'L'\ndepth = [1, 2]",
            "line 6: label 'L' does not tell the 2 policies",
        ),
        ("name = 'easy'", "line 4: policy 'easy' is there twice, first at line 1. Remove one."),
        ("name = 'list-saf'\nlabel = 'easy'", "Give one another label, in its [[policy]]."),
        (
            "name = 'easy'\nlabel = 'mine'",
            "line 4: 'easy' (at line 1) and 'mine' are the same policy. Remove one.",
        ),
        (
            "name = 'list'\n"
            + "".join(f"{k} = {list(range(1, 101))}\n" for k in ("depth", "cap", "threshold")),
            "the sweep of policy 'list' has 1,000,000 combinations; 10,000 is the most.",
        ),
    ],
)
def test_policies(tmp_path, lines, message):
    found = refused(tmp_path, f"{HEAD}{WORKLOAD}[[policy]]\n{lines}\n")
    assert found.startswith("s.toml, line ")
    assert message in found


def test_policies_that_break_when_they_are_loaded(tmp_path):
    for i, text in enumerate(["1/0", "import sys; sys.exit(3)", "def", "mine = 5"]):
        (tmp_path / f"my{i}.py").write_text(text)
        found = refused(tmp_path, f"policies = ['my{i}.py:mine']\n{WORKLOAD}")
        assert found.startswith("s.toml, line 1: policy ")
    folder = tmp_path / "a (copy)"
    folder.mkdir()
    (folder / "my.py").write_text("def mine(view): ...")
    (folder / "s.toml").write_text(f"policies = ['my.py:mine']\n{WORKLOAD}")
    assert read_study(folder / "s.toml").axis("policy") == ["mine"]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("[[machine]]", "line 4: a [[machine]] needs procs = 128"),
        ("[[machine]]\nprocs = 4\nfactor = 2", "line 4: a [[machine]] needs procs"),
        ("[[machine]]\nfactor = 0", "line 5: factor should be a number above 0"),
        (
            "[[machine]]\nfactor = 1\n[[machine]]\nfactor = 1.0",
            "line 6: machine 'x1' is there twice, first at line 4.",
        ),
        (
            "[[machine]]\nfactor = 1\n[[machine]]\nfactor = 1\nlabel = 'b'",
            "'x1' (at line 4) and 'b' are the same machine.",
        ),
        (WORKLOAD, "line 4: workload 'lublin-50-16' is there twice, first at line 2. Remove one."),
        (
            WORKLOAD + "label = 'b'",
            "line 4: 'lublin-50-16' (at line 2) and 'b' are the same jobs on the same machine.",
        ),
        (WORKLOAD + "count = 5", "Give one another label, in its [[workload]]."),
        (
            "[machine]\nfactor = 1",
            "machine should be a repeated table, found a table. Write [[machine]], with two",
        ),
        (
            "[[published]]\nshare = 1",
            "published should be a table, found a list of 1. Write [published], with one",
        ),
        (
            "[published]\nshare = 15",
            "share should be a number from 0 to 1, found 15. For 15 % write 0.15.",
        ),
        ("[published]\npoints = -1", "points should be a number of 0 or more, found -1."),
        ("[published]\ntolerance = 4", "Write [[published.tolerance]], with two brackets"),
        ("[[published.tolerance]]\npolicy = 'easy'", "needs points, value or share"),
        (
            "[[published.tolerance]]\nshare = 0\npolicy = 'esay'",
            "for no policy of the study: unknown policy 'esay'. Did you mean easy?",
        ),
        (
            "[[published.explained]]\nreason = 'r'\npolicy = 'esay'",
            "for no policy of the study: unknown policy 'esay'. Did you mean easy?",
        ),
        ("[[published.explained]]\npolicy = 'easy'", "needs a reason, as in reason ="),
        (
            "[published]\nrounded = [1, 0]\nshare = 0",
            "rounded goes without points, share and value",
        ),
        ("[published]\nrounded = [13]", "each of rounded should be a whole number from 0 to 12"),
        ("[[published.tolerance]]\nshare = 0\nmetric = ['AF', 4]", "each of metric should be text"),
    ],
)
def test_machines_repeats_and_tolerances(tmp_path, lines, message):
    found = refused(tmp_path, f"{HEAD}{WORKLOAD}{lines}\n")
    assert found.startswith("s.toml, line ")
    assert message in found


def test_a_machine_of_its_own_makes_other_scenarios(tmp_path):
    file = tmp_path / "s.toml"
    file.write_text(f"{HEAD}{WORKLOAD}{WORKLOAD}procs = 20\nlabel = 'b'\n")
    assert len(read_study(file).scenarios) == 2
    found = refused(tmp_path, f"{file.read_text()}[[machine]]\nprocs = 99")
    assert "are the same jobs on the same machine" in found


JOBS_FOR_NODES = '[[workload]]\ngenerate = { jobs = 9, cluster = "eurora" }\n'


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("procs = 64", "line 4: procs is not for jobs that run on nodes."),
        ("[[machine]]\nfactor = 1.0", "line 4: machine 'x1' has processors only"),
        ("[[machine]]\nprocs = 64", "line 4: machine '64 procs' has processors only"),
    ],
)
def test_jobs_for_nodes_need_nodes(tmp_path, lines, message):
    assert message in refused(tmp_path, f"{HEAD}{JOBS_FOR_NODES}{lines}\n")


def test_a_cluster_file_beside_the_study(tmp_path):
    (tmp_path / "own.toml").write_text(
        'name = "own"\n[[group]]\nname = "n"\ncount = 3\ncores = 4\n'
    )
    (tmp_path / "s.toml").write_text(
        f"{HEAD}[[workload]]\ngenerate = {{ jobs = 9, cluster = 'own.toml' }}\n"
    )
    (scenario,) = read_study(tmp_path / "s.toml").scenarios
    assert scenario.labels.workload == "own-like-9"
    assert load(scenario.workload, scenario.machine).cluster.nodes == 3


def test_a_name_too_long_for_a_file(tmp_path):
    found = refused(
        tmp_path, f'{HEAD}[[workload]]\ngenerate = {{ jobs = 9, cluster = "{"x" * 500}" }}\n'
    )
    assert "s.toml, line 3: " in found


def test_logs_in_csv(tmp_path):
    """For names that the archive does not know; a log that it knows is never a table that has its name."""
    (tmp_path / "KTH-SP2.csv").write_text("job\n")
    (tmp_path / "KTH-SP2-1996-2.1-cln.swf").write_text("; MaxProcs: 8\n")
    (tmp_path / "Mine.csv").write_text("job\n")
    assert find_archived("kth-sp2-1996-2.1-cln", [tmp_path]).suffix == ".swf"
    assert find_archived("mine", [tmp_path]).name == "Mine.csv"
    (tmp_path / "KTH-SP2-1996-2.1-cln.swf").unlink()
    with pytest.raises(InputError, match="not on this machine yet"):
        find_archived("KTH-SP2", [tmp_path])
    with pytest.raises(InputError, match=r"yours: expected yours\.swf\.gz, .* in .*, found none"):
        find_archived("yours", [tmp_path])
