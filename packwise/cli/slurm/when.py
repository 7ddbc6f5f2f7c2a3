"""packwise slurm when: when a job will start, why it waits, and what would start it sooner."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from packwise.cli.options.arguments import Json
from packwise.cli.slurm.options import Form, ReadForm, StateFolder

if TYPE_CHECKING:
    from packwise.adapters.slurm.snapshot import QueuedJob

#: Changes that are shown.
_SHOWN = 3


def when(
    job: Annotated[
        str, typer.Argument(metavar="JOB", help="Its id: 1234, or 1234_7.", show_default=False)
    ],
    futures: Annotated[
        int, typer.Option("--futures", metavar="N", min=10, max=10_000, help="Futures to replay.")
    ] = 200,
    history: Annotated[
        Path | None,
        typer.Option(
            "--history",
            metavar="FILE",
            help="A log of the site (sacct -P, ...): run times and arrivals are drawn from it. By default the "
            "site's accounting, if it can be asked, or the jobs that Packwise has seen to end.",
            show_default=False,
        ),
    ] = None,
    policy: Annotated[
        str,
        typer.Option(
            "--policy",
            metavar="NAME",
            help="What serves the queue in the futures, in the order of Slurm's priorities.",
        ),
    ] = "easy",
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the random numbers.")] = 0,
    state: StateFolder = None,
    read: ReadForm = Form.TEXT,
    json: Json = False,
) -> None:
    """When a job will start, why it waits, and the cheapest change that would start it sooner.

    The queue is replayed in many futures: run times are drawn from what such jobs
    took, later jobs from those of the past. In one of ten futures the job starts
    before P10, in half of them before P50, in nine of ten before P90; what such
    forecasts were worth here so far corrects them. Only reads.

    Examples:
      $ packwise slurm when 1234
      $ packwise slurm when 1234_7 --history sacct.txt
      $ packwise slurm when 1234 --json
    """
    from packwise.adapters.slurm.foresight import Foresight, coverage, load_forecasts, read_past
    from packwise.adapters.slurm.history import site_history
    from packwise.adapters.slurm.reasons import why
    from packwise.adapters.slurm.seen import NAME
    from packwise.cli.slurm.going import open_site
    from packwise.cli.slurm.options import state_folder
    from packwise.cli.terminal import note, print_json
    from packwise.cli.terminal.progress import busy
    from packwise.forecasting import changes
    from packwise.model.errors import InputError
    from packwise.model.schedule import NEVER

    reader, site = open_site(read.value)
    for warning in site.warnings:
        note(warning)
    folder = state_folder(state, site.cluster)
    snapshot = reader.snapshot()
    found = _job(job, snapshot.jobs)
    reasons = why(found, snapshot)
    facts: dict[str, Any] = {"job": found.id, "state": found.state, "why": reasons}
    ready = found.for_room and found.eligible <= snapshot.now and not found.reservation
    if history is not None and not history.is_file():
        raise InputError(f"--history: there is no file {history}.")
    if ready:
        with busy("replaying futures"), site_history(site.settings) as asked:
            seen_log = folder / NAME
            log = history or asked or (seen_log if seen_log.is_file() else None)
            past = read_past(log, snapshot.cluster)
            calibration = load_forecasts(folder)
            sight = Foresight(past, policy, futures, seed, calibration)
            seen = sight.look(snapshot, [found.id])
            p10, p50, p90 = seen.of(found.id)
            better = []
            if p50 != NEVER:
                better = changes(seen.forecast.futures, seen.ids.index(found.id), policy=policy)
        if found.required or found.excluded:
            note("the nodes that it asked for, or does not want, are not looked at in the futures.")
        facts |= {"p10": p10, "p50": p50, "p90": p90, "history": past.words}
        facts["slurm"] = found.start if found.start > 0 else None
        facts["forecasts"] = len(calibration.known)
        facts["started_by"] = coverage(calibration.known)
        facts["sooner"] = [one._asdict() for one in better]
    if json:
        print_json(facts)
        return
    _show(found, facts, snapshot.now)


def _job(id: str, jobs: tuple[QueuedJob, ...]) -> QueuedJob:
    from packwise.adapters.slurm.queue_text import valid_id
    from packwise.model.errors import InputError, shortened

    if not valid_id(id):
        raise InputError(
            f"expected the id of a job, such as 1234 or 1234_7, found '{shortened(id)}'."
        )
    found = [one for one in jobs if one.id == id or str(one.raw) == id]
    if not found:
        tasks = [one for one in jobs if one.id.startswith(f"{id}_") and one.waiting]
        if not tasks:
            raise InputError(
                f"job {id} neither waits nor runs. `sacct -j {id}` tells what became of it, where there is "
                "accounting."
            )
        found = tasks
    return found[0]


def _show(job: QueuedJob, facts: dict[str, Any], now: int) -> None:
    from packwise.cli.terminal import printable
    from packwise.model.schedule import NEVER
    from packwise.readable import duration

    size = f"{job.nodes} whole node(s)" if job.alone else f"{job.nodes} node(s), {job.cpus} core(s)"
    limit = duration(job.limit) if job.limit > 0 else "none"
    head = f"Job {job.id} of {job.user} in {','.join(job.partitions)}: {size}, limit {limit}"
    print(printable(head))
    if not job.waiting:
        print(f"  {facts['why'][0]}")
        return
    print(f"  waits for {duration(max(now - max(job.submit, job.eligible), 0))}")
    if "p50" in facts:
        if facts["p50"] == NEVER:
            print(
                "When:   never, as the machine is now: no nodes have room for it, all of them empty"
            )
        else:
            p10, p50, p90 = (_at(facts[name], now) for name in ("p10", "p50", "p90"))
            print(
                f"When:   about {p50} (P50); by {p10} in one of ten cases (P10), by {p90} in nine (P90)"
            )
            theirs = facts["slurm"]
            print(f"        Slurm's own forecast: {_at(theirs, now) if theirs else 'none yet'}")
        print(f"        {_worth(facts)}; {facts['history']}")
    for k, line in enumerate(facts["why"]):
        print(f"{'Why:    ' if not k else '        '}{printable(line)}")
    if "sooner" in facts and facts["p50"] != NEVER:
        lines = [
            f"{one['words']} ({one['demand']} cores, limit {duration(one['limit'])}): about "
            f"{duration(one['gain'])} sooner, in {one['certainty']:.0%} of the futures"
            + (f"; {one['risk']:.0%} that it is cut off" if one["risk"] else "")
            for one in facts["sooner"][:_SHOWN]
        ]
        for k, line in enumerate(
            lines or ["no smaller request was found that would start it sooner"]
        ):
            print(f"{'Sooner: ' if not k else '        '}{line}")


def _worth(facts: dict[str, Any]) -> str:
    by = facts["started_by"]
    if not by:
        return "no forecast was judged here yet: let `packwise slurm advise` run, and these become calibrated"
    return (
        f"of {facts['forecasts']} forecasts here {by['p50']:.0%} of the jobs had started by P50, "
        f"{by['p90']:.0%} by P90"
    )


def _at(moment: int, now: int) -> str:
    from packwise.readable import duration

    if moment <= now + 1:
        return "now"
    at = datetime.fromtimestamp(moment)
    clock = f"{at:%H:%M:%S}" if moment - now < 3600 else f"{at:%H:%M}"
    day = "" if moment - now < 20 * 3600 else f"{at:%a %d %b} "
    return f"{day}{clock} (in {duration(moment - now)})"
