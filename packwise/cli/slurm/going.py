"""Going round: what advise and steer have in common on the command line."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from types import FrameType
from typing import TYPE_CHECKING

from packwise.files.streams import give_up_unread

if TYPE_CHECKING:
    from packwise.adapters.slurm.cycle import Cycle
    from packwise.adapters.slurm.live import Live
    from packwise.adapters.slurm.modes.mode import Mode
    from packwise.adapters.slurm.probe import Site
    from packwise.adapters.slurm.reader import SlurmReader
    from packwise.cli.slurm.first_look import FirstLook
    from packwise.model.decision import Policy

#: Ctrl-C, a service manager, and a terminal that was closed.
_TOLD = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def open_site(form: str) -> tuple[SlurmReader, Site]:
    """A reader, and what the site allows."""
    from packwise.adapters.slurm.probe import probe
    from packwise.adapters.slurm.reader import SlurmReader

    reader = SlurmReader(form=form)
    return reader, probe(reader.settings())


def check_partitions(reader: SlurmReader, chosen: frozenset[str] | None) -> None:
    """Refuse a partition that is not there: nobody would ever be planned."""
    from packwise.model.errors import UnknownName

    known = reader.partitions()
    for name in sorted((chosen or frozenset()) - set(known)):
        raise UnknownName("partition", name, known)


def check_allowed(site: Site, mode: str) -> None:
    """Refuse a mode that the site forbids, with all reasons."""
    from packwise.cli.terminal import note
    from packwise.model.errors import InputError

    if not site.allows(mode):
        raise InputError(
            f"{mode} is not possible on '{site.cluster}': {' '.join(site.forbids[mode])}"
        )
    for warning in site.warnings:
        note(warning)


def go(
    reader: SlurmReader,
    site: Site,
    policy: Policy,
    mode: Mode,
    folder: Path,
    *,
    interval: float,
    rounds: int | None,
    dry_run: bool,
    show: Callable[[Live, Cycle | None], None],
    first: FirstLook,
    forecast: bool = False,
) -> None:
    """Go round until a signal or the last round. ``first``: what is shown until there is a plan."""
    from packwise.adapters.slurm import state_file
    from packwise.adapters.slurm.commands import SlurmError
    from packwise.adapters.slurm.forecaster import Forecaster
    from packwise.adapters.slurm.journal import Journal
    from packwise.adapters.slurm.ledger import Ledger
    from packwise.adapters.slurm.live import Live
    from packwise.adapters.slurm.ours import Ours, load_ours
    from packwise.adapters.slurm.writer import SlurmWriter
    from packwise.cli.slurm.leftovers import tell_left
    from packwise.cli.terminal import note
    from packwise.warm_up.crew import are_ready, ready
    from packwise.warm_up.needs import of_rounds

    with state_file.alone(folder):
        journal = Journal(folder)
        ledger = Ledger()
        ledger.ours = load_ours(folder) or Ours()
        journal.write("note", state_file.load(folder, policy.name, ledger), cluster=site.cluster)
        for words in tell_left(reader, site, folder, ledger.ours.of_drive):
            journal.write("note", words)
        writer = SlurmWriter(dry_run=dry_run)
        live = Live(
            reader,
            writer,
            policy,
            mode,
            journal,
            folder,
            interval=interval,
            ledger=ledger,
            forecaster=Forecaster(folder) if forecast and not dry_run else None,
        )

        def after(cycle: Cycle | None) -> None:
            first.over()
            show(live, cycle)

        needed = of_rounds(policy)
        if not are_ready(needed):
            first.now()
            ready(needed)
        with until_told() as stop:
            live.run(stop, cycles=rounds, after=after)
        if live.left and mode.name != "advise":
            raise SlurmError(
                f"{mode.name} has ended, and something of it may be left: {'; '.join(live.left[:3])} Say "
                "`packwise slurm reset` when Slurm answers."
            )
        if mode.name != "advise" and not dry_run:
            note("everything is given back: the queue is Slurm's")


@contextmanager
def until_told() -> Iterator[Event]:
    """An event that is set by Ctrl-C and by what a service manager sends to stop. Nobody who does not read what
    we print can keep us from ending.
    """
    stop = Event()

    def told(number: int, frame: FrameType | None) -> None:
        stop.set()
        give_up_unread()

    before = {sign: signal.signal(sign, told) for sign in _TOLD}
    try:
        yield stop
    finally:
        for sign, handler in before.items():
            signal.signal(sign, handler)
