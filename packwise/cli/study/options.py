"""Arguments and options that the study commands share."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from packwise.experiments.store import Store
    from packwise.experiments.study import Study

StudyFile = Annotated[
    Path,
    typer.Argument(
        metavar="STUDY",
        help="A study file (TOML); `packwise study init` writes an example.",
        show_default=False,
    ),
]
StoreFolder = Annotated[
    Path | None,
    typer.Option(
        "--store",
        metavar="DIR",
        help="Folder of the results; by default what the study says, or packwise-results beside it.",
        show_default=False,
    ),
]
TraceFolders = Annotated[
    list[Path] | None,
    typer.Option(
        "--traces",
        metavar="DIR",
        help="Look for the study's archive logs here first (NAME.swf.gz, or .csv.gz); may be repeated.",
        show_default=False,
    ),
]


def open_study(file: Path, store: Path | None, traces: list[Path] | None) -> Study:
    """Read and check a study file."""
    from packwise.experiments.study_file import read_study

    return read_study(file, traces=traces or (), store=store)


def inputs_of(study: Study) -> list[Path]:
    """What results must not be written to: the study, its logs, deadlines, policies, metrics, and its store."""
    from packwise.experiments.scenario import TraceFile
    from packwise.metrics.own import files_of
    from packwise.users_code import users_file
    from packwise.workloads.deadlines import deadline_files

    found: dict[Path, None] = {} if study.file is None else {study.file: None}
    for scenario in study.scenarios:
        source = scenario.workload.source
        own = [users_file(one.name) for one in (scenario.policy, scenario.estimate)]
        logs = [Path(source.path)] if isinstance(source, TraceFile) else []
        due = deadline_files(scenario.workload.window.deadlines)
        found |= dict.fromkeys([*logs, *due, *(file for file in own if file is not None)])
    return [*found, *files_of(study.metrics), *store_files(study.store)]


def store_files(folder: Path) -> list[Path]:
    """What a store consists of, as packwise.experiments.store has it; other files may lie beside it."""
    return [folder / name for name in ("results", "failures", "store.json", "index.parquet")]


def words(file: Path, store: Path | None, traces: list[Path] | None) -> str:
    """The study and the options that it was found with, for commands that can be copied."""
    given: list[object] = [file, *(("--store", store) if store else ())]
    for folder in traces or ():
        given += ["--traces", folder]
    return shlex.join(map(str, given))


def peek(study: Study) -> Store:
    """The study's store as it is; none is made."""
    from packwise.experiments.store import Store

    return Store.open(study.store) if study.store.exists() else Store(study.store)
