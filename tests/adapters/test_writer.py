"""What is sent to Slurm: only what is meant, to whom it is meant."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packwise.adapters.slurm.commands import Answer, Command, SlurmError, Unreachable, checked, run
from packwise.adapters.slurm.sending import problems
from packwise.adapters.slurm.writer import SlurmWriter, site_factors
from packwise.model.errors import InputError


def test_the_commands():
    assert [one.command() for one in site_factors({1: 5, 2: -7})] == [
        Command(("scontrol",), "update jobid=1 SiteFactor=5\nupdate jobid=2 SiteFactor=-7\nquit\n")
    ]
    assert site_factors({}) == []


def test_a_program_has_a_thousand_lines_at_most():
    parts = site_factors(dict.fromkeys(range(1, 2502), 0))
    assert [len(part.values) for part in parts] == [1000, 1000, 501]
    assert [raw for part in parts for raw in part.values] == list(range(1, 2502))


@pytest.mark.parametrize("number", [0, -1, 2**32, True, 1.5, "1", "1 Priority=0", None])
def test_numbers_that_are_none(number):
    (part,) = site_factors({number: 1})
    with pytest.raises(InputError):
        part.command()


@given(
    st.dictionaries(st.integers() | st.text() | st.floats(), st.integers() | st.text(), min_size=1)
)
def test_a_line_is_one_line(values):
    """Whatever comes in: it is refused, or each line is what it has to be."""
    for part in site_factors(values):
        try:
            command = part.command()
        except (InputError, ValueError):
            continue
        *lines, last = command.stdin.splitlines()
        assert command.argv == ("scontrol",)
        assert last == "quit"
        assert all(re.fullmatch(r"update jobid=[0-9]+ SiteFactor=-?[0-9]+", one) for one in lines)


def test_a_dry_run_sends_nothing():
    asked = []
    writer = SlurmWriter(lambda command: asked.append(command), dry_run=True)
    (part,) = site_factors({1: 5})
    sent = writer.send(part)
    assert (sent.command, sent.answer, sent.problems) == (part.command(), None, ())
    assert not asked


def says(err="", code=0, out=""):
    return Answer(code, out, err, 0.0)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (says(), 0),
        (says("slurm_update error: Invalid job id specified\n", 1), 0),
        (says("1234_7: Job is no longer pending execution\n"), 0),
        (says("slurm_update error: Job/step already completing or completed\n"), 0),
        (says("Access/permission denied\nInvalid job id specified\n\n"), 1),
        (says("Requested nodes are busy", 1), 1),
        (says("", 1), 1),
        (says("", 1, "some words"), 1),
    ],
)
def test_problems(answer, told):
    assert len(problems(answer)) == told


@pytest.mark.parametrize(
    "line",
    [
        "slurm_update error: Unable to contact slurm controller (connect failure)",
        "slurm_update error: Socket timed out on send/recv operation",
        "slurm_update error: Zero Bytes were transmitted or received",
    ],
)
def test_a_controller_that_is_silent(line):
    asked = []

    def ask(command):
        asked.append(command)
        return says(f"{line}\n", 1)

    with pytest.raises(Unreachable):
        SlurmWriter(ask).send(site_factors({1: 5})[0])
    assert len(asked) == 1


def test_what_is_refused_is_told():
    writer = SlurmWriter(lambda command: says("Access/permission denied", 1))
    assert writer.send(site_factors({1: 5})[0]).problems == ("Access/permission denied",)


def test_how_people_would_type_it():
    (part,) = site_factors({1: 5, 2: -7})
    assert part.command().words().splitlines() == [
        "scontrol <<'END'",
        "update jobid=1 SiteFactor=5",
        "update jobid=2 SiteFactor=-7",
        "quit",
        "END",
    ]
    assert Command(("squeue", "-o", "a b")).words() == "squeue -o 'a b'"


def test_a_program_that_is_missing():
    with pytest.raises(SlurmError, match="was not found"):
        run(Command(("packwise-has-no-such-program",)))


def test_a_program_that_is_none(tmp_path):
    path = tmp_path / "squeue"
    path.write_text("x")
    with pytest.raises(SlurmError, match="could not be run"):
        run(Command((str(path),)))


def test_a_program_gets_its_words_and_its_zone():
    done = run(Command(("sh", "-c", 'cat; printf %s "$SLURM_TIME_FORMAT"; exit 3'), "told\n"))
    assert (done.code, done.out) == (3, "told\n%s")


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        (
            "slurm_load_jobs error: Unable to contact slurm controller (connect failure)",
            Unreachable,
        ),
        ("slurm_load_jobs error: Access/permission denied", SlurmError),
        ("fatal: Could not establish a configuration source", SlurmError),
        ("", SlurmError),
    ],
)
def test_answers_that_are_none(said, kind):
    command = Command(("squeue",))
    with pytest.raises(SlurmError) as caught:
        checked(says(said, 1), command)
    assert type(caught.value) is kind
    assert "\n" not in str(caught.value)
    assert checked(says(said), command) == says(said)


def test_a_program_that_hangs():
    with pytest.raises(Unreachable, match="did not answer"):
        run(Command(("sleep", "60")), timeout=0.01)
