"""packwise explain: the round, the reasons, the plans; and what it refuses."""

from __future__ import annotations

import json
import sys

import pytest

#: (submit, processors, run time and limit) on 10 processors; ids from 1.
#: At 20, job 1 runs until 100 and leaves 3 free. Job 2 needs all 10. Job 3 (2 x 200) would delay it, job 4
#: (1 x 30) would not. At 350 all is done, and job 5 comes at 500.
JOBS = [(0, 7, 100), (10, 10, 50), (20, 2, 200), (20, 1, 30), (500, 1, 10)]

MINE = """
from packwise import Decision

def patient(view):
    '''Starts a job when the machine is empty, and says nothing of the others.'''
    return Decision(start=view.queue[:1] if view.free == view.procs else [])

def refuses(view):
    wide = [job for job in view.queue.tolist() if view.demand[job] > 8]
    return Decision(start=[j for j in view.queue.tolist() if view.demand[j] <= view.free][:1], reject=wide)

def dreams(view):
    start = [j for j in view.queue.tolist() if view.demand[j] <= view.free][:1]
    return Decision(start=start, planned={j: view.now for j in view.queue.tolist() if j not in start})

def broken(view):
    return 1 / 0
"""


@pytest.fixture
def five(tmp_path):
    path = tmp_path / "five.swf"
    lines = [
        f"{i} {submit} -1 {time} {procs} -1 -1 {procs} {time} -1 1 {10 + i} -1 -1 1 -1 -1 -1"
        for i, (submit, procs, time) in enumerate(JOBS, 1)
    ]
    path.write_text("\n".join(["; MaxProcs: 10", *lines]))
    return path


@pytest.fixture
def mine(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(MINE)
    return path


def test_the_tables(packwise, five):
    done = packwise("explain", five, "--at", 20, "--policy", "list-reg")
    assert done.status == 0
    shown = " ".join(done.stdout.split())
    for words in (
        "Round at 20 (20 s after the first submission): 3 of 10 processors free, 1 running, 3 waiting",
        "Processors to be released: 7 in 80 s",
        "4 14 1 30 s 0 s now starts",
        "2 12 10 50 s 10 s in 80 s needs 10, 2 left by those that start",
        "3 13 2 3.3 min 0 s in 2.2 min fits now, but would delay job 2",
        "list-saf",
        "bound",
        "By AWF, list-reg is at",
        "no plan saves more than",
    ):
        assert words in shown


def test_json(packwise, five):
    told = packwise("explain", five, "--at", 49, "--policy", "list-reg", "--json").json
    assert (told["time"], told["free"], told["procs"]) == (20, 3, 10)
    assert told["running"] == [{"job": 1, "procs": 7, "expected_end": 100}]
    assert [(one["job"], one["planned_start"], one["status"]) for one in told["queue"]] == [
        (2, 100, "too wide"),
        (3, 150, "would delay"),
        (4, 20, "starts"),
    ]
    assert told["queue"][1]["delays"] == [2]
    plans = {one["plan"]: one for one in told["plans"]}
    assert list(plans) == ["list-reg", "list-sjf", "list-saf", "list-spf", "list-laf"]
    own = plans["list-reg"]
    assert own["is_policy"]
    assert own["start"] == [100, 150, 20]
    assert own["starts_now"] == 1
    # Response times 140, 330 and 30 of 500, 400 and 30 processor seconds.
    assert own["metrics"]["AF"] == pytest.approx(500 / 3)
    assert own["metrics"]["AWF"] == pytest.approx((500 * 140 + 400 * 330 + 30 * 30) / 930)
    assert own["metrics"]["BSLD"] == pytest.approx((140 / 50 + 330 / 200 + 1) / 3)
    assert plans["list-saf"]["start"] == [220, 20, 20]
    for name, least in told["bound"].items():
        assert 0 < least <= min(one["metrics"][name] for one in told["plans"])
    assert told["objective"] == "AWF"
    assert told["gap"] == pytest.approx(1 - told["bound"]["AWF"] / own["metrics"]["AWF"])
    assert told["notes"] == []


def test_easy_plans_one_and_the_rest_is_placed_behind(packwise, five):
    done = packwise("explain", five, "--at", 20, "--policy", "easy")
    assert "easy itself plans 2 of 3" in done.stdout
    told = packwise("explain", five, "--at", 20, "--policy", "easy", "--json").json
    assert [one["planned_start"] for one in told["queue"]] == [100, 150, 20]
    assert told["queue"][1]["why"] == "fits now, but would delay job 2"


def test_a_policy_that_leaves_jobs_waiting(packwise, five, mine):
    told = packwise("explain", five, "--at", 20, "--policy", f"{mine}:patient", "--json").json
    # Asked again at 100, when job 1 ends: 4 may start then, and 3 behind 2.
    assert [one["planned_start"] for one in told["queue"]] == [100, 150, 150]
    assert [one["status"] for one in told["queue"]] == ["too wide", "would delay", "left"]
    assert told["notes"] == ["patient plans no start here; all are placed in submission order."]


def test_a_policy_that_refuses_jobs(packwise, five, mine):
    done = packwise("explain", five, "--at", 10, "--policy", f"{mine}:refuses")
    assert done.status == 2
    assert "refuses every waiting job at 10" in done.stderr


def test_a_plan_that_does_not_fit(packwise, five, mine):
    done = packwise("explain", five, "--at", 20, "--policy", f"{mine}:dreams")
    assert done.status == 0
    assert "What dreams plans for later does not fit" in done.stdout


def test_the_longest_queue_by_default(packwise, five, mine):
    for policy in ("list-reg", f"{mine}:patient"):
        assert packwise("explain", five, "--policy", policy, "--json").json["time"] == 20


def test_the_objective(packwise, five):
    told = packwise("explain", five, "--at", 20, "--objective", "p1.5sf", "--json").json
    assert told["objective"] == "P1.5SF"
    assert "P1.5SF" in told["bound"]
    shown = packwise("explain", five, "--at", 20, "-p", "list-reg", "--objective", "AF").stdout
    # list-saf: 260, 200 and 30 in place of 140, 330 and 30.
    assert "list-saf saves 2.0 %" in shown


def test_many_jobs(packwise, log):
    shown = packwise("explain", log, "--policy", "list-saf").stdout
    waiting = int(shown.split(" running, ")[1].split()[0])
    assert waiting > 20
    assert f"... and {waiting - 20} more (--all)" in shown
    everyone = packwise("explain", log, "--policy", "list-saf", "--all").stdout
    assert "(--all)" not in everyone
    assert len(everyone.splitlines()) == len(shown.splitlines()) + waiting - 20 - 1


@pytest.mark.parametrize("policy", ["easy", "list-laf", "cbf", "list(option=greedy)"])
def test_every_kind_of_policy(packwise, log, policy):
    told = packwise("explain", log, "-p", policy, "-e", "last2", "--json").json
    starts = {one["planned_start"] for one in told["queue"]}
    assert min(starts) >= told["time"]
    for name, least in told["bound"].items():
        assert least <= min(one["metrics"][name] for one in told["plans"]) * (1 + 1e-9)


def test_the_picture(packwise, log, tmp_path, sketched):
    path = tmp_path / "plan.png"
    done = packwise("explain", log, "--policy", "easy", "--plot", path)
    assert f"Wrote {path}" in done.stdout
    assert path.read_bytes().startswith(b"\x89PNG")


def test_cp_sat(packwise, five):
    pytest.importorskip("ortools")
    given = ("explain", five, "--at", 20, "-p", "list-reg", "--objective", "AF", "--cp", 5)
    told = packwise(*given, "--json").json
    plan = next(one for one in told["plans"] if one["plan"] == "cp-sat")
    # 3 and 4 at once and 2 behind them: nothing is better.
    assert plan["metrics"]["AF"] == pytest.approx(490 / 3)
    assert told["cp"]["bound"] <= 490 / 3 + 1e-6
    assert told["cp"]["status"] == "optimal"
    assert "cp-sat bound" in packwise(*given).stdout


def test_cp_sat_without_an_answer(packwise, log):
    pytest.importorskip("ortools")
    given = ("explain", log, "-p", "list-reg", "--objective", "AF", "--cp", 1e-6)
    told = packwise(*given, "--json").json
    assert told["cp"] == {"status": "unknown", "bound": None}
    assert "cp-sat" not in [one["plan"] for one in told["plans"]]
    assert "CP-SAT found no plan in that time" in packwise(*given).stdout


def test_the_extra_is_named_in_the_help(packwise):
    for command in ("explain", "solve"):
        assert "packwise[cp]" in " ".join(packwise(command, "--help").stdout.split())


def test_cp_sat_is_an_extra(packwise, five, monkeypatch):
    monkeypatch.setitem(sys.modules, "ortools", None)
    monkeypatch.setitem(sys.modules, "ortools.sat.python", None)
    done = packwise("explain", five, "--at", 20, "--cp", 5)
    assert done.status == 2
    assert "packwise[cp]" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--policy", "eazy"), "Did you mean easy"),
        (("--policy", "MINE:nobody"), "patient"),
        (("--estimate", "lasst2"), "Did you mean last2"),
        (("--at", "soon"), "--at: expected seconds"),
        (("--job", "77"), "has no job 77; its 5 jobs have ids from 1 to 5"),
        (
            ("--job", "2", "--at", "0"),
            "job 2 does not wait in the round at 0: it comes at 10 and starts at 100",
        ),
        (("--objective", "AFF"), "Did you mean AF"),
        (("--objective", "P99SF"), "20 or less"),
        (("--cp", "0"), "--cp: expected a number of seconds above 0"),
        (("--plot", "FOLDER/p.bmp"), ".png"),
        (("--procs", "0"), "between 1 and 2^40 processors"),
    ],
)
def test_refusals(packwise, five, mine, tmp_path, arguments, expected):
    given = [part.replace("MINE", str(mine)).replace("FOLDER", str(tmp_path)) for part in arguments]
    done = packwise("explain", five, *given)
    assert done.status == 2
    assert done.stdout == ""
    assert done.stderr.splitlines()[-1].startswith("error: ")
    assert expected in done.stderr


@pytest.mark.parametrize(
    ("asked", "time", "empty"),
    [(600, 500, True), (400, 500, True), (300, 150, False), (5, 0, False)],
)
def test_the_nearest_round_with_a_queue(packwise, five, asked, time, empty):
    """Rounds with a queue are at 150, when job 3 starts, and at 500, when job 5 comes."""
    done = packwise("explain", five, "--at", asked)
    assert f"Round at {time} " in done.stdout
    assert (f"Nobody waits at {asked}" in done.stderr) == empty


def test_one_job(packwise, five):
    """Job 2 needs all processors, and waits for job 1; with a quarter of them it would start at once."""
    told = json.loads(packwise("explain", five, "--job", 2, "--json").stdout)
    assert (told["round"], told["start"], told["wait"]) == (10, 100, 90)
    assert told["ahead"] == []
    assert told["why"] == "needs 10, 3 free"
    gains = {one["words"]: one["gain"] for one in told["sooner"]}
    assert gains == {
        "with half its processors, for as long": 0,
        "with half its processors, for 2 times as long": 0,
        "with a quarter of its processors, for as long": 90,
        "with a quarter of its processors, for 5 times as long": 90,
    }


def test_who_is_ahead(packwise, five):
    done = packwise("explain", five, "--job", 3, "--policy", "list-reg")
    assert done.status == 0
    shown = " ".join(done.stdout.split())
    assert "Job 3 of 13: 2 processors, limit 3.3 min" in shown
    assert "starts at 150, 2.2 min after it came" in shown
    assert "fits now, but would delay job 2" in shown
    assert "Ahead of it: 2 of 3 that wait" in shown
    assert "before it" in shown
    at_once = packwise("explain", five, "--job", 1)
    assert "It starts at once" in at_once.stdout


def test_a_shorter_limit(packwise, tmp_path):
    """Job 3 has a limit of 300 s and takes 30 s: with half of it, it still delays job 2; with enough it does
    not.
    """
    path = tmp_path / "log.swf"
    jobs = [(0, 7, 100, 100), (10, 10, 50, 50), (20, 2, 30, 300)]
    lines = [
        f"{i} {submit} -1 {time} {procs} -1 -1 {procs} {limit} -1 1 1 -1 -1 1 -1 -1 -1"
        for i, (submit, procs, time, limit) in enumerate(jobs, 1)
    ]
    path.write_text("\n".join(["; MaxProcs: 10", *lines]))
    told = json.loads(packwise("explain", path, "--job", 3, "--json").stdout)
    gains = {one["words"]: one["start"] for one in told["sooner"] if "limit" in one["words"]}
    assert gains == {
        "with half its limit": 150,
        "with a quarter of its limit": 20,
        "with a limit just above what it took": 20,
    }


QUEUE = (
    "JobID|User|Submit|Eligible|Start|End|Elapsed|Timelimit|NNodes|NCPUS|ReqCPUS|State\n"
    "1|ann|2024-01-01T11:00:00|2024-01-01T11:00:00|2024-01-01T12:00:00|Unknown|00:10:00|01:00:00|1|6|6|RUNNING\n"
    "2|bob|2024-01-01T11:30:00|2024-01-01T11:30:00|Unknown|Unknown|00:00:00|00:30:00|1|8|8|PENDING\n"
    "3|cem|2024-01-01T12:05:00|2024-01-01T12:05:00|Unknown|Unknown|00:00:00|00:20:00|1|2|2|PENDING\n"
)


def test_a_queue_is_asked(packwise, tmp_path):
    """Jobs that still wait: job 2 needs all processors, and job 1 has six of them until 13:00 at the latest."""
    path = tmp_path / "queue.txt"
    path.write_text(QUEUE)
    told = json.loads(packwise("explain", path, "--job", 2, "--procs", 8, "--json").stdout)
    assert (told["start"], told["why"]) == (3600, "needs 8, 0 left by those that start")
    gains = {one["words"]: one["gain"] for one in told["sooner"]}
    assert gains["with a quarter of its processors, for as long"] == 3000
    words = packwise("explain", path, "--job", 2, "--procs", 8).stdout
    assert "It starts at 2024-01-01 13:00:00" in words


def test_slurm_can_be_explained(packwise, five):
    told = json.loads(packwise("explain", five, "--job", 2, "--policy", "slurm", "--json").stdout)
    assert (told["start"], told["planned"]) == (101, 100)
    # At 20 no backfill pass is due; the next one, at 30, plans job 3 behind job 2, and starts job 4.
    late = json.loads(
        packwise("explain", five, "--job", 3, "--policy", "slurm(bf_resolution=1)", "--json").stdout
    )
    assert late["planned"] == 150
    assert {one["job"]: one["planned"] for one in late["ahead"]} == {2: 100, 4: 30}


def test_a_policy_that_fails(packwise, five, mine):
    done = packwise("explain", five, "--policy", f"{mine}:broken")
    assert done.status == 4
    assert "division by zero" in done.stderr


def test_help_teaches(packwise):
    shown = packwise("explain", "--help").stdout
    assert "$ packwise explain" in shown
    assert "--from" in shown
