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
