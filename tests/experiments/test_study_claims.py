"""Claims in study files."""

from __future__ import annotations

import pytest

from packwise.experiments.claim import Between, Claim, Falls, Flat, Largest, Swept
from packwise.experiments.study_file import read_study
from packwise.model.errors import InputError

HEAD = """\
metrics = ["wait", "BSLD(60)"]
[[policy]]
name = "easy"
label = "EASY"
[[policy]]
name = "list-reg"
[[workload]]
generate = { jobs = 50, procs = 16 }
label = "w"
scale_load = [1.0, 1.2]
deadlines = "slack"
deadline_share = [0.2, 0.4, 0.6]
[[workload]]
generate = { jobs = 60, procs = 16 }
label = "other"
[[claim]]
says = "so"
"""
LINE = len(HEAD.splitlines())
W = tuple(f"w x{load} {share}%" for load in ("1", "1.2") for share in (20, 40, 60))


@pytest.fixture
def read(tmp_path):
    """Reads a text as the rest of a study file."""

    def reading(lines: str, head: str = HEAD):
        file = tmp_path / "s.toml"
        file.write_text(head + lines, encoding="utf-8")
        return read_study(file)

    return reading


def test_a_claim(read):
    study = read("metric = 'WAIT'\npolicy = 'easy'\nat_most = 60\nsource = 'section 1'")
    assert study.claims == (
        Claim(
            "so",
            "wait",
            "EASY",
            Between(None, 60),
            (*W, "other"),
            source="section 1",
            line=LINE - 1,
        ),
    )
    assert not study.drop_unaffected
    assert study.swept["w x1.2 40%"] == Swept("w x1.2", 0.4)
    assert "other" not in study.swept
    assert read(
        "metric='wait'\npolicy='EASY'\nat_most=1", "drop_unaffected = true\n" + HEAD
    ).drop_unaffected


@pytest.mark.parametrize(
    ("lines", "check"),
    [
        ("at_least = 1\nat_most = 1", Between(1, 1)),
        ("at_least = -1.5", Between(-1.5, None)),
        ("flat = 0.1\nonly = 'w'", Flat(0.1)),
        ("falls = 0\nonly = 'w x1'", Falls(0)),
        ("falls = 1\nonly = 'W X1*'", Falls(1)),
        ("largest = 'OTHER'", Largest("OTHER", ("other",))),
        ("largest = 'w x1'", Largest("w x1", W[:3])),
    ],
)
def test_checks(read, lines, check):
    (claim,) = read(f"metric = 'wait'\npolicy = 'EASY'\n{lines}").claims
    assert claim.check == check


@pytest.mark.parametrize(
    ("lines", "labels"),
    [
        ("", (*W, "other")),
        ("only = 'w'", W),
        ("only = ['w x1.2', 'other']", (*W[3:], "other")),
        ("only = '* 20%'", (W[0], W[3])),
        ("only = 'w x1 20%'", W[:1]),
        ("except = 'w'", ("other",)),
        ("only = 'w x1'\nexcept = ['* 20%', '* 40%']", W[2:3]),
    ],
)
def test_workloads(read, lines, labels):
    (claim,) = read(f"metric = 'wait'\npolicy = 'EASY'\nat_most = 1\n{lines}").claims
    assert claim.workloads == labels


def test_quantities(read):
    (claim,) = read(
        "metric = 'deadline_misses'\npart_of = 'Deadline_Jobs'\npolicy = 'easy'\nagainst = 'justbf'\n"
        "at_most = 1\nunfiltered = true"
    ).claims
    assert (claim.part_of, claim.against, claim.unfiltered) == ("deadline_jobs", "list-reg", True)
    assert claim.quantity == "deadline_misses / deadline_jobs of EASY, against list-reg, all jobs"


def test_one_estimate(read):
    (claim,) = read("metric = 'wait'\npolicy = 'easy'\nestimate = 'Requested'\nat_most = 1").claims
    assert claim.estimate == "requested"
    assert claim.quantity == "wait of EASY, with requested"


def test_a_sweep_over_the_load(read):
    head = HEAD.replace("deadlines", "# deadlines").replace("deadline_share", "# deadline_share")
    study = read("metric = 'wait'\npolicy = 'EASY'\nflat = 0.1\nonly = 'w'", head)
    assert study.swept == {"w x1": Swept("w", 1.0), "w x1.2": Swept("w", 1.2)}


GOOD = "metric = 'wait'\npolicy = 'EASY'\n"


@pytest.mark.parametrize(
    ("lines", "line", "message"),
    [
        ("policy = 'EASY'\nat_most = 1", -1, 'a [[claim]] needs metric, as in metric = "wait".'),
        ("metric = 'wait'\nat_most = 1", -1, 'a [[claim]] needs policy, as in policy = "easy".'),
        (GOOD, -1, "a [[claim]] needs one check: flat = 0.1"),
        (GOOD, -1, "found none."),
        (f"{GOOD}flat = 0.1\nfalls = 0.9\nonly = 'w'", 4, "found flat, falls."),
        (f"{GOOD}at_least = 1\nat_most = 2\nlargest = 'w'", 5, "found at_least, at_most, largest."),
        (f"{GOOD}at_least = 2\nat_most = 1", 3, "at_least should not be above at_most, found 2 and 1."),
        (f"{GOOD}at_most = '1'", 3, "at_most should be a number that is finite, found '1'. Write it without"),
        (f"{GOOD}at_most = nan", 3, "found nan."),
        (f"{GOOD}flat = 10\nonly = 'w'", 3, "from 0 to 1, found 10. For 10 % write 0.1."),
        (f"{GOOD}falls = -1\nonly = 'w'", 3, "falls should be a number from 0 to 1, the least R² of a line"),
        (f"{GOOD}flat = 0.1", 3, "flat needs workloads that are swept, with 2 values or more"),
        (f"{GOOD}falls = 0.1\nonly = ['w x1 20%', 'w x1 40%']", 3, "'w x1' has fewer. Name those that are"),
        (f"{GOOD}largest = 'z'", 3, "largest should name workloads of the study: unknown workload 'z'."),
        (f"{GOOD}largest = 'w'\nonly = 'w'", 3, "largest should be some of the workloads"),
        (f"{GOOD}largest = 'w'\nonly = 'other'", 3, "largest should be some of the workloads"),
        (f"{GOOD}largest = 7", 3, "largest should be text of one line"),
        (f"{GOOD}at_most = 1\nonly = ['w', 'othr']", 4, "unknown workload 'othr'. Did you mean other?"),
        (f"{GOOD}at_most = 1\nexcept = '*'", 4, "except leaves no workload for the claim."),
        (f"{GOOD}at_most = 1\nonly = []", 4, "only should have one element or more"),
        (f"{GOOD}at_mots = 1", 3, "unknown key 'at_mots'. Did you mean at_most"),
        (f"{GOOD}at_most = 1\nworkload = 'w'", 4, "A claim for some workloads has only"),
        (f"{GOOD}at_most = 1\nname = 'w'", 4, "unknown key 'name' here. What is claimed is says"),
        (f"{GOOD}at_most = 1\nmetrics = ['w']", 4, "'metrics' belongs to the whole study"),
        (f"{GOOD}at_most = 1\ndrop_unaffected = true", 4, "'drop_unaffected' belongs to the whole study"),
        (f"{GOOD}at_most = 1\nunfiltered = 1", 4, "unfiltered should be true or false"),
        (f"{GOOD}at_most = 1\nsource = ''", 4, "source should be text"),
        (f"{GOOD}at_most = 1\nexplained = ''", 4, "explained should be text"),
        (f"{GOOD}at_most = 1\ntogether = 1", 4, "together should be true or false"),
        (f"{GOOD}falls = 0\ntogether = true", 4, "together is for claims with at_least or at_most"),
        (f"{GOOD}at_most = 1\nagainst = 'justbf'\ntogether = true", 5, "and without against"),
        (f"{GOOD}at_most = 1\nagainst = 'easy'", 4, "against should be another policy than 'EASY'."),
        (f"{GOOD}at_most = 1\nagainst = 'cbf'", 4, "against should be in the study: unknown policy 'cbf'"),
        (f"{GOOD}at_most = 1\nestimate = 'exact'", 4, "estimate should be in the study: unknown estimate"),
        (f"{GOOD}at_most = 1\nestimate = 7", 4, "estimate should be text"),
        (f"{GOOD}at_most = 1\npart_of = 'wait'", 4, "part_of should be another metric than metric."),
        (f"{GOOD}at_most = 1\npart_of = 'deadline_job'", 4, "Did you mean deadline_jobs"),
        ("metric = 'wiat'\npolicy = 'EASY'\nat_most = 1", 1, "unknown metric 'wiat'. Did you mean wait"),
        ("metric = 'deadline_jobs'\npolicy = 'EASY'\nat_most = 1", 1, "unknown metric 'deadline_jobs'."),
        ("metric = 'BSLD(61)'\npolicy = 'EASY'\nat_most = 1", 1, "BSLD(61.0) is measured only when asked"),
        ("metric = 'FST_misses'\npolicy = 'EASY'\nat_most = 1", 1, "Add it to metrics."),
        ("metric = 'wait_p101'\npolicy = 'EASY'\nat_most = 1", 1, "101"),
        ("metric = 'wait'\npolicy = 'esay'\nat_most = 1", 2, "policy should be in the study: unknown"),
    ],
)  # fmt: skip
def test_mistakes(read, lines, line, message):
    with pytest.raises(InputError) as caught:
        read(lines)
    told = str(caught.value)
    assert message in told.replace("BSLD(61)", "BSLD(61.0)")
    assert f"line {LINE + line}: " in told


def test_all_mistakes_at_once(read):
    with pytest.raises(InputError) as caught:
        read("metrc = 'wait'\nflat = 7\n[[claim]]\nsays = 3\n", HEAD.replace('"easy"', '"esay"'))
    told = str(caught.value)
    for part in ("'esay'", "'metrc'", "flat should be", "needs metric", "says should be text"):
        assert part in told
    with pytest.raises(InputError, match=r"claims' here. Claims are \[\[claim\]\] tables"):
        read("", "claims = 1\n" + HEAD)
    with pytest.raises(InputError, match="claim should be a repeated table"):
        read("", "claim = 1\n" + HEAD.partition("[[claim]]")[0])


def test_a_costly_metric_that_the_study_measures(read):
    (claim,) = read("metric = 'bsld(60)'\npolicy = 'EASY'\nat_most = 1").claims
    assert claim.metric == "BSLD(60)"
