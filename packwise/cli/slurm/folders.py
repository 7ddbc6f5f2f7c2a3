"""The folder that others have written: where `journal`, `shadow` and `serve` look."""

from __future__ import annotations

import os
from pathlib import Path


def written_folder(given: Path | None, cluster: str | None = None, *, ask: bool = True) -> Path:
    """The folder that was named; that of the service that runs this; that of a cluster; the only one that this
    account has; or that of the site's service. Slurm is asked only where an account has several, and if it may.
    """
    from packwise.cli.slurm.going import open_site
    from packwise.cli.slurm.options import SERVICE, state_folder
    from packwise.files import own_folders
    from packwise.model.errors import InputError

    if given is None and (service := os.environ.get("STATE_DIRECTORY")):
        given = Path(service.split(":")[0])
    if given is not None:
        if not given.is_dir():
            raise InputError(
                f"{given}: there is no such folder. Name the one that advise or steer write into."
            )
        return given
    if cluster is not None:
        return state_folder(None, cluster)
    above = own_folders.state_folder() / "slurm"
    known = sorted(path for path in above.glob("*") if path.is_dir())
    if len(known) == 1:
        return known[0]
    if not known and SERVICE.is_dir():
        return SERVICE
    if not known:
        raise InputError(
            f"there is nothing in {above} yet. Start `packwise slurm advise` or steer first, or name their "
            "folder: --state DIR."
        )
    if ask:
        return state_folder(None, open_site("text")[1].cluster)
    names = ", ".join(path.name for path in known[:5])
    raise InputError(
        f"there are several clusters in {above} ({names}). Name one: --state {known[0]}."
    )
