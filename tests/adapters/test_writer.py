"""What is sent to Slurm: only what is meant, to whom it is meant."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packwise.adapters.slurm.commands import Answer, Command, SlurmError, Unreachable, checked, run
from packwise.adapters.slurm.writer import (
    SlurmWriter,
    create_reservation,
    forget_site_factors,
    let_in,
    problems,
    renew_reservation,
    site_factors,
    turn_out,
)
from packwise.model.errors import InputError

HOSTILE = [
    "", " ", "a b", "a;ls", "a\nb", "a\n", "$(id)", "`id`", "a|b", "a'b", 'a"b', "a=b", "a,b", "-a", "../a",
    "\x1b[2J", "n[1-9]", "ä", "a" * 300, "a\x00",
]  # fmt: skip


def everything():
    return [
        *site_factors({1: 5, 2: -7}),
        *forget_site_factors(range(1, 1002)),
        create_reservation("packwise", ["n1", "n2"], 60, "nobody"),
        renew_reservation("packwise", 60),
        *let_in({"1": ["n1", "n2"], "2_3": []}, "packwise"),
        *turn_out({"1": True, "2_3": False}),
    ]


def test_the_commands():
    assert everything() == [
        Command(
            ("scontrol",),
            "update jobid=1 SiteFactor=5\nupdate jobid=2 SiteFactor=-7\nquit\n",
        ),
        *(
            Command(("scontrol", "update", f"jobid={','.join(map(str, ids))}", "SiteFactor=0"))
            for ids in (range(1, 501), range(501, 1001), [1001])
        ),
        Command(
            (
                *("scontrol", "create", "reservation", "ReservationName=packwise", "Nodes=n1,n2"),
                *("StartTime=now", "EndTime=now+60", "Users=-nobody"),
                "Flags=IGNORE_JOBS,NO_HOLD_JOBS_AFTER,FLEX",
            )
        ),
        Command(("scontrol", "update", "ReservationName=packwise", "EndTime=now+60")),
        Command(
            ("scontrol",),
            "update jobid=1 ReservationName=packwise ReqNodeList=n1,n2\n"
            "update jobid=2_3 ReservationName=packwise\nquit\n",
        ),
        Command(
            ("scontrol",),
            "update jobid=1 ReservationName= ReqNodeList=\nupdate jobid=2_3 ReservationName=\nquit\n",
        ),
    ]


def test_nothing_is_ever_held_or_ended():
    for command in everything():
        text = " ".join((*command.argv, command.stdin)).lower()
        text = text.replace("no_hold_jobs_after", "")
        assert command.argv[0] == "scontrol"
        for word in (
            "hold",
            "cancel",
            "requeue",
            "priority",
            "drain",
            "delete",
            "nice",
            "suspend",
            "sh ",
        ):
            assert word not in text


def test_nothing_to_say():
    assert site_factors({}) == []
    assert forget_site_factors([]) == []
    assert let_in({}, "packwise") == []
    assert turn_out({}) == []


@pytest.mark.parametrize("text", HOSTILE)
def test_names_that_are_none(text):
    for made in (
        lambda: create_reservation(text, ["n1"], 60, "nobody"),
        lambda: create_reservation("packwise", [text], 60, "nobody"),
        lambda: create_reservation("packwise", ["n1"], 60, text),
        lambda: renew_reservation(text, 60),
        lambda: let_in({"1": [text]}, "packwise"),
        lambda: let_in({"1": []}, text),
        lambda: let_in({text: []}, "packwise"),
        lambda: turn_out({text: True}),
    ):
        with pytest.raises(InputError):
            made()


@pytest.mark.parametrize("number", [0, -1, 2**32, True, 1.5, "1", None])
def test_numbers_that_are_none(number):
    with pytest.raises(InputError):
        site_factors({number: 1})
    with pytest.raises(InputError):
        forget_site_factors([number])


def test_ids_of_parts_and_of_whole_arrays_are_refused():
    for id in ("1+0", "1_[2-3]", "1,2"):
        with pytest.raises(InputError):
            turn_out({id: False})


@pytest.mark.parametrize("account", ["svc.packwise", "_batch", "4711", "a-b"])
def test_accounts_as_systems_have_them(account):
    assert f"Users=-{account}" in create_reservation("packwise", ["n1"], 60, account).argv


@given(st.text(), st.text(), st.text())
def test_a_line_is_one_line(id, host, name):
    """Whatever comes in: it is refused, or it is one command with the words that are meant."""
    try:
        (command,) = let_in({id: [host]}, name)
    except InputError:
        return
    assert re.fullmatch(
        r"update jobid=[0-9_]+ ReservationName=[\w-]+ ReqNodeList=[\w.-]+\nquit\n", command.stdin
    )


def test_a_lease_is_never_shorter_than_a_moment():
    assert renew_reservation("packwise", -5).argv[-1] == "EndTime=now+1"


def test_a_dry_run_sends_nothing():
    asked = []
    writer = SlurmWriter(lambda command: asked.append(command), dry_run=True)
    sent = writer.send(everything())
    assert [one.command for one in sent] == everything()
    assert all(one.answer is None and not one.problems for one in sent)
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
        SlurmWriter(ask).send(everything())
    assert len(asked) == 1


def test_one_refusal_does_not_stop_the_rest():
    answers = iter([says("Access/permission denied", 1), says()])
    sent = SlurmWriter(lambda command: next(answers)).send(everything()[:2])
    assert [one.problems for one in sent] == [("Access/permission denied",), ()]


def test_how_people_would_type_it():
    one, *_, last = everything()
    assert one.words().splitlines() == [
        "scontrol <<'END'",
        "update jobid=1 SiteFactor=5",
        "update jobid=2 SiteFactor=-7",
        "quit",
        "END",
    ]
    assert Command(("squeue", "-o", "a b")).words() == "squeue -o 'a b'"
    assert last.stdin


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
