"""packwise compile: compile everything now, so that the first replay starts at once."""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory


def compile() -> None:
    """Compile the engine now, so that the first replay starts at once.

    The compiled code is kept beside the package; a second call has nothing left to do.

    Example:
      $ packwise compile
    """
    from packwise.cli.terminal import stdout
    from packwise.cli.terminal.compile_notice import announce_compilation
    from packwise.warm_up import optimisers, parts, predictors

    announce_compilation()
    console = stdout()
    begin = time.perf_counter()
    with TemporaryDirectory() as folder:
        made = Path(folder)
        for label, part in (*parts(made), *optimisers(made), *predictors(made)):
            since = time.perf_counter()
            part()
            console.print(f"{label:<36}{time.perf_counter() - since:6.1f} s", markup=False)
    console.print(f"Ready after {time.perf_counter() - begin:.1f} s", style="bold")
