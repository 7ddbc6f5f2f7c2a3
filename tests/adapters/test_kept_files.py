"""Files of the state folder: what is planted there leads nowhere, and what root makes its owner can open."""

from __future__ import annotations

import fcntl
import os
import pwd
import shutil
import stat
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from packwise.adapters.slurm import commands, kept_files, state_file
from packwise.adapters.slurm import journal as journal_module
from packwise.adapters.slurm.foresight import load_forecasts, save_forecasts
from packwise.adapters.slurm.journal import Journal, read_journal
from packwise.adapters.slurm.kept_files import (
    Refused,
    held,
    objection,
    open_kept,
    read_kept,
    rename_kept,
    write_kept,
)
from packwise.adapters.slurm.ledger import Ledger
from packwise.adapters.slurm.ours import Ours, load_ours, save_ours
from packwise.adapters.slurm.seen import SeenJobs, known_log
from packwise.adapters.slurm.site_conf import keep_site
from packwise.adapters.slurm.status import write_status
from packwise.adapters.slurm.web.folder import StateFolder
from packwise.adapters.slurm.web.metrics import registry_of
from packwise.cli.app import app
from packwise.files.output import atomic_output
from packwise.forecasting import Calibration
from packwise.model.errors import InputError, OutputError, PackwiseError
from tests.adapters.fake_slurm import FakeJob, FakeSlurm
from tests.adapters.samples import runs, snapshot

#: Every name that the product uses in the folder.
NAMES = (
    "lock", "journal.jsonl", "journal.jsonl.1", "journal.jsonl.2", "ledger.pickle", "ours.json", "status.json",
    "jobs.psv", "site.conf", "forecasts.json",
)  # fmt: skip
READS, APPENDS = os.O_RDONLY, os.O_WRONLY | os.O_APPEND | os.O_CREAT
as_root = pytest.mark.skipif(
    os.geteuid() != 0, reason="needs root, as only root can work in the folder of another account"
)
needs_another = pytest.mark.skipif(os.geteuid() == 0, reason="root may do everything")


def everything(folder):
    """All that is ever written into the folder or read from it."""

    def lock():
        with state_file.alone(folder):
            pass

    def long_journal():
        journal = Journal(folder, largest=100)
        for k in range(6):
            journal.write("note", f"entry {k} of a journal that is closed again and again")

    def seen():
        log = SeenJobs(folder)
        log.look(snapshot([runs("7", "n1")]))
        log.look(snapshot([]))

    return {
        "lock": lock,
        "is_taken": lambda: state_file.is_taken(folder),
        "journal": lambda: Journal(folder).write("note", "an entry"),
        "long journal": long_journal,
        "ledger": lambda: state_file.save(folder, Ledger(), "easy"),
        "ledger read": lambda: state_file.load(folder, "easy", Ledger()),
        "ours": lambda: save_ours(folder, Ours(factors={5: 6})),
        "ours read": lambda: load_ours(folder),
        "status": lambda: write_status(folder, {"version": 1}),
        "status read": lambda: StateFolder(folder).status(),
        "seen": seen,
        "seen read": lambda: known_log(folder),
        "site": lambda: keep_site(folder, "ClusterName=elm\n"),
        "forecasts": lambda: save_forecasts(folder, Calibration()),
        "forecasts read": lambda: load_forecasts(folder),
        "journal read": lambda: list(read_journal(folder)),
        "journal's end": lambda: StateFolder(folder).journal(5),
    }


def facts_of(path):
    """What must not change about a file."""
    told = os.lstat(path)
    content = path.read_bytes() if stat.S_ISREG(told.st_mode) else b""
    return content, told.st_mode, told.st_uid, told.st_gid, told.st_mtime_ns, told.st_nlink


def tried(action):
    """Whatever becomes of it: no error but one that says what is wrong."""
    with suppress(PackwiseError, Refused):
        action()


# --- links, for every account --------------------------------------------------------------------


@pytest.mark.parametrize("leads_to", ["a file", "nothing"])
@pytest.mark.parametrize("name", NAMES)
def test_no_link_is_followed(tmp_path, name, leads_to):
    folder, outside = tmp_path / "state", tmp_path / "outside"
    folder.mkdir()
    if leads_to == "a file":
        outside.write_text("theirs")
        outside.chmod(0o640)
    before = facts_of(outside) if outside.exists() else None
    for action in everything(folder).values():
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(outside)
        tried(action)
        assert (facts_of(outside) if outside.exists() else None) == before


@pytest.mark.parametrize("kind", ["folder", "pipe", "link to itself"])
@pytest.mark.parametrize("name", NAMES)
def test_what_is_no_file_holds_nobody_up(tmp_path, name, kind):
    for what, action in everything(tmp_path).items():
        path = tmp_path / name
        if path.is_file():
            path.unlink()
        if not os.path.lexists(path):
            make = {
                "folder": os.mkdir,
                "pipe": os.mkfifo,
                "link to itself": lambda p: os.symlink(p, p),
            }
            make[kind](path)
        tried(action)
        assert what


def test_the_message_says_what_is_there_and_what_to_do(tmp_path):
    (tmp_path / "lock").symlink_to(tmp_path / "nowhere")
    with pytest.raises(OutputError, match=r"symbolic link.*remove it"), state_file.alone(tmp_path):
        pass
    (tmp_path / "ours.json").mkdir()
    with pytest.raises(InputError, match=r"ours\.json: cannot be read: it is a folder.*remove it"):
        load_ours(tmp_path)
    os.mkfifo(tmp_path / "journal.jsonl")
    with pytest.raises(InputError, match=r"journal\.jsonl: cannot be read: it is no ordinary file"):
        list(read_journal(tmp_path))
    os.mkfifo(tmp_path / "jobs.psv")
    with pytest.raises(InputError, match=r"jobs\.psv: cannot be read: it is no ordinary file"):
        known_log(tmp_path)


def test_a_folder_in_which_everybody_can_replace_files(tmp_path):
    tmp_path.chmod(0o777)
    with pytest.raises(OutputError, match=f"chmod o-w {tmp_path}"), state_file.alone(tmp_path):
        pass
    assert not list(tmp_path.iterdir())
    tmp_path.chmod(0o1777)
    with state_file.alone(tmp_path):
        assert [path.name for path in tmp_path.iterdir()] == ["lock"]


def test_what_is_too_long_is_not_ours(tmp_path):
    (tmp_path / "ours.json").write_bytes(b"x" * 11)
    assert read_kept(tmp_path, "ours.json", 11) == b"x" * 11
    with pytest.raises(Refused, match="longer"):
        read_kept(tmp_path, "ours.json", 10)


@pytest.mark.parametrize(
    "number", ["1e999", "-1e999", "NaN", "9" * 400, "9" * 5000, '"x"', "{}", "[[]]"]
)
def test_numbers_that_no_file_of_ours_has(tmp_path, number):
    """Whoever writes into the folder decides what is read: it is left, and nothing fails."""
    (tmp_path / "ours.json").write_text(
        f'{{"nodes": {{"5": [["n1"], {number}]}}, "factors": {{"5": {number}}}, "reservation": "x"}}'
    )
    known = load_ours(tmp_path)  # a whole number is one, however long
    assert known is None or known.factors == {5: int(number)}
    row = ", ".join([number] * 7)
    (tmp_path / "forecasts.json").write_text(f'{{"known": [[{row}]], "pending": []}}')
    assert load_forecasts(tmp_path) == Calibration()
    (tmp_path / "status.json").write_text(
        f'{{"version": 1, "interval": {number}, "failing": {number}, "seconds": {{"read": {number}}}, '
        f'"free": {number}, "waiting": [{{"planned": {number}, "submit": {number}, "partition": "a"}}], '
        f'"written": {number}}}'
    )
    from prometheus_client import generate_latest

    folder = StateFolder(tmp_path)
    assert folder.status().stale(0.0) in (True, False)
    assert b"packwise_healthy" in generate_latest(registry_of(folder))


def test_a_line_that_is_longer_than_any_of_ours(tmp_path, monkeypatch):
    monkeypatch.setattr(journal_module, "_LONGEST", 100)
    mine = b'{"time": 5, "kind": "note"}'
    long = b'{"time": 6, "text": "' + b"x" * 379 + mine + b'"}'
    lines = [mine, long, mine, b"y" * 99, b"y" * 100, mine, b"z" * 1000]
    (tmp_path / "journal.jsonl").write_bytes(b"\n".join(lines))
    assert [entry["time"] for entry in read_journal(tmp_path)] == [5, 5, 5]


def test_a_file_is_whole_or_not_there(tmp_path):

    def half():
        with write_kept(tmp_path, "status.json") as file:
            file.write(b"half")
            raise RuntimeError("in between")

    with pytest.raises(RuntimeError, match="in between"):
        half()
    assert not list(tmp_path.iterdir())
    before = os.umask(0o027)
    try:
        with write_kept(tmp_path, "status.json") as file:
            file.write(b"whole")
    finally:
        os.umask(before)
    assert read_kept(tmp_path, "status.json") == b"whole"
    assert stat.S_IMODE((tmp_path / "status.json").stat().st_mode) == 0o640
    assert [path.name for path in tmp_path.iterdir()] == ["status.json"]


def test_a_name_that_changes_hands_while_a_file_is_written_keeps_its_mode(tmp_path):
    """The mode goes with the handle: whatever the temporary name leads to by then is left alone."""
    outside = tmp_path / "outside"
    outside.write_text("theirs")
    outside.chmod(0o600)
    with atomic_output(tmp_path / "out") as file:
        (temporary,) = tmp_path.glob(".out.*")
        temporary.unlink()
        temporary.symlink_to(outside)
        file.write(b"ours")
    assert stat.S_IMODE(outside.stat().st_mode) == 0o600
    assert outside.read_text() == "theirs"


# --- what root believes, by its rules alone ------------------------------------------------------


def file_of(uid, *, size=10, links=1, kind=stat.S_IFREG):
    return SimpleNamespace(
        st_mode=kind | 0o644, st_uid=uid, st_gid=uid, st_size=size, st_nlink=links
    )


@pytest.mark.parametrize(
    ("file", "here", "writes", "word"),
    [
        (file_of(60), 0, True, ""),
        (file_of(60), 0, False, ""),
        (file_of(61), 0, True, "it belongs to"),
        (file_of(61), 0, False, "it belongs to"),
        (file_of(0), 0, True, "it belongs to root"),
        (file_of(0), 0, False, ""),
        (file_of(0, size=0), 0, True, ""),
        (file_of(0, size=0, links=2), 0, True, "hard link"),
        (file_of(60, links=2), 0, True, "hard link"),
        (file_of(60, links=2), 0, False, ""),
        (file_of(60, links=2), 60, True, ""),  # copies of a backup, say
        (file_of(61), 60, True, ""),  # the system decides
        (file_of(60, kind=stat.S_IFIFO), 60, False, "no ordinary file"),
        (file_of(60, kind=stat.S_IFCHR), 0, True, "no ordinary file"),
        (file_of(60, kind=stat.S_IFDIR), 0, False, "a folder"),
    ],
)
def test_what_root_takes_for_ours(file, here, writes, word):
    said = objection(file, SimpleNamespace(st_uid=60), here, writes=writes)
    assert bool(said) == bool(word)
    assert word in said


def test_root_follows_only_links_of_root(tmp_path, monkeypatch):
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "there")
    monkeypatch.setattr(kept_files.os, "geteuid", lambda: 0)
    # Whoever runs this has made the link: as root it counts, and as anybody else it does not.
    theirs = os.lstat(tmp_path / "link").st_uid
    monkeypatch.setattr(kept_files, "_ROOT", 0 if theirs else 4711)
    if theirs == 0:
        monkeypatch.setattr(kept_files.os, "geteuid", lambda: 4711)
    with (
        pytest.raises(Refused, match=f"Name what it leads to.*{tmp_path / 'there'}"),
        held(tmp_path / "link"),
    ):
        pass
    with held(tmp_path / "there"):
        pass


# --- as root, in the folder of another account ---------------------------------------------------


@pytest.fixture
def theirs():
    """A folder of another account, and a place outside of it, where that one can get."""
    account = pwd.getpwnam("nobody")
    above = Path(tempfile.mkdtemp(prefix="packwise-test-"))
    above.chmod(0o755)
    folder = above / "state"
    folder.mkdir(mode=0o750)
    os.chown(folder, account.pw_uid, account.pw_gid)
    yield SimpleNamespace(folder=folder, above=above, uid=account.pw_uid, gid=account.pw_gid)
    shutil.rmtree(above)


def plant(there, name, target):
    """A link of theirs."""
    path = there.folder / name
    path.unlink(missing_ok=True)
    path.symlink_to(target)
    os.lchown(path, there.uid, there.gid)


def as_account(there, action):
    """What an action answers in a process of that account."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(there.gid)
            os.setuid(there.uid)
            said = action()
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(writer, str(said).encode())
        os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    with os.fdopen(reader, "rb") as answer:
        return answer.read().decode()


def can_open(folder):
    for name in ("lock", "journal.jsonl"):
        with (folder / name).open("r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return "opened"


@pytest.fixture
def slurm(monkeypatch):
    """`packwise slurm ...` beside a Slurm in memory, in which something of ours is left."""
    fake = FakeSlurm()
    fake.now = int(time.time())
    fake.submit(*(FakeJob(str(k), base=1000 - k, site=-5) for k in range(1, 6)))
    monkeypatch.setattr(commands, "subprocess", fake.as_subprocess())
    monkeypatch.delenv("STATE_DIRECTORY", raising=False)

    def run(*words):
        done = CliRunner().invoke(app, ["slurm", *map(str, words)], prog_name="packwise")
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done

    run.fake = fake
    return run


def factors(folder):
    save_ours(folder, Ours(factors=dict.fromkeys(range(1, 6), -5)))


@as_root
def test_root_gives_back_and_the_account_can_go_on(theirs, slurm):
    factors(theirs.folder)
    done = slurm("reset", "--state", theirs.folder)
    assert done.exit_code == 0, done.output
    assert [job.site for job in slurm.fake.jobs.values()] == [0] * 5
    owners = {path.name: path.stat().st_uid for path in theirs.folder.iterdir()}
    assert set(owners) >= {"lock", "journal.jsonl", "ours.json"}
    assert set(owners.values()) == {theirs.uid}
    assert as_account(theirs, lambda: can_open(theirs.folder)) == "opened"


@as_root
@pytest.mark.parametrize("leads_to", ["a file", "nothing"])
@pytest.mark.parametrize("name", NAMES)
def test_root_changes_nothing_outside(theirs, slurm, name, leads_to):
    outside = theirs.above / "outside"
    if leads_to == "a file":
        outside.write_text("root's own")
        outside.chmod(0o600)
    before = facts_of(outside) if outside.exists() else None
    factors(theirs.folder)
    plant(theirs, name, outside)
    for words in (("reset",), ("steer", "--rounds", "1", "-p", "easy"), ("journal",)):
        done = slurm(*words, "--state", theirs.folder)
        assert "Traceback" not in done.output
        assert (facts_of(outside) if outside.exists() else None) == before, words
    found = {path.name for path in theirs.above.iterdir()}
    assert found == {"state", "outside"} if before else found == {"state"}


@as_root
def test_root_does_not_change_a_file_through_a_second_name(theirs):
    outside = theirs.above / "outside"
    outside.write_text("")
    os.link(outside, theirs.folder / "journal.jsonl")
    os.link(outside, theirs.folder / "lock")
    before = facts_of(outside)
    with pytest.raises(OutputError, match="hard link"), state_file.alone(theirs.folder):
        pass
    journal = Journal(theirs.folder)
    journal.write("note", "not there")
    assert journal.lost == 1
    assert facts_of(outside) == before


@as_root
def test_root_does_not_give_away_what_was_moved_there(theirs):
    """Files of root that lie about in a folder of theirs can be moved under our names."""
    secret = theirs.folder / "lock"
    secret.write_text("root's own")
    with (
        pytest.raises(OutputError, match=r"belongs to root.*chown"),
        state_file.alone(theirs.folder),
    ):
        pass
    assert secret.stat().st_uid == 0
    secret.write_text("")  # as an earlier version of ours has left it
    with state_file.alone(theirs.folder):
        pass
    assert secret.stat().st_uid == theirs.uid


@as_root
def test_root_is_not_led_into_another_folder(theirs):
    inside = theirs.above / "inside"
    inside.mkdir()
    plant(theirs, "below", inside)
    for path in (theirs.folder / "below", theirs.folder / "below" / "new"):
        with pytest.raises(OutputError, match="symbolic link of nobody"), state_file.alone(path):
            pass
    assert not list(inside.iterdir())


@as_root
def test_a_folder_that_root_makes_belongs_to_who_owns_the_one_above(theirs):
    with state_file.alone(theirs.folder / "a" / "b"):
        pass
    for path in (
        theirs.folder / "a",
        theirs.folder / "a" / "b",
        theirs.folder / "a" / "b" / "lock",
    ):
        assert path.stat().st_uid == theirs.uid
    with state_file.alone(theirs.above / "mine"):
        pass
    assert (theirs.above / "mine").stat().st_uid == 0


@as_root
def test_the_lock_of_another_is_told_with_a_remedy(theirs):
    (theirs.folder / "lock").write_text("")
    (theirs.folder / "lock").chmod(0o600)

    def said():
        with pytest.raises(OutputError) as caught, state_file.alone(theirs.folder):
            pass
        return caught.value

    assert "belongs to root. Run this as root, or chown it to nobody" in as_account(theirs, said)


@needs_another
def test_a_file_that_this_account_may_not_open(tmp_path):
    (tmp_path / "ours.json").write_text("{}")
    (tmp_path / "ours.json").chmod(0)
    with pytest.raises(InputError, match="it belongs to"):
        load_ours(tmp_path)


def test_files_are_renamed_in_the_folder(tmp_path):
    os.close(open_kept(tmp_path, "a", APPENDS))
    rename_kept(tmp_path, "a", "b")
    os.close(open_kept(tmp_path, "b", READS))
    with pytest.raises(FileNotFoundError):
        open_kept(tmp_path, "a", READS)
