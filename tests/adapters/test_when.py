"""packwise slurm when, on a Slurm in memory."""

from __future__ import annotations

import json
import re
import time
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from packwise.adapters.slurm import commands
from packwise.adapters.slurm.foresight import Foresight, Past, save_forecasts
from packwise.cli.app import app
from packwise.cli.slurm.site_file import defaults, options_of
from packwise.cli.slurm.when import _Ask, _warning, when
from packwise.forecasting import Calibration
from packwise.forecasting.calibration import Told
from tests.adapters.fake_slurm import FakeJob, FakeSlurm
from tests.adapters.samples import NOW, job, reservation, snapshot

NOTHING = Past(None, 0, {}, {}, {}, "")


@pytest.fixture
def fake(monkeypatch, tmp_path):
    """Two nodes of four cores; jobs 1 and 2 run, for ten minutes at most."""
    found = FakeSlurm()
    found.now = int(time.time())
    found.submit(*(FakeJob(str(k), base=1000 - k) for k in range(1, 3)))
    found.advance(1)
    monkeypatch.setattr(commands, "subprocess", found.as_subprocess())
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("STATE_DIRECTORY", raising=False)
    monkeypatch.chdir(tmp_path)
    return found


@pytest.fixture
def ask(fake, tmp_path):
    def run(*words, config=()):
        line = ["slurm", *config, "when", *words, "--futures", "10", "--state", str(tmp_path)]
        done = CliRunner().invoke(app, line, prog_name="packwise")
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done

    return run


def known(middle, outcome, count=40):
    """Forecasts that were told a median of ``middle`` seconds."""
    return Calibration(
        tuple(
            Told(k, k, float(middle), float(middle), float(middle), float(middle), float(outcome))
            for k in range(count)
        )
    )


def closed(**told):
    """Three of four nodes are others' for 3000 s: a job of two nodes waits for them in all futures."""
    mine = job("5", nodes=2, cpus=8, **told)
    kept = reservation("maint", "n[1-3]", end=NOW + 3000)
    return mine, snapshot([mine], reservations=[kept])


def test_gains_are_on_the_scale_of_the_forecast():
    mine, shown = closed()
    sight = Foresight(NOTHING, count=10)
    seen = sight.look(shown, ["5"])
    assert seen.of("5")[1] == NOW + 3000
    (one,) = sight.sooner(seen, mine)
    assert (one.words, one.demand) == ("with half its processors, for 2 times as long", 4)
    assert (one.gain, one.start) == (3000, NOW)
    # Waits of 3000 s have turned out as 300 s: (3000 + 600) / (3000 + 600) * (300 + 600) - 600.
    sight.calibration = known(3000, 300)
    seen = sight.look(shown, ["5"])
    wait = seen.of("5")[1] - NOW
    assert wait in (300, 301)  # rounded up
    (one,) = sight.sooner(seen, mine)
    # All of the 3000 s, which are now 300.
    assert (one.gain, one.start) == (wait, NOW)


def test_a_part_of_the_wait_is_stretched_as_well():
    """Half of it has room at 1000 s, all of it at 3000: of a wait told as 300 s two thirds are gained."""
    mine = job("5", nodes=4, cpus=16)
    kept = [
        reservation("a", "n[1-2]", end=NOW + 1000),
        reservation("b", "n[3-4]", end=NOW + 3000),
    ]
    shown = snapshot([mine], reservations=kept)
    sight = Foresight(NOTHING, count=10, calibration=known(3000, 300))
    seen = sight.look(shown, ["5"])
    wait = seen.of("5")[1] - NOW
    (one,) = sight.sooner(seen, mine)
    assert one.given_up == 0.5
    assert one.gain == 2000 * wait // 3000
    assert one.start == NOW + 1000 * wait // 3000


def test_nothing_is_sooner_than_at_once():
    mine = job("5")
    sight = Foresight(NOTHING, count=10)
    assert sight.sooner(sight.look(snapshot([mine])), mine) == []


def test_who_asked_for_whole_nodes_hears_of_nodes_and_of_no_parts_of_them():
    mine, shown = closed(alone=True)
    sight = Foresight(NOTHING, count=10)
    (one,) = sight.sooner(sight.look(shown), mine)
    assert one.words == "with half its nodes, for 2 times as long"
    single = job("6", alone=True)
    kept = reservation("maint", "n[1-4]", end=NOW + 3000)
    shown = snapshot([single], reservations=[kept])
    assert sight.sooner(sight.look(shown), single) == []


def test_no_limit_is_longer_than_the_partitions():
    mine, shown = closed(limit=3600)
    (batch,) = shown.cluster.partitions
    cluster = replace(shown.cluster, partitions=(replace(batch, longest=7000),))
    sight = Foresight(NOTHING, count=10)
    (one,) = sight.sooner(sight.look(shown._replace(cluster=cluster)), mine)
    assert (one.words, one.limit) == ("with half its processors, for as long", 3600)


def test_what_it_says_of_who_waits(fake, ask):
    fake.submit(FakeJob("3", base=500, cpus=1))
    fake.now += 19
    done = ask("3")
    lines = done.stdout.splitlines()
    assert lines[0] == "Job 3 of ann in batch: 1 node, 1 core, limit 10.0 min"
    assert lines[1] == "  has waited for 19 s"
    assert lines[2].startswith("When:   about ")
    assert "Why:    it is the next one: nobody waits before it" in lines
    assert lines[-1] == "Sooner: no smaller request was found that would start it sooner"


def test_of_whole_nodes(fake, ask):
    fake.cancel("2")
    fake.submit(FakeJob("3", base=500, nodes=2, cpus=8, alone=True))
    said = ask("3").stdout
    assert "Job 3 of ann in batch: 2 whole nodes, limit 10.0 min" in said
    assert re.search(
        r"Sooner: with half its nodes, for 2 times as long \(1 node, limit 20.0 min\): about", said
    )
    assert "processors" not in said


def test_json_has_one_clock(fake, ask):
    fake.cancel("2")
    fake.submit(FakeJob("3", base=500, nodes=2, cpus=8))
    told = json.loads(ask("3", "--json").stdout)
    assert fake.now <= told["p50"] <= fake.now + 600
    (one,) = told["sooner"]
    assert one["start"] == fake.now
    assert 0 < one["gain"] <= told["p50"] - fake.now
    assert (one["limit"], one["nodes"]) == (1200, None)


def test_gains_and_waits_agree_once_forecasts_were_judged(fake, ask, tmp_path):
    save_forecasts(tmp_path, known(300, 30))
    fake.cancel("2")
    fake.submit(FakeJob("3", base=500, nodes=2, cpus=8))
    told = json.loads(ask("3", "--json").stdout)
    wait = told["p50"] - fake.now
    assert wait < 150
    assert all(0 < one["gain"] <= wait for one in told["sooner"])


def test_who_waits_behind_somebody_without_a_limit(fake, ask):
    for one in fake.jobs.values():
        one.limit = 0
    fake.submit(FakeJob("3", base=500, nodes=2, cpus=8, limit=0))
    said = ask("3").stdout
    assert "limit none" in said.splitlines()[0]
    year = time.localtime(fake.now).tm_year
    assert re.search(rf"by \w+ \d\d \w+ ({year + 1} )?\d\d:\d\d \(in \d+\.\d d\) in nine", said)
    assert (
        "so late because 2 jobs before it (1, 2) have no limit: nobody can tell when they end"
        in said
    )
    sooner = said[said.index("Sooner:") :]
    assert "limit" not in sooner


def test_of_who_runs(fake, ask):
    fake.advance(60)
    said = ask("1").stdout.splitlines()
    clock = r"\d\d:\d\d:\d\d"
    assert re.fullmatch(
        rf"  runs since {clock} \(for 60 s\), until {clock} \(in 9.0 min\) at the latest, by its limit",
        said[1],
    )
    told = json.loads(ask("1", "--json").stdout)
    assert told["ends_by"] - told["started"] == 600
    fake.jobs["1"].limit = 0
    assert ask("1").stdout.splitlines()[1].endswith("(for 60 s); it has no limit")
    fake.jobs["1"].limit = 1
    assert "its limit is over" in ask("1").stdout
    fake.jobs["1"].state = "COMPLETING"
    assert ask("1").stdout.splitlines()[1] == "  it does not wait: its state is COMPLETING"


def test_of_an_array(fake, ask):
    fake.submit(*(FakeJob(f"21_{k}", base=500) for k in (10, 2, 3)))
    said = ask("21").stdout.splitlines()
    assert said[0].startswith("Job 21_2 ")
    assert said[1] == "  21 is an array: this is its task 21_2, the first of 3 that wait"
    assert "array" not in ask("21_3").stdout
    for one in ("10", "2", "3"):
        fake.jobs[f"21_{one}"].state = "RUNNING"
    fake.jobs["21_10"].state = "PENDING"
    assert "its task 21_10, the only one that waits" in ask("21").stdout
    fake.jobs["21_10"].state = "RUNNING"
    assert "its task 21_2, the first of 3 that run" in ask("21").stdout
    assert ask("22").exit_code == 2


def test_of_who_depends_on_others(fake, ask):
    waits = FakeJob("3", base=500, reason="Dependency", dependency="afterok:1(unfulfilled)")
    fake.submit(waits)
    assert "Why:    it waits for other jobs (--dependency=afterok:1)" in ask("3").stdout
    waits.dependency = ""
    assert "it waits for another job to end" in ask("3").stdout


def test_the_policy_of_plans_is_not_that_of_futures(fake, ask, tmp_path, monkeypatch):
    path = tmp_path / "site.toml"
    path.write_text('[slurm]\npolicy = "packwise"\n')
    assert defaults(path, {"when": options_of(when), "x": {"policy": str}})["when"] == {}
    served = []

    class Watched(Foresight):
        def look(self, *args):
            served.append(self.policy)
            return super().look(*args)

    monkeypatch.setattr("packwise.adapters.slurm.foresight.Foresight", Watched)
    fake.submit(FakeJob("3", base=500))
    config = ("--config", str(path))
    assert ask("3", config=config).exit_code == 0
    assert ask("3", "--policy", "fcfs", config=config).exit_code == 0
    path.write_text('[slurm]\npolicy = "packwise"\n[slurm.when]\nserved_by = "fcfs"\n')
    assert ask("3", config=config).exit_code == 0
    assert served == ["easy", "fcfs", "fcfs"]


@pytest.mark.parametrize(("each", "words"), [(2.0, "about 39.9 min"), (0.03, None)])
def test_what_will_take_long_is_said_once(each, words, capsys, tmp_path):
    now = [100.0]
    told = _Ask("packwise", 200, 0, None, tmp_path, {})
    warn = _warning(told, lambda: now[0])
    for done in range(1, 201):
        warn(done)
        now[0] += each
    said = capsys.readouterr().err
    if words is None:
        assert said == ""
    else:
        assert said.count(words) == 1
        assert "a future takes 2 s with the policy packwise" in said
        assert "--futures" in said
