"""Whatever Slurm shows and whatever is written down: what steer and reset say, word by word.

The lines are judged by expressions of their own. None of these can name a node, hold a job or close anything.
"""

from __future__ import annotations

import ast
import json
import re
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import packwise
from packwise.adapters.slurm import commands
from packwise.adapters.slurm.commands import Answer
from packwise.adapters.slurm.journal import Journal
from packwise.adapters.slurm.ledger import Ledger
from packwise.adapters.slurm.live import Live
from packwise.adapters.slurm.modes import Advise, Steer
from packwise.adapters.slurm.ours import Ours, load_ours
from packwise.adapters.slurm.probe import Site
from packwise.adapters.slurm.writer import SlurmWriter
from packwise.cli.slurm.reset import reset
from packwise.model.errors import PackwiseError
from tests.adapters.rig import Newest
from tests.adapters.samples import OF_DRIVE, job, reservation, snapshot
from tests.adapters.test_any_snapshot import HOSTS, NAMED, snapshots
from tests.draws import draws

FACTOR = re.compile(r"update jobid=([1-9][0-9]*) SiteFactor=(-?[0-9]+)")
EMPTIED = re.compile(r"update jobid=([0-9_]+)(?: (ReservationName=))?(?: (ReqNodeList=))?")
RELEASED = re.compile(r"release ([0-9_]+)")
DELETED = re.compile(r"delete ReservationName=(\w+)")

#: What is broken on the way, or was never right.
ODD = st.sampled_from([{"x\ny": [["n1"], 0]}, {"1": 3}, {"2": [["n[1", 7], 0]}, {"": []}, []])
HELD = st.sampled_from([{}, {}, {"priority": 0, "reason": "BadConstraints"}, {"priority": 0}])
NAMES = st.sampled_from(["packwise", "packwise", "plan", "", "x\nupdate jobid=1 Priority=0", 3])


FACTORS = st.dictionaries(
    st.integers(1, 10), st.tuples(st.integers(0, 5000), st.integers(-2000, 2000))
)


@st.composite
def left_behind(draw):
    """Any snapshot, with what drive may have left among all else."""
    one = draw(snapshots())
    name = draw(st.sampled_from(["packwise", "plan"]))
    flags = draw(st.sampled_from([OF_DRIVE, OF_DRIVE, OF_DRIVE, "MAINT", "FLEX,IGNORE_JOBS"]))
    jobs = [
        job._replace(
            reservation=draw(st.sampled_from([name, job.reservation])),
            required=draw(st.just(job.required) | NAMED),
            **(draw(HELD) if job.waiting else {}),
        )
        for job in one.jobs
    ]
    kept = [reservation(name, draw(NAMED), flags=flags)] if draw(st.integers(0, 4)) else []
    return one._replace(jobs=tuple(jobs), reservations=(*one.reservations, *kept))


@st.composite
def documents(draw, one):
    """What is written down while this is seen: mostly of its jobs, and as they have it."""
    lists = st.lists(NAMED, max_size=2)
    nodes = {
        job.id: [[*draw(lists), *([job.required] if draw(st.booleans()) else [])], 0]
        for job in one.jobs
        if draw(st.booleans())
    }
    odd = draw(ODD) if draw(st.integers(0, 4)) == 4 else {}
    return {
        "factors": draw(st.dictionaries(st.integers(1, 10).map(str), st.integers(-2000, 2000))),
        "nodes": {**nodes, **odd} if isinstance(odd, dict) else odd,
        "reservation": draw(NAMES),
    }


class Shows:
    """A reader that shows what it is told, and what is asked of Slurm besides."""

    def __init__(self, snapshot, priorities):
        self.seen, self.told = snapshot, priorities
        self.asked = []

    def snapshot(self):
        return self.seen

    def priorities(self):
        return self.told

    def site(self, snapshot):
        return ""

    def ask(self, command):
        self.asked.append(command)
        return Answer(0, "", "", 0.0)

    def as_subprocess(self):
        def run(argv, input, **_):
            self.ask(commands.Command(tuple(argv), input.decode()))
            return SimpleNamespace(returncode=0, stdout=b"", stderr=b"")

        return SimpleNamespace(run=run, TimeoutExpired=TimeoutError)

    def lines(self):
        """What Slurm was told."""
        found = []
        for command in self.asked:
            *lines, last = command.stdin.split("\n")[:-1]
            assert (command.argv, last) == (("scontrol",), "quit")
            found += lines
        return found


def written(folder: Path, document) -> Ours:
    (folder / "ours.json").write_text(json.dumps(document))
    return load_ours(folder) or Ours()


@settings(max_examples=draws(40))
@given(st.lists(snapshots(), min_size=1, max_size=2), FACTORS, st.integers(1, 3000), st.data())
def test_steer_says_site_factors_and_nothing_else(some, priorities, band, data):
    with TemporaryDirectory() as name:
        folder = Path(name)
        reader = Shows(some[0], priorities)
        ledger = Ledger()
        ledger.ours = written(folder, data.draw(documents(some[0])))
        writer = SlurmWriter(reader.ask)
        live = Live(
            reader, writer, Newest(), Steer(reader, band), Journal(folder), folder, ledger=ledger
        )
        for reader.seen in some:
            with suppress(PackwiseError):
                live.cycle()
        live.give_back()
        for line in reader.lines():
            assert FACTOR.fullmatch(line), line
        live.mode = Advise()
        said = len(reader.asked)
        with suppress(PackwiseError):
            live.cycle()
        live.give_back()
        assert len(reader.asked) == said


@settings(max_examples=draws(60))
@given(
    left_behind(), FACTORS, st.booleans(), st.sampled_from([None, None, "plan", "a b"]), st.data()
)
def test_reset_says_besides_only_what_takes_back(one, priorities, every, name, data):
    reader = Shows(one, priorities)
    site = Site("toy", "22.05.8", "ann", "root", {}, (), {"prioritytype": "priority/multifactor"})
    with (
        TemporaryDirectory() as folder,
        patch.object(commands, "subprocess", reader.as_subprocess()),
        patch("packwise.cli.slurm.going.open_site", lambda form: (reader, site)),
    ):
        record = written(Path(folder), data.draw(documents(one))).of_drive
        reset(name, every, dry_run=False, state=Path(folder))
    own = name or record.reservation or "packwise"
    of_drive = {
        each.name for each in one.reservations if each.name == own and "NO_HOLD" in each.flags
    }
    jobs = {each.id: each for each in one.jobs}
    for line in reader.lines():
        if found := FACTOR.fullmatch(line):
            assert found[2] == "0"
        elif found := DELETED.fullmatch(line):
            assert found[1] in of_drive
        elif found := RELEASED.fullmatch(line):
            held = jobs[found[1]]
            assert (held.priority, held.reason) == (0, "BadConstraints")
            assert found[1] in record.nodes
        else:
            found = EMPTIED.fullmatch(line)
            assert found, line
            assert found[2] or found[3], line
            assert not found[2] or any(
                each.reservation in of_drive and each.handle == found[1] for each in one.jobs
            )
            assert not found[3] or any(
                each.id == found[1] and same(each.required, record.nodes[found[1]])
                for each in one.jobs
            )


def same(required, lists):
    """Whether the nodes of a job are those of one of the lists, spelt out by hand."""
    spelt = {"n[1-3]": "n1,n2,n3", "n[4-9]": "n4,n5,n6,n7,n8,n9"}
    wanted = set(spelt.get(required, required).split(","))
    return wanted != {""} and any(wanted == set(spelt.get(one, one).split(",")) for one in lists)


def test_a_snapshot_in_which_there_is_something_of_everything():
    """The property above says something: each form does occur."""
    jobs = [
        job("1", required="n1", priority=0, reason="BadConstraints", reservation="packwise"),
        job("2"),
    ]
    one = snapshot(jobs, reservations=[reservation("packwise", "n1", flags=OF_DRIVE)])
    reader = Shows(one, {2: (900, -100)})
    site = Site("toy", "22.05.8", "ann", "root", {}, (), {"prioritytype": "priority/multifactor"})
    document = {"factors": {"2": -100}, "nodes": {"1": [["n1"], 0]}, "reservation": "packwise"}
    with (
        TemporaryDirectory() as folder,
        patch.object(commands, "subprocess", reader.as_subprocess()),
        patch("packwise.cli.slurm.going.open_site", lambda form: (reader, site)),
    ):
        written(Path(folder), document)
        reset(None, False, dry_run=False, state=Path(folder))
    assert reader.lines() == [
        "update jobid=2 SiteFactor=0",
        "update jobid=1 ReservationName= ReqNodeList=",
        "release 1",
        "delete ReservationName=packwise",
    ]
    assert set(HOSTS).isdisjoint(" ".join(reader.lines()).split())


def sources():
    """The adapter, and the commands that use it, by module."""
    above = Path(packwise.__file__).parent
    every = [*(above / "adapters").rglob("*.py"), *(above / "cli/slurm").rglob("*.py")]
    return {path.stem: path.read_text() for path in every}


def test_nobody_else_sends():
    def may_send(text):
        for one in ast.walk(ast.parse(text)):
            if isinstance(one, ast.Import | ast.ImportFrom):
                names = {alias.name.rpartition(".")[2] for alias in one.names}
                is_its_own = str(getattr(one, "module", "")).endswith("slurm.sending")
                if "sending" in names or (is_its_own and names & {"send", "told_slurm"}):
                    return True
        return False

    assert {name for name, text in sources().items() if may_send(text)} == {
        "writer",
        "left_by_drive",
    }


@pytest.mark.parametrize(
    ("word", "modules"),
    [('"scontrol"', {"reader", "sending"}), ("subprocess.", {"commands"})],
)
def test_nobody_else_runs_slurms_programs(word, modules):
    assert {name for name, text in sources().items() if word in text} == modules
