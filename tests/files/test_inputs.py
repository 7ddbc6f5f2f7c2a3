"""What a command has read it cannot write: by any name, and whichever comes first."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import packwise
from packwise.files.content import file_blocks, file_bytes, file_content, file_head
from packwise.files.inputs import allow_update, inputs_kept, note_input, note_result
from packwise.files.output import atomic_output
from packwise.model.errors import InputError, OutputError

PACKAGE = Path(packwise.__file__).parent


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A file, within a command."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "log.swf"
    path.write_bytes(b"as it was")
    with inputs_kept():
        yield path
    assert path.read_bytes() == b"as it was"
    assert not [entry for entry in tmp_path.iterdir() if entry.name.startswith(".")]


def write(path: Path) -> None:
    with atomic_output(path) as stream:
        stream.write(b"a result")


@pytest.mark.parametrize("read", [file_bytes, file_content, lambda path: list(file_blocks(path))])
def test_what_was_read_is_refused(log: Path, read) -> None:
    read("log.swf")
    with pytest.raises(OutputError, match=r"log\.swf: is the file that is read \(.*log\.swf\)"):
        write(log)


def test_other_names_of_what_was_read(log: Path) -> None:
    (log.parent / "sub").mkdir()
    (log.parent / "here").symlink_to(".")
    Path("soft").symlink_to(log)
    Path("chain").symlink_to("soft")
    Path("hard").hardlink_to(log)
    file_head("chain", 3)
    for name in ("log.swf", "soft", "chain", "hard", "here/log.swf", "sub/../log.swf"):
        with pytest.raises(OutputError, match="is read"):
            write(Path(name))


def test_a_later_folder_of_work(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file_bytes("log.swf")
    (log.parent / "sub").mkdir()
    monkeypatch.chdir("sub")
    write(Path("log.swf"))
    with pytest.raises(OutputError, match="is read"):
        write(Path("../log.swf"))


def test_what_is_read_while_it_is_written(log: Path) -> None:
    with pytest.raises(OutputError, match="is read"), atomic_output(log) as stream:
        stream.write(file_bytes(log))


def test_what_is_to_be_written_is_not_read(log: Path) -> None:
    """Nobody waits for a result that cannot be written."""
    note_result(Path("log.swf"))
    with pytest.raises(OutputError, match="is read"):
        file_bytes(log)


def test_a_result_that_was_read_before(log: Path) -> None:
    file_bytes(log)
    with pytest.raises(OutputError, match="is read"):
        note_result(Path("log.swf"))


def test_a_folder_that_is_read(log: Path) -> None:
    (log.parent / "store").mkdir()
    note_input("store")
    with pytest.raises(OutputError, match="is in the folder that is read"):
        write(log.parent / "store" / "new.csv")
    write(log.parent / "beside.csv")


def test_what_belongs_to_the_writer(log: Path) -> None:
    index = log.parent / "index"
    index.write_bytes(b"old")
    file_bytes(index)
    with atomic_output(index, own=True) as stream:
        stream.write(b"new")
    assert index.read_bytes() == b"new"


def test_what_is_updated(log: Path) -> None:
    plan = log.parent / "plan.csv"
    plan.write_bytes(b"old")
    note_result(plan)
    allow_update(Path("plan.csv"))
    file_bytes("plan.csv")
    write(plan)
    assert plan.read_bytes() == b"a result"


def test_an_update_of_what_is_an_input_too(log: Path) -> None:
    file_bytes("log.swf")
    allow_update(log)
    file_bytes(log)
    with pytest.raises(OutputError, match="is read"):
        write(log)


def test_a_new_file_in_the_place_of_one_that_is_gone(log: Path) -> None:
    """The system gives numbers of files anew: a result is not taken for what was read under its number."""
    copy = log.parent / "copy"
    copy.write_bytes(b"for a moment")
    file_bytes(copy)
    copy.unlink()
    for _ in range(3):
        write(log.parent / "result")


def test_a_module_that_python_has_read(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = log.parent / "mine.py"
    mine.write_text("")
    Path("hard").hardlink_to(mine)
    Path("soft").symlink_to(mine)
    module = ModuleType("mine")
    module.__file__ = str(mine)
    monkeypatch.setitem(sys.modules, "mine", module)
    for name in ("mine.py", "hard", "soft"):
        with pytest.raises(OutputError, match="is read"):
            write(Path(name))
    mine.unlink()
    write(mine)


def test_one_command_within_another(log: Path) -> None:
    with inputs_kept():
        file_bytes(log)
    with pytest.raises(OutputError, match="is read"):
        write(log)


def test_what_cannot_be_read_does_not_stand_in_the_way(log: Path) -> None:
    with pytest.raises(InputError):
        file_bytes("nul\0")
    Path("a").symlink_to("b")
    Path("b").symlink_to("a")
    note_input("a")
    write(log.parent / "new")
    with pytest.raises(OutputError, match="is read"):
        note_result(Path("a"))


def test_a_script_may_write_what_it_has_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_bytes(b"old")
    file_bytes(path)
    write(path)
    assert path.read_bytes() == b"a result"


#: Who opens files by other means than ``packwise.files.content``, and why no result can take their place.
OPENERS = {
    "adapters/slurm/": "the state of a live command, in a folder of its own",
    "cli/slurm/shadow.py": "the log that it writes itself",
    "cli/terminal/": "standard streams",
    "compiled/": "our own sources, and what is compiled of them",
    "experiments/executors/dask_start.py": "the address of a scheduler; its command has no other results",
    "experiments/index.py": "a store notes all that it consists of",
    "experiments/provenance.py": "our own sources",
    "experiments/record.py": "a store notes all that it consists of",
    "experiments/store.py": "a store notes all that it consists of",
    "experiments/study_file/reading.py": "our own example",
    "experiments/tables/claim_values.py": "a store notes all that it consists of",
    "files/content.py": "notes them",
    "files/streams.py": "nowhere, in place of a stream that nobody reads",
    "files/output.py": "folders, so that a new name outlasts a power cut",
    "notebook.py": "no command",
    "reports/page/writing.py": "our own assets",
    "reports/study/material.py": "the study, which was read before",
    "users_code.py": "notes them",
    "users_modules.py": "notes them",
    "workloads/archive.py": "the cache of logs, which it writes itself",
    "workloads/records/delimited.py": "bytes that were read before",
    "workloads/tables/parquet_file.py": "bytes that were read before",
    "workloads/tables/parquet_trial.py": "bytes that were read before",
}
READS = {"open", "read_text", "read_bytes", "read_parquet", "read_parquet_schema", "scan_parquet"}
READS |= {"read_csv", "scan_csv", "scan_ndjson", "read_ndjson", "loadtxt", "genfromtxt", "fromfile"}


def test_nobody_else_opens_files() -> None:
    """A reader of a new format opens its files as all do, or says here why it need not."""
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        if any(name.startswith(known) for known in OPENERS):
            continue
        text = path.read_text()
        if not any(read in text for read in READS):
            continue
        for node in ast.walk(ast.parse(text)):
            if not isinstance(node, ast.Call):
                continue
            called = node.func
            if (called.attr if isinstance(called, ast.Attribute) else "") in READS or (
                isinstance(called, ast.Name) and called.id == "open"
            ):
                opened = ast.unparse(called)
                assert opened == "Store.open", f"{name}:{node.lineno} opens a file by {opened}"
