"""packwise slurm when: when a job will start, why it waits, and what would start it sooner."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from packwise.cli.options.arguments import Json
from packwise.cli.slurm.options import Form, ReadForm, StateFolder

if TYPE_CHECKING:
    from packwise.adapters.slurm.snapshot import QueuedJob, Snapshot

#: A start that is so far away needs an explanation, in seconds.
_LATE = 60 * 86400
#: What takes longer is worth a word, in seconds; and for how long futures are replayed to know.
_LONG, _PROBE = 60.0, 3.0
#: Each future is replayed about so many times: as it is, and with what would start the job sooner.
_TIMES = 6


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
    served_by: Annotated[
        str,
        typer.Option(
            "--policy",
            metavar="NAME",
            help="What serves the queue in the futures, in the order of Slurm's priorities (in packwise.toml "
            "its key is served_by: policy is that of the plans).",
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
    from packwise.adapters.slurm.reasons import dependency, endless, why
    from packwise.cli.slurm.going import open_site
    from packwise.cli.slurm.options import state_folder
    from packwise.cli.tables.forecast import print_forecast
    from packwise.cli.terminal import meanwhile, note, print_json
    from packwise.cli.terminal.interim import Interim
    from packwise.model.errors import InputError

    if history is not None and not history.is_file():
        raise InputError(f"--history: there is no file {history}.")
    reader, site = open_site(read.value)
    for warning in site.warnings:
        note(warning)
    folder = state_folder(state, site.cluster)
    snapshot = reader.snapshot()
    found, remark = _job(job, snapshot.jobs)
    others = dependency(found) if found.reason.startswith("Dependency") else ""
    reasons = why(found, snapshot, others)
    facts: dict[str, Any] = {
        "job": found.id,
        "remark": remark,
        "state": found.state,
        "why": reasons,
    }
    if found.state == "RUNNING":
        facts["started"] = found.start
        facts["ends_by"] = found.start + found.limit if found.limit > 0 else None
    if found.for_room and found.eligible <= snapshot.now and not found.reservation:
        if found.required or found.excluded:
            note("the nodes that it asked for, or does not want, are not looked at in the futures.")
        ask = _Ask(served_by, futures, seed, history, folder, site.settings)
        known = f"job {found.id}: {'; '.join(reasons)}; {_slurms(found, snapshot.now)}"
        with Interim() as interim:
            interim.begin(lambda: meanwhile(known))
            facts |= _forecast(found, snapshot, ask)
        if facts["p50"] - snapshot.now > _LATE and (words := endless(found, snapshot)):
            reasons.append(words)
    if json:
        print_json(facts)
        return
    print_forecast(found, facts, snapshot.now)


def _slurms(job: QueuedJob, now: int) -> str:
    """What Slurm itself expects."""
    from packwise.readable import clock

    if job.start <= 0:
        return "Slurm tells no start yet"
    return f"Slurm expects it to start {clock(max(job.start, now), now)}"


class _Ask(NamedTuple):
    """How futures are drawn and replayed, and where the past is looked for."""

    policy: str
    futures: int
    seed: int
    history: Path | None
    folder: Path
    settings: Mapping[str, str]


def _forecast(job: QueuedJob, snapshot: Snapshot, ask: _Ask) -> dict[str, Any]:
    """When a job will start, what such forecasts were worth, and what would start it sooner."""
    from packwise.adapters.slurm.foresight import (
        Foresight,
        coverage,
        load_forecasts,
        nodes_left,
        read_past,
    )
    from packwise.adapters.slurm.history import site_history
    from packwise.adapters.slurm.seen import known_log
    from packwise.cli.terminal.progress import busy, step_bar
    from packwise.model.schedule import NEVER

    with busy("reading the history"), site_history(ask.settings) as asked:
        log = ask.history or asked or known_log(ask.folder)
        past = read_past(log, snapshot.cluster)
    calibration = load_forecasts(ask.folder)
    sight = Foresight(past, ask.policy, ask.futures, ask.seed, calibration)
    with step_bar("replaying futures") as report:
        warn = _warning(ask)
        done = count(1)

        def step() -> None:
            so_far = next(done)
            warn(so_far)
            report(so_far, ask.futures)

        seen = sight.look(snapshot, [job.id], step)
    p10, p50, p90 = seen.of(job.id)
    better: list[dict[str, Any]] = []
    if p50 != NEVER:
        with step_bar("replaying what would start it sooner") as report:
            better = [
                {
                    **one._asdict(),
                    "limit": one.limit if job.limit > 0 else None,
                    "nodes": nodes_left(one.given_up, job) if job.alone else None,
                }
                for one in sight.sooner(seen, job, report)
            ]
    return {
        "p10": p10,
        "p50": p50,
        "p90": p90,
        "history": past.words,
        "slurm": job.start if job.start > 0 else None,
        "forecasts": len(calibration.known),
        "started_by": coverage(calibration.known),
        "sooner": better,
    }


def _warning(ask: _Ask, clock: Callable[[], float] = monotonic) -> Callable[[int], None]:
    """Says so once, told after each future, if all of them will take long. The first does not count: it may
    have to be compiled.
    """
    from packwise.cli.terminal import note
    from packwise.readable import duration

    begin: float | None = None
    said = False

    def warn(done: int) -> None:
        nonlocal begin, said
        now = clock()
        if begin is None:
            begin = now
        elif not said and now - begin >= _PROBE:
            said = True
            each = (now - begin) / (done - 1)
            left = each * (_TIMES * ask.futures - done)
            if left > _LONG:
                note(
                    f"a future takes {duration(each)} with the policy {ask.policy}: this will take about "
                    f"{duration(left)}. Fewer --futures are faster, or the default policy (easy)."
                )

    return warn


def _job(id: str, jobs: tuple[QueuedJob, ...]) -> tuple[QueuedJob, str]:
    """A job, and a remark if it is a task of the array that was asked for."""
    from packwise.adapters.slurm.queue_text import valid_id
    from packwise.model.errors import InputError, shortened

    if not valid_id(id):
        raise InputError(
            f"expected the id of a job, such as 1234 or 1234_7, found '{shortened(id)}'."
        )
    tasks = [one for one in jobs if one.id.startswith(f"{id}_")]
    if tasks:
        waiting = [one for one in tasks if one.waiting]
        first = min(waiting or tasks, key=lambda one: int(one.id.partition("_")[2]))
        do = "wait" if waiting else "run"
        many = len(waiting or tasks)
        which = f"the first of {many} that {do}" if many > 1 else f"the only one that {do}s"
        return first, f"{id} is an array: this is its task {first.id}, {which}"
    found = [one for one in jobs if one.id == id] or [one for one in jobs if str(one.raw) == id]
    if not found:
        raise InputError(
            f"job {id} neither waits nor runs. `sacct -j {id}` tells what became of it, where there is "
            "accounting."
        )
    return found[0], ""
