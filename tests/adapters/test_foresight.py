"""Forecasts of a live queue: what is known of it becomes a situation, and outcomes become calibration."""

from __future__ import annotations

import json

import pytest

from packwise.adapters.slurm.commands import Answer, SlurmError
from packwise.adapters.slurm.forecaster import Forecaster
from packwise.adapters.slurm.foresight import (
    Foresight,
    Past,
    coverage,
    key,
    load_forecasts,
    read_past,
    save_forecasts,
    situation_of,
)
from packwise.adapters.slurm.history import site_history
from packwise.adapters.slurm.reasons import dependency, endless, why
from packwise.adapters.slurm.seen import SeenJobs
from packwise.adapters.slurm.snapshot import NOT_TOLD
from packwise.forecasting import Calibration
from packwise.forecasting.calibration import Told
from packwise.model.errors import InputError
from packwise.model.schedule import NEVER
from tests.adapters.samples import NOW, job, node, reservation, runs, snapshot

NOTHING = Past(None, 0, {}, {}, {}, "")
FULL = [node(f"n{k}", used=4) for k in range(1, 5)]


def whole(id, **told):
    """A job that needs all four nodes."""
    return job(id, nodes=4, cpus=16, **told)


def test_who_waits_for_other_things_is_not_in_it():
    shown = snapshot(
        [
            runs("1", "n1"),
            job("2"),
            job("3", reason="Dependency"),
            job("4", eligible=NOW + 100),
            job("5", reservation="theirs"),
        ]
    )
    situation, ids, origin = situation_of(shown, NOTHING)
    assert ids == ["1", "2"]
    assert situation.now + origin == NOW
    assert situation.waiting.tolist() == [1]


def test_slurms_priorities_tell_the_order():
    busy = [runs(str(k), f"n{k}", limit=1200) for k in range(1, 5)]
    shown = snapshot(
        [*busy, whole("11", priority=5), whole("12", priority=9), whole("13", priority=7)], FULL
    )
    found = Foresight(NOTHING, count=20).look(shown).every()
    starts = {id: found[id][1] for id in ("11", "12", "13")}
    assert starts["12"] < starts["13"] < starts["11"]
    # They have run for 600 of 1200 s at most: nobody waits longer than that for the first.
    assert NOW < starts["12"] <= NOW + 600


def test_without_history_run_times_are_up_to_the_limits():
    shown = snapshot([runs("1", "n[1-4]", nodes=4, cpus=16, limit=1600), whole("2")], FULL)
    p10, p50, p90 = Foresight(NOTHING, count=100).look(shown, ["2"]).of("2")
    assert NOW <= p10 <= p50 <= p90 <= NOW + 1000


def test_a_job_for_which_no_nodes_are_left_never_starts():
    there = [node("n1"), node("n2"), node("n3"), node("n4", usable=False)]
    assert Foresight(NOTHING, count=10).look(snapshot([whole("2")], there)).of("2") == (NEVER,) * 3


def test_no_nodes_at_all_is_said_so():
    gone = [node(f"n{k}", usable=False) for k in range(1, 5)]
    with pytest.raises(InputError, match="no node of the cluster can be used"):
        Foresight(NOTHING).look(snapshot([job("2")], gone))
    with pytest.raises(InputError, match="nothing to forecast"):
        Foresight(NOTHING).look(snapshot([job("2", reason="Dependency")]))


def test_nodes_of_others_come_back_when_their_reservation_ends():
    shown = snapshot([whole("2")], reservations=[reservation("maint", "n[1-4]", end=NOW + 700)])
    assert Foresight(NOTHING, count=10).look(shown).of("2") == (NOW + 700,) * 3


@pytest.fixture
def log(tmp_path):
    """Forty jobs of ann that asked for an hour and took 100 s."""
    seen = SeenJobs(tmp_path)
    for k in range(40):
        start = NOW - 50_000 + 1000 * k
        seen.look(
            snapshot(
                [runs(str(100 + k), "n1", submit=start - 5, eligible=start - 5, start=start)],
                now=start,
            )
        )
        seen.look(snapshot([], now=start + 100))
    return tmp_path / "jobs.psv"


def test_history_tells_how_long_such_jobs_take(log):
    shown = snapshot(
        [runs("1", "n[1-4]", nodes=4, cpus=16, start=NOW - 20), whole("2", user="ann")],
        FULL,
    )
    past = read_past(log, shown.cluster)
    assert past.words.startswith("history: 40 jobs of 10.8 h")
    found = Foresight(past, count=50).look(shown, ["2"]).of("2")
    # Those took 100 s, of which 20 are over.
    assert found[1] == NOW + 80


def test_a_history_that_cannot_be_read_is_none(tmp_path):
    broken = tmp_path / "jobs.psv"
    broken.write_text("JobID|nonsense\n1|x\n")
    assert read_past(broken, snapshot().cluster).history is None
    assert "no history is known" in read_past(None, snapshot().cluster).words


def test_forecasts_are_judged_when_jobs_start():
    busy = [runs(str(k), f"n{k}") for k in range(1, 5)]
    sight = Foresight(NOTHING, count=10)
    shown = snapshot([*busy, job("9")], FULL)
    sight.remember(sight.look(shown), NOW)
    assert [one.job for one in sight.calibration.pending] == [key("9")]
    sight.settle(snapshot([runs("9", "n1", start=NOW + 40)], now=NOW + 50))
    (known,) = sight.calibration.known
    assert known.outcome == 40
    assert not sight.calibration.pending


def test_tasks_of_an_array_are_told_apart_and_one_of_them_counts():
    busy = [runs(str(k), f"n{k}") for k in range(1, 5)]
    sight = Foresight(NOTHING, count=10)
    tasks = [job(f"40_{k}", raw=40) for k in range(5)]
    sight.remember(sight.look(snapshot([*busy, *tasks], FULL)), NOW)
    assert [one.job for one in sight.calibration.pending] == [key("40_0")]
    # Another task starts first: that says nothing of the one that was asked for.
    sight.settle(snapshot([runs("40_3", "n1", raw=41, start=NOW + 5)], now=NOW + 9))
    assert not sight.calibration.known
    sight.settle(snapshot([runs("40_0", "n1", raw=42, start=NOW + 7)], now=NOW + 9))
    assert sight.calibration.known[0].outcome == 7


def test_a_job_that_began_before_all_that_is_known(log):
    long = runs("1", "n[1-4]", nodes=4, cpus=16, start=NOW - 500_000, limit=900_000)
    shown = snapshot([long, whole("2")], FULL)
    p10, _, p90 = Foresight(read_past(log, shown.cluster), count=10).look(shown).of("2")
    assert NOW <= p10 <= p90


def test_nodes_that_are_drained_are_closed_though_jobs_run_on_them():
    draining = [node(f"n{k}", used=1, usable=False) for k in range(1, 5)]
    busy = [runs(str(k), f"n{k}", cpus=1) for k in range(1, 5)]
    p10 = Foresight(NOTHING, count=10).look(snapshot([*busy, whole("9")], draining)).of("9")[0]
    assert p10 == NEVER or p10 > NOW + 86400


def test_features_count_and_a_partition_without_nodes_is_none():
    there = [
        node("n1", used=4, features=("big",)),
        node("n2"),
        node("n3"),
        node("n4", usable=False),
    ]
    busy = runs("1", "n1", limit=1600)
    shown = snapshot(
        [busy, job("2", features="big"), job("3"), job("4", partitions=("gone",))],
        there,
        partitions={"batch": "n1,n2,n3", "gone": "n4"},
    )
    found = Foresight(NOTHING, count=20).look(shown)
    assert found.of("2")[0] > NOW
    assert found.of("3") == (NOW,) * 3
    assert found.of("4") == (NEVER,) * 3


def test_coverage_counts_who_had_started_by_each_quantile():
    told = [
        Told(k, 0, 10.0, 20.0, 30.0, 20.0, outcome)
        for k, outcome in enumerate((5.0, 15.0, 25.0, 99.0))
    ]
    assert coverage(tuple(told)) == {"p10": 0.25, "p50": 0.5, "p90": 0.75}
    assert coverage(()) == {}


def test_what_is_remembered_outlasts_a_restart_and_what_is_broken_is_forgotten(tmp_path):
    known = Calibration((Told(1, 0, 1.0, 2.0, 3.0, 2.0, 2.5),))
    save_forecasts(tmp_path, known)
    assert load_forecasts(tmp_path) == known
    for text in ("{", "[]", json.dumps({"known": [[1]], "pending": []})):
        (tmp_path / "forecasts.json").write_text(text)
        assert load_forecasts(tmp_path) == Calibration()


def test_the_forecaster_looks_now_and_then(tmp_path):
    now = [0.0]
    found = Forecaster(tmp_path, clock=lambda: now[0])
    shown = snapshot([*(runs(str(k), f"n{k}") for k in range(1, 5)), job("9")], FULL)
    found.look(shown)
    assert set(found.starts) == {"9"}
    assert load_forecasts(tmp_path).pending
    # Not yet again: the new one has none, and who has started is gone.
    now[0] = 30.0
    later = snapshot([runs("9", "n1", start=NOW + 5), job("10")], FULL, now=NOW + 10)
    found.look(later)
    assert found.starts == {}
    assert load_forecasts(tmp_path).known[0].outcome == 5
    now[0] = 61.0
    found.look(later)
    assert set(found.starts) == {"10"}


def forecasts_that_take(monkeypatch, now, compiling, each):
    """Futures that let a clock go on: the first of a kind are compiled first. Returns the counts, as asked."""
    counts = []
    compiled = set()
    true_look = Foresight.look

    def look(self, shown, jobs=None, step=None):
        kind = self.past.history is not None
        now[0] += self.count * each + (0 if kind in compiled else compiling)
        compiled.add(kind)
        counts.append(self.count)
        return true_look(self, shown, jobs, step)

    monkeypatch.setattr(Foresight, "look", look)
    return counts


def test_compiling_is_no_part_of_what_a_forecast_takes(tmp_path, monkeypatch):
    now = [0.0]
    counts = forecasts_that_take(monkeypatch, now, compiling=50.0, each=0.125)
    found = Forecaster(tmp_path, clock=lambda: now[0])
    shown = snapshot([*(runs(str(k), f"n{k}") for k in range(1, 5)), job("9")], FULL)
    found.look(shown)
    assert counts == [1, 2, 40]
    assert set(found.starts) == {"9"}
    # A trial of 0.25 s and a forecast of 5 s: it pauses for twenty times that, and not for 1,000 s more.
    begin = now[0]
    for at, more in ((104.9, []), (105.1, [40])):
        now[0] = begin + at
        found.look(shown)
        assert counts == [1, 2, 40, *more]


def test_a_trial_that_takes_too_long_is_made_again_after_a_pause_of_its_length(
    tmp_path, monkeypatch
):
    now = [0.0]
    counts = forecasts_that_take(monkeypatch, now, compiling=50.0, each=4.0)
    found = Forecaster(tmp_path, clock=lambda: now[0])
    shown = snapshot([*(runs(str(k), f"n{k}") for k in range(1, 5)), job("9")], FULL)
    with pytest.raises(InputError, match=r"takes 4\.0 s"):
        found.look(shown)
    assert counts == [1, 2]
    begin = now[0]
    now[0] = begin + 159
    found.look(shown)
    assert counts == [1, 2]
    now[0] = begin + 161
    with pytest.raises(InputError):
        found.look(shown)
    assert counts == [1, 2, 2]


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"reason": "Dependency"}, "waits for another job"),
        ({"reason": "JobHeldUser"}, "scontrol release 5"),
        (
            {"reason": "QOSMaxJobsPerUserLimit"},
            "a limit of its QOS is reached (QOSMaxJobsPerUserLimit)",
        ),
        ({"reason": "AssocGrpCpuLimit"}, "a limit of its account or user"),
        ({"reason": "Resources", "eligible": NOW + 50}, "asked to start later"),
        ({"reason": "Resources"}, "it is the next one"),
        ({"reason": "JobHoldMaxRequeue"}, "Slurm says: JobHoldMaxRequeue"),
        (
            {"reason": "Priority", "priority": 1},
            "2 jobs with a higher priority wait before it; 1 of them is of the same user",
        ),
        (
            {"reason": "Priority", "priority": 900},
            "2 jobs of the same priority wait before it: they came earlier; 1 of them is of the same user",
        ),
        (
            {"reason": "Priority", "priority": 950},
            "1 job with a higher priority waits before it",
        ),
        ({"state": "RUNNING"}, "does not wait"),
    ],
)
def test_why_in_words(told, words):
    mine = job("5", **told)
    others = []
    if "priority" in told:
        others = [job("3", priority=900, user="bob"), job("4", priority=900)]
    if told.get("priority") == 950:
        others[0] = others[0]._replace(priority=951)
    assert words in why(mine, snapshot([mine, *others]))[0]


@pytest.mark.parametrize(
    ("others", "words"),
    [
        ([], "it is the next one: nobody waits before it"),
        ([job("6", priority=1000)], "it is the next one: nobody waits before it"),
        (
            [job("4", user="bob")],
            "1 job of the same priority waits before it: it came earlier",
        ),
        (
            [job("7", priority=2000)],
            "1 job with a higher priority waits before it; it is of the same user",
        ),
        (
            [job("3", user="bob"), job("4", user="bob"), job("7", priority=2000, user="bob")],
            "3 jobs wait before it, by priority or because they came earlier",
        ),
        (
            [job("3"), job("4")],
            "2 jobs of the same priority wait before it: they came earlier; all of them are of the same user",
        ),
    ],
)
def test_who_is_before_it(others, words):
    mine = job("5")
    assert why(mine, snapshot([mine, *others]))[0] == words


def test_one_of_a_thing_is_one():
    mine = job("5", cpus=1)
    there = [node("n1", used=3), node("n2", used=4)]
    assert why(mine, snapshot([mine], there))[1] == (
        "it asks for 1 core on 1 node; now 0 of 2 nodes of its partition are idle, with 1 free core in all"
    )
    assert "it asks for 1 whole node;" in why(job("5", alone=True), snapshot([mine], there))[1]
    assert "it asks for 2 whole nodes;" in why(job("5", alone=True, nodes=2), snapshot())[1]


def test_what_a_job_depends_on():
    mine = job("5", reason="Dependency")

    def answers(text, code=0):
        return lambda command: Answer(code, text, "", 0.0)

    text = dependency(mine, answers("afterok:3(unfulfilled),afterany:4(unfulfilled)\n"))
    assert text == "afterok:3,afterany:4"
    assert why(mine, snapshot([mine]), text) == [
        "it waits for other jobs (--dependency=afterok:3,afterany:4)"
    ]
    for text in ("", "(null)\n", "\n"):
        assert dependency(mine, answers(text)) == ""
    assert dependency(mine, answers("afterok:3\n", 1)) == ""

    def silence(command):
        raise SlurmError("nobody answers")

    assert dependency(mine, silence) == ""


def test_who_has_no_limit_is_named():
    mine = job("9")
    one = runs("1", "n1", limit=NOT_TOLD)
    assert endless(mine, snapshot([one, mine])) == (
        "so late because job 1, before it, has no limit: nobody can tell when it ends"
    )
    more = [job(str(k), limit=NOT_TOLD) for k in range(2, 6)]
    behind = job("10", limit=NOT_TOLD)
    assert endless(mine, snapshot([one, *more, mine, behind])) == (
        "so late because 5 jobs before it (1, 2, 3, ...) have no limit: nobody can tell when they end"
    )
    assert endless(mine, snapshot([runs("1", "n1"), mine, behind])) == ""


def test_nodes_that_are_not_there_are_named():
    mine = job("5", reason="ReqNodeNotAvail, UnavailableNodes:n4")
    there = [node("n1"), node("n2", used=4), node("n3"), node("n4", usable=False)]
    lines = why(mine, snapshot([mine], there))
    assert "now 2 of 4 nodes of its partition are idle, with 8 free cores in all" in lines[1]
    assert lines[2].endswith("n4")


def test_the_sites_accounting_is_asked_only_where_there_is_one():
    asked = []

    def ask(command):
        asked.append(command.argv[0])
        return Answer(0, "JobID|User\n1|ann\n2|bob\n", "", 0.0)

    with site_history({"accountingstoragetype": "accounting_storage/none"}, ask) as path:
        assert path is None
    assert not asked
    with site_history({"accountingstoragetype": "accounting_storage/slurmdbd"}, ask) as path:
        assert path is not None
        assert path.read_text().startswith("JobID|User")
    assert not path.exists()
    with site_history(
        {"accountingstoragetype": "x/slurmdbd"}, lambda c: Answer(1, "", "no", 0.0)
    ) as path:
        assert path is None
