"""The site's own accounting as a history, where it can be asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from packwise.adapters.slurm.commands import Command, Runner, SlurmError, run

_DAYS = 30
_COLUMNS = (
    "JobID,User,Account,Partition,QOS,Submit,Eligible,Start,End,State,Timelimit,NNodes,NCPUS,ReqCPUS,ReqMem,"
    "AllocTRES,NodeList,Priority,JobName"
)


@contextmanager
def site_history(settings: Mapping[str, str], ask: Runner = run) -> Iterator[Path | None]:
    """A file of what sacct tells of the last weeks, for as long as it is needed; None if it tells nothing."""
    if "slurmdbd" not in settings.get("accountingstoragetype", ""):
        yield None
        return
    command = Command(("sacct", "-a", "-X", "-D", "-P", "-S", f"now-{_DAYS}days", "-o", _COLUMNS))
    try:
        answer = ask(command)
    except SlurmError:
        yield None
        return
    if answer.code or answer.out.count("\n") < 2:
        yield None
        return
    with TemporaryDirectory(prefix="packwise-") as folder:
        path = Path(folder) / "sacct"
        path.write_text(answer.out, encoding="utf-8")
        yield path
