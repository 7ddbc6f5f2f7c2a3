"""The mode drive, which earlier versions had: who still asks for it is told what to do, and so is whoever
begins where it has left something.
"""

from __future__ import annotations

import shlex
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packwise.adapters.slurm.left_by_drive import DriveRecord
    from packwise.adapters.slurm.probe import Site
    from packwise.adapters.slurm.reader import SlurmReader

REMEDY = (
    "Say `packwise slurm reset`, which gives back what it has left, and use `packwise slurm steer`"
)
#: What only drive knew in a packwise.toml.
OF_DRIVE = ("drive", "lease", "without_guard")


def drive() -> None:
    """Refuse it, whatever its options are."""
    refuse_drive("drive")


def refuse_drive(mode: str) -> None:
    """Say what to do instead, if this is the mode that is gone."""
    from packwise.model.errors import InputError

    if mode == "drive":
        raise InputError(f"the mode drive is gone, as it could strand jobs. {REMEDY}.")


def tell_left(reader: SlurmReader, site: Site, folder: Path, record: DriveRecord) -> list[str]:
    """Say what it has left here, and what gives that back. ``record``: what it wrote down in the folder; if
    that is nothing, what it did in that of the site's service counts.
    """
    from packwise.adapters.slurm.left_by_drive import find_left, left_in_files, may_be_left
    from packwise.adapters.slurm.ours import Ours, load_ours
    from packwise.cli.slurm.options import SERVICE
    from packwise.cli.terminal import note
    from packwise.model.errors import PackwiseError

    reset = "packwise slurm reset"
    if record.document():
        reset += f" --state {shlex.quote(str(folder))}"
    else:
        with suppress(PackwiseError):  # it may not be ours to read
            record = (load_ours(SERVICE) or Ours()).of_drive
    found = []
    with suppress(PackwiseError):  # the first round tells whether Slurm is there
        reservations = reader.reservations()
        if may_be_left(reservations, record):
            there = find_left(reader.queue([]), reservations, record).words()
            found += [f"{', '.join(there)}. `{reset}` gives that back"] if there else []
    found += left_in_files(site.settings)
    told = [f"an earlier `packwise slurm drive` has left {words}" for words in found]
    for words in told:
        note(words)
    return told
