"""packwise slurm serve: the live plan as a web page, and as metrics for Prometheus. Only reads."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from packwise.cli.slurm.options import StateFolder


def serve(
    port: Annotated[
        int,
        typer.Option("--port", min=0, max=65535, help="Where to listen. 0: any port that is free."),
    ] = 9301,
    host: Annotated[
        str,
        typer.Option(
            "--host",
            metavar="HOST",
            help="The address to listen at. Any but loopback needs a token.",
        ),
    ] = "127.0.0.1",
    state: StateFolder = None,
    token_file: Annotated[
        Path | None,
        typer.Option(
            "--token-file",
            metavar="FILE",
            help="A file with a token of 16 characters at least, that others cannot read; or set "
            "PACKWISE_TOKEN. Whoever opens the page has to know it.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Show the live plan in a browser, and give its figures to Prometheus.

    Read-only: it looks at what advise or steer write into their folder,
    never asks Slurm, and changes nothing. The page is at /, the metrics are at
    /metrics, and /status.json is for programs of yours.

    From your desk, through SSH: ssh -L 9301:localhost:9301 login-node, then open
    http://localhost:9301/ in a browser. A job is found by http://localhost:9301/#job=1234

    For others, make a token first; it never goes on the command line:
    (umask 077; openssl rand -hex 24 > token)

    Examples:
      $ packwise slurm serve
      $ packwise slurm serve --port 9400 --state /var/lib/packwise
      $ packwise slurm serve --host 0.0.0.0 --token-file token
    """
    from packwise.adapters.slurm.web.folder import StateFolder as Folder
    from packwise.adapters.slurm.web.libraries import check_libraries
    from packwise.adapters.slurm.web.serving import open_door, serving
    from packwise.adapters.slurm.web.token import find_token
    from packwise.cli.slurm.folders import written_folder
    from packwise.cli.slurm.going import until_told
    from packwise.model.errors import InputError

    check_libraries()
    token = find_token(token_file)
    folder = written_folder(state, ask=False)
    door = open_door(host, port)
    if token is None and not door.local:
        door.socket.close()
        raise InputError(
            f"--host {host}: others can reach this address, so a token is needed. Make one, "
            "(umask 077; openssl rand -hex 24 > token), and name it: --token-file token."
        )
    with until_told() as stop, serving(door, Folder(folder), token) as ended:
        _tell(
            f"{door.address} shows the plan in {folder}. Ctrl-C ends this.",
            "Whoever opens it is asked for the token." if token is not None else "",
            ""
            if door.local
            else "What is sent can be read on its way: put a server with TLS before it.",
        )
        while not stop.wait(0.2) and not ended.is_set():
            pass
        if ended.is_set() and not stop.is_set():
            raise InputError("the web server has ended by itself.")


def _tell(address: str, *remarks: str) -> None:
    """Where the page is, and what there is to say about it. It is there as well if nobody listens."""
    from packwise.cli.terminal import note, printable
    from packwise.files.streams import takes

    if takes(1):
        print(printable(address), flush=True)
    for remark in filter(None, remarks):
        if takes(2):
            note(remark)
