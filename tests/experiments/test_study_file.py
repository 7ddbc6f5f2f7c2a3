"""Study files: what each key becomes."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from packwise.experiments.scenario import Generated, MachineSpec, Scenario, TraceFile
from packwise.experiments.study import Baseline, Cells, PublishedRules, Tolerance
from packwise.experiments.study_file import DEFAULT_METRICS, adhoc_study, read_study
from packwise.metrics.trimming import Trim
from packwise.model.errors import InputError
from packwise.registry import estimate, policy
from packwise.workloads.window import Window

GENERATED = "[[workload]]\ngenerate = { jobs = 50, procs = 16 }\n"
SMALL = f'policies = ["easy"]\n{GENERATED}'
MINE = """
from packwise import Decision
class Mine:
    def __init__(self, name):
        self.name = name
    def decide(self, view):
        return Decision()
mine, other = Mine("my policy"), Mine("another")
"""


@pytest.fixture
def read(tmp_path):
    """Reads a text as a study file."""

    def reading(text, **options):
        file = tmp_path / "my-study.toml"
        file.write_text(text, encoding="utf-8")
        return read_study(file, **options)

    return reading


def swf(path: Path, note: str = "") -> Path:
    path.write_text(f"; MaxProcs: 8\n; Note: {note}\n1 0 0 10 1 -1 -1 1 20 -1 1 1 1 1 1 1 -1 -1\n")
    return path


def test_the_least(read, tmp_path):
    study = read(SMALL)
    assert study.name == "my-study"
    assert study.file == tmp_path / "my-study.toml"
    assert study.store == tmp_path / "packwise-results"
    assert study.metrics == DEFAULT_METRICS
    assert study.baseline == Baseline(policy="easy")
    assert (study.description, study.confidence, study.dask) == ("", 0.95, {})
    assert study.published == PublishedRules()
    assert (study.trim, study.untrimmed) == (None, ())
    (scenario,) = study.scenarios
    assert scenario.labels == ("lublin-50-16", "", "easy", "requested", 0)
    assert scenario.workload.source == Generated(50, 16, 1)
    assert scenario.workload.window == Window()
    assert scenario.machine == MachineSpec()


def test_the_top(read, tmp_path):
    study = read(
        """
        name = "Packing"
        description = '''
        Two
        lines.'''
        metrics = ["bsld", "p1.5sf"]
        estimates = ["Exact", "exact*1.50", "exact*1.23456789"]
        store = "../kept"
        confidence = 0.9
        """
        + SMALL
        + "[dask]\nqueue = 'q'\ncores = 4\n[dask.extra]\nx = [1]"
    )
    assert study.name == "Packing"
    assert study.description.split() == ["Two", "lines."]
    assert study.metrics == ("BSLD", "P1.5SF")
    assert study.axis("estimate") == ["exact", "exact*1.5", "exact*1.23456789"]
    factors = [s.estimate.parameters["factor"] for s in study.scenarios]
    assert factors == [1.0, 1.5, 1.23456789]
    assert [estimate(s.estimate.name).factor for s in study.scenarios] == factors
    assert study.store == tmp_path / "../kept"
    assert study.confidence == 0.9
    assert study.dask == {"queue": "q", "cores": 4, "extra": {"x": [1]}}
    assert read(SMALL, store=Path("elsewhere")).store == Path("elsewhere")


def test_a_byte_order_mark_and_windows_line_ends_are_fine(tmp_path):
    file = tmp_path / "s.toml"
    file.write_bytes(b"\xef\xbb\xbf" + SMALL.replace("\n", "\r\n").encode())
    assert len(read_study(file).scenarios) == 1


def test_short_policies(read):
    text = SMALL.replace('"easy"', '"JustBF", "list( depth = 4, Order=SAF )", "easy()"')
    study = read(text)
    assert study.axis("policy") == ["list-reg", "list(order=saf,depth=4)", "easy"]
    assert study.scenarios[0].policy.name == "list-reg"
    assert study.scenarios[1].policy.parameters == {"order": "saf", "depth": 4}


def test_a_sweep(read):
    study = read(
        """
        policies = ["fcfs"]
        [[policy]]
        name = "list"
        label = "{order} {depth}"
        order = ["saf", "LAF/ljf"]
        depth = [1, "unlimited"]
        [[policy]]
        name = "list(order=sjf)"
        threshold = "2h"
        [[policy]]
        name = "easy"
        label = "EASY {x}"
        cap = 10
        """.replace("{x}", "{cap}")
        + GENERATED
    )
    found = {s.policy.label: s.policy for s in study.scenarios}
    assert list(found) == [
        "fcfs", "saf 1", "saf unlimited", "laf/ljf 1", "laf/ljf unlimited",
        "list(order=sjf,threshold=2h)", "EASY 10",
    ]  # fmt: skip
    assert found["saf 1"].name == "list(order=saf,depth=1)"
    assert found["saf 1"].parameters == {"order": "saf", "depth": 1}
    assert found["laf/ljf unlimited"].name == "list(order=laf/ljf,depth=unlimited)"
    assert found["EASY 10"].parameters == {"cap": 10}
    for choice in found.values():
        assert policy(choice.name).name == choice.name


def test_parameters_of_optimisers(read):
    """They are part of the name, which decides the result; values keep their case."""
    study = read(
        """
        policies = ["packwise( seed=3, objective=0.7*AF+0.3*AWF )"]
        [[policy]]
        name = "packwise"
        label = "{objective} {seed}"
        objective = ["AF", "P2SF"]
        seed = [0, 1]
        [[policy]]
        name = "cp-af(seed=2)"
        deterministic = 0.05
        jobs = 20
        """
        + GENERATED
    )
    found = {s.policy.label: s.policy for s in study.scenarios}
    assert {label: choice.name for label, choice in found.items()} == {
        "packwise(objective=0.7*AF+0.3*AWF,seed=3)": "packwise(objective=0.7*AF+0.3*AWF,seed=3)",
        "AF 0": "packwise(objective=AF,seed=0)",
        "AF 1": "packwise(objective=AF,seed=1)",
        "P2SF 0": "packwise(objective=P2SF,seed=0)",
        "P2SF 1": "packwise(objective=P2SF,seed=1)",
        "cp-af(deterministic=0.05,seed=2,jobs=20)": "cp-af(deterministic=0.05,seed=2,jobs=20)",
    }
    assert len({choice.content for choice in found.values()}) == 6
    assert found["AF 1"].parameters == {"objective": "AF", "seed": 1}
    for choice in found.values():
        assert policy(choice.name).name == choice.name


@pytest.mark.parametrize(
    ("name", "line", "problem"),
    [
        ("packwise", "depth = 3", "unknown key 'depth'"),
        ("packwise", "objective = 'AX'", "unknown objective 'AX'"),
        ("packwise", "seed = -1", "seed should be a whole number of at least 0"),
        ("packwise", "budget = true", "budget should be a word or a number"),
        ("list", "seed = 3", "'seed' belongs to the whole study"),
        ("list", "depth = 0.5", "depth should be a whole number"),
    ],
)
def test_wrong_parameters_of_policies(read, name, line, problem):
    with pytest.raises(InputError, match=problem):
        read(f'[[policy]]\nname = "{name}"\n{line}\n{GENERATED}')


def test_policies_of_ones_own(read, tmp_path, monkeypatch):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "my.py").write_text(MINE)
    (tmp_path / "packwise_test_module.py").write_text("# installed\n" + MINE)
    monkeypatch.syspath_prepend(tmp_path)
    names = '"sub/my.py:mine", "packwise_test_module:other"'
    study = read(SMALL.replace('"easy"', names) + '[[policy]]\nname="sub/my.py:other"\nlabel="O"')
    first, second, third = (s.policy for s in study.scenarios)
    file = (tmp_path / "sub" / "my.py").resolve()
    assert (first.label, first.name, first.source) == ("my policy", f"{file}:mine", MINE)
    assert (second.label, second.name) == ("another", "packwise_test_module:other")
    assert second.source == "# installed\n" + MINE
    assert (third.label, third.name) == ("O", f"{file}:other")
    assert Scenario.from_specification(study.scenarios[0].specification()) == study.scenarios[0]


def test_traces(read, tmp_path):
    (tmp_path / "logs").mkdir()
    archived = swf(tmp_path / "logs" / "kth-sp2.swf")
    mine = swf(tmp_path / "mine.swf", "mine")
    study = read(
        """
        policies = ["easy"]
        [[workload]]
        archive = "KTH-SP2"
        procs = 100
        from = "30d"
        until = 5184000
        first = 0
        count = 1000
        drop_queues = [3, 0]
        round_demand = 4
        scale_load = 1.2
        missing_limit = "runtime"
        [[workload]]
        file = "mine.swf"
        """,
        traces=[tmp_path / "logs"],
    )
    assert study.axis("workload") == ["KTH-SP2 x1.2", "mine"]
    first = study.scenarios[0]
    digest = sha256(archived.read_bytes()).hexdigest()
    assert first.workload.source == TraceFile(str(archived.resolve()), digest)
    assert first.machine == MachineSpec(procs=100)
    assert first.workload.window == Window(
        missing_limit="runtime",
        start=30 * 86400,
        end=60 * 86400,
        count=1000,
        drop_queues=(0, 3),
        multiple=4,
        factor=1.2,
    )
    assert study.scenarios[1].workload.source.path == str(mine.resolve())


def test_loads_make_workloads(read):
    study = read(SMALL + "label = 'L'\nscale_load = [1, 1.25]\n")
    assert study.axis("workload") == ["L x1", "L x1.25"]
    assert [s.workload.window.factor for s in study.scenarios] == [None, 1.25]
    assert read(SMALL + "label = 'L'\nscale_load = 1.5\n").axis("workload") == ["L"]


def test_replicas_are_shaken_copies(read):
    study = read(
        "replicas = 3\nseed = 7\nshake = '2m'\n"
        + SMALL
        + "[[workload]]\ngenerate = { jobs = 50, procs = 16, seed = 5 }\nreplicas = 0\nlabel = 'once'"
    )
    assert [s.replica for s in study.scenarios] == [1, 2, 3, 0]
    windows = [s.workload.window for s in study.scenarios]
    assert [w.seed for w in windows] == [7, 8, 9, None]
    assert [w.seconds for w in windows] == [120, 120, 120, 60]


def test_seeds_are_replicas(read):
    generate = "{ jobs = 50, procs = 16, load = 1, users = 4, seeds = [4, 2] }"
    study = read(f"policies = ['easy']\n[[workload]]\ngenerate = {generate}")
    assert [s.replica for s in study.scenarios] == [1, 2]
    assert study.scenarios[0].workload.source == Generated(50, 16, 4, 1.0, 4)
    assert study.scenarios[1].workload.source == Generated(50, 16, 2, 1.0, 4)
    assert study.axis("workload") == ["lublin-50-16"]


def test_machines(read):
    study = read(
        SMALL
        + """procs = 32
        [[machine]]
        factor = 1.1
        [[machine]]
        procs = 64
        [[machine]]
        label = "as it is"
        factor = 1
        """
    )
    assert [s.machine for s in study.scenarios] == [
        MachineSpec("x1.1", 32, 1.1),
        MachineSpec("64 procs", 64, 1.0),
        MachineSpec("as it is", 32, 1.0),
    ]


def test_the_order_of_scenarios(read):
    study = read(
        """
        replicas = 2
        estimates = ["exact", "requested"]
        policies = ["easy", "fcfs"]
        [[machine]]
        factor = 1
        [[machine]]
        factor = 2
        """
        + GENERATED
        + "[[workload]]\ngenerate = { jobs = 9, procs = 4 }"
    )
    labels = [s.labels for s in study.scenarios]
    axes = [study.axis(n) for n in ("workload", "machine", "estimate", "policy")]
    expected = [
        (w, m, p, e, r)
        for w in axes[0]
        for m in axes[1]
        for e in axes[2]
        for p in axes[3]
        for r in (1, 2)
    ]
    assert labels == expected
    assert len({scenario.labels for scenario in study.scenarios}) == 32
    assert len({s.key for s in study.scenarios}) == 32


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("'list-reg'", Baseline(policy="JBF")),
        ("'JustBF'", Baseline(policy="JBF")),
        ("'jbf'", Baseline(policy="JBF")),
        ("'list(depth=4, order=saf)'", Baseline(policy="list(order=saf,depth=4)")),
        ("{ estimate = 'exact*1.0' }", Baseline(estimate="exact")),
        ("{ policy = 'easy', machine = 'X2' }", Baseline(policy="easy", machine="x2")),
    ],
)
def test_baselines(read, given, expected):
    text = f"""
        baseline = {given}
        estimates = ["exact", "requested"]
        policies = ["easy", "list(order=saf,depth=4)"]
        machine = [{{ factor = 1 }}, {{ factor = 2 }}]
        [[policy]]
        name = "list-reg"
        label = "JBF"
        """
    assert read(text + GENERATED).baseline == expected


def test_tolerances(read):
    study = read(
        "metrics = ['AF', 'AWF', 'P2SF']\n"
        + SMALL
        + """
        [published]
        points = 2
        [[published.tolerance]]
        workload = "LUBLIN-*-16"
        reason = "no"
        share = 0.15
        [[published.tolerance]]
        metric = ["awf", "P?SF"]
        policy = "Easy"
        points = 3
        """.replace("LUBLIN", "lublin")
    )
    assert study.published.tolerances == (
        Tolerance(points=2),
        Tolerance(points=2, share=0.15, workload="lublin-*-16", reason="no"),
        Tolerance(points=3, policy="easy", metric="AWF"),
        Tolerance(points=3, policy="easy", metric="P?SF"),
    )


def test_digits_and_what_is_explained(read):
    study = read(
        SMALL
        + """
        [published]
        rounded = [1, 0]
        [[published.explained]]
        policy = "Easy"
        metric = ["BSLD", "A*"]
        reason = "a misprint"
        """
    )
    explained = tuple(
        Cells(policy="easy", metric=metric, reason="a misprint") for metric in ("BSLD", "A*")
    )
    assert study.published == PublishedRules((1, 0), (), explained)


def test_trim(read):
    study = read('trim = "1%:arrivals"\nuntrimmed = ["EASY"]\n' + SMALL)
    assert (study.trim, study.untrimmed) == (Trim(1.0, "arrivals"), ("easy",))
    patterns = read('trim = "last"\nuntrimmed = ["E*", "easy", "*S?"]\n' + SMALL)
    assert patterns.untrimmed == ("easy",)
    assert study.of_a_part
    assert not study.of_all_jobs.of_a_part
    assert study.trim_of("easy") is None
    assert study.trim_of("list-saf") == study.trim


def test_a_study_in_memory(tmp_path):
    one, two = swf(tmp_path / "one.swf"), swf(tmp_path / "two.swf", "two")
    study = adhoc_study(
        "Report",
        [one, two],
        policies=["easy", "JustBF"],
        estimates=["exact"],
        baseline="justbf",
        store=tmp_path / "kept",
        procs=4,
        window=Window(count=1),
    )
    assert study.file is None
    assert study.store == tmp_path / "kept"
    assert study.baseline == Baseline(policy="list-reg")
    assert study.axis("workload") == ["one", "two"]
    assert {s.workload.window for s in study.scenarios} == {Window(count=1)}
    assert {s.machine.procs for s in study.scenarios} == {4}


def test_a_large_study_shares_what_it_can(read):
    depths = list(range(100))
    text = f"""
        replicas = 100
        estimates = ["exact", "requested"]
        [[policy]]
        name = "list"
        order = ["saf", "sjf", "laf", "spf", "fcfs"]
        depth = {depths}
        """
    study = read(text + GENERATED)
    assert len(study.scenarios) == 100_000
    assert len({id(s.workload) for s in study.scenarios}) == 100
    assert len({id(s.policy) for s in study.scenarios}) == 500
