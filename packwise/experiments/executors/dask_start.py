"""Finding or starting a Dask cluster, from the word or address that a user gives."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import shutil
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from inspect import signature
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from packwise.experiments.executors.worker import ONE_THREAD, interrupts_held, usable_cores
from packwise.extras import extra
from packwise.model.errors import InputError, UnknownName

#: Commands by which jobs are submitted and cancelled.
_COMMANDS = {"slurm": ("sbatch", "scancel"), "pbs": ("qsub", "qdel")}
_WORDS = ("local", *_COMMANDS)
_SCHEMES = ("tcp", "tls", "ws", "wss", "ucx")
#: Seconds that a scheduler which we have started may take to answer.
_OURS_ANSWERS = 300.0
#: For schedulers of ours: no dashboard, and a task may lose two workers.
_SCHEDULER = {"dashboard": False, "dashboard_address": "127.0.0.1:0", "allowed_failures": 1}


class Place(NamedTuple):
    """Where a cluster is: ``kind`` is local, slurm, pbs or address."""

    kind: str
    address: str = ""

    def __str__(self) -> str:
        return self.address or self.kind


def find(where: str) -> Place:
    """What a user means: a word, the address of a scheduler, or its scheduler file."""
    text = where.strip()
    if text.lower() in _WORDS:
        return Place(text.lower())
    if text.endswith(".json") or os.path.isfile(text):
        return Place("address", _address(_from_file(Path(text).expanduser()), text))
    if ":" in text:
        return Place("address", _address(text, text))
    raise UnknownName(
        "Dask cluster",
        where,
        _WORDS,
        remedy="Or give the address of a scheduler (tcp://host:8786), or its scheduler file "
        "(scheduler.json).",
    )


def _address(text: str, where: str) -> str:
    whole = text if "://" in text else f"tcp://{text}"
    try:
        parts = urlsplit(whole)
        good = parts.scheme in _SCHEMES and parts.hostname and parts.port
        good = good and not (parts.path.strip("/") or parts.query or parts.username)
    except ValueError:
        good = False
    if not good:
        raise InputError(
            f"--dask {where}: expected the address of a Dask scheduler, such as tcp://host:8786, "
            f"found '{text}'. The scheduler shows its address when it starts."
        )
    return f"{parts.scheme}://{parts.netloc}"


def _from_file(path: Path) -> str:
    """The address in a scheduler file (``dask scheduler --scheduler-file``)."""
    try:
        return str(json.loads(path.read_text())["address"])
    except OSError as error:
        reason = f"cannot be read ({error.strerror or error})"
    except (ValueError, KeyError, TypeError, RecursionError):
        reason = "is not one: it should be JSON with an address"
    raise InputError(
        f"{path}: expected a scheduler file, but it {reason}. Start the scheduler with "
        "`dask scheduler --scheduler-file FILE`, on a disk that this machine sees too."
    )


def expected_workers(place: Place, options: Mapping[str, Any], workers: int | None) -> int:
    """About how many there will be, before anything is started."""
    if place.kind == "address":
        return workers or 1
    if place.kind == "local":
        return workers or usable_cores()
    processes = options.get("processes") or options.get("cores") or 1
    return workers or _jobs(options) * (processes if isinstance(processes, int) else 1)


def connect(
    place: Place,
    options: Mapping[str, Any],
    workers: int | None,
    timeout: float,
    closing: ExitStack,
) -> Any:
    """A client of the cluster. ``closing`` gets what ends it, and the cluster if it is ours."""
    _require(place.kind)
    from distributed import Client

    make_client: Any = Client
    target: Any = place.address
    if place.kind == "local":
        target = _local(workers, closing)
    elif place.kind in _COMMANDS:
        target = _batch(place.kind, options, workers, closing)
    else:
        _knock(place.address, timeout)
    if place.kind != "address":  # ours is there, however busy this machine may be
        timeout = max(timeout, _OURS_ANSWERS)
    with interrupts_held():
        client = make_client(target, timeout=timeout, set_as_default=False)
        closing.callback(client.close, timeout=timeout)
    return client


def _knock(address: str, timeout: float) -> None:
    """See whether a scheduler answers. A client that finds none cannot be closed, and may hang."""
    from distributed import Security
    from distributed import connect as open_comm

    async def knock() -> None:
        try_to_open: Any = open_comm
        arguments = Security().get_connection_args("client")  # type: ignore[no-untyped-call]
        async with asyncio.timeout(timeout + 1):
            comm = await try_to_open(address, timeout=timeout, **arguments)
            await comm.close()

    try:
        with ThreadPoolExecutor(1) as thread:  # where no event loop runs, as one does in notebooks
            thread.submit(asyncio.run, knock()).result()
    except (OSError, ValueError, TypeError, ImportError) as error:
        raise InputError(
            f"--dask {address}: no Dask scheduler answered within {timeout:g} s "
            f"({one_line(error)}). Is it running (`dask scheduler`), can this "
            "machine reach it, and for tls:// are the certificates set in Dask's configuration?"
        ) from error


def _require(kind: str) -> None:
    with extra(f"--dask {kind} needs", "distributed", "dask"):
        import distributed  # noqa: F401
    if kind in _COMMANDS:
        with extra(f"--dask {kind} needs", "dask-jobqueue", "dask"):
            import dask_jobqueue  # noqa: F401


def _local(workers: int | None, closing: ExitStack) -> Any:
    """Processes on this machine."""
    from distributed import LocalCluster

    make_cluster: Any = LocalCluster

    with interrupts_held():
        cluster = make_cluster(
            n_workers=workers or usable_cores(),
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            memory_limit=0,
            silence_logs=logging.CRITICAL,
            scheduler_kwargs=_SCHEDULER,
            env=ONE_THREAD,
        )
        closing.callback(cluster.close)
    return cluster


def _batch(kind: str, options: Mapping[str, Any], workers: int | None, closing: ExitStack) -> Any:
    """Workers that are jobs of a batch system, and a scheduler in this process."""
    import dask_jobqueue
    from distributed import Status

    for command in _COMMANDS[kind]:
        if shutil.which(command) is None:
            raise InputError(
                f"--dask {kind} needs the command '{command}', which is not found on this machine. "
                "Start the study where jobs are submitted (a login node), or give the address of a "
                "running Dask scheduler."
            )
    jobs = _jobs(options)
    make = {"slurm": "SLURMCluster", "pbs": "PBSCluster"}[kind]
    try:
        settings = _settings(kind, options)
        cluster_class = getattr(dask_jobqueue, make)
        _check(cluster_class, settings)
        with interrupts_held():
            cluster = cluster_class(**settings)
            closing.callback(cluster.close)

        async def submit() -> None:
            if workers is None:
                cluster.scale(jobs=jobs)
            else:
                cluster.scale(n=workers)
            try:
                await cluster  # where a refused job raises
            except Exception:
                for job in cluster.workers.values():  # or else closing takes them for running
                    job.status = Status.failed
                raise

        cluster.sync(submit)
    except (ValueError, TypeError, RuntimeError, OSError, KeyError, ImportError) as error:
        raise InputError(
            f"--dask {kind}: jobs with workers could not be submitted ({one_line(error)}). [dask] in the "
            "study file says what to ask for: cores and memory of a job (cores = 8, memory = "
            '"16GB"), jobs, queue, account, walltime, interface, and what else dask-jobqueue\'s '
            f"{make} takes."
        ) from error
    return cluster


def _check(cluster_class: Any, settings: Mapping[str, Any]) -> None:
    """Make a job that is not submitted: a cluster that refuses its settings cannot be closed."""
    from dask_jobqueue.core import JobQueueCluster

    of_both = {"interface", "protocol", "config_name"}
    of_cluster = set(signature(JobQueueCluster.__init__).parameters) - of_both
    of_job = {name: value for name, value in settings.items() if name not in of_cluster}
    cluster_class.job_cls("tcp://127.0.0.1:0", name="check", **of_job)


def _settings(kind: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """What dask-jobqueue is to be told. A process per core: replays do not share one well.

    No worker opens a web page.
    """
    import dask
    from distributed import Security

    settings = {name: value for name, value in options.items() if name != "jobs"}
    settings["scheduler_options"] = _SCHEDULER | dict(settings.get("scheduler_options", {}))
    cores = settings.get("cores") or dask.config.get(f"jobqueue.{kind}.cores", None)
    if cores and not dask.config.get(f"jobqueue.{kind}.processes", None):
        settings.setdefault("processes", cores)
    extra = settings.get("worker_extra_args")
    if extra is None:
        extra = dask.config.get(f"jobqueue.{kind}.worker-extra-args", None) or []
    settings["worker_extra_args"] = ["--no-dashboard", *extra]
    if (
        settings.get("security") is True
    ):  # here: a cluster that fails to make certificates cannot be closed
        settings["security"] = Security.temporary()  # type: ignore[no-untyped-call]
    return settings


def _jobs(options: Mapping[str, Any]) -> int:
    jobs = options.get("jobs", 1)
    if not isinstance(jobs, int) or isinstance(jobs, bool) or jobs < 1:
        raise InputError(f"[dask] jobs: expected a whole number from 1, found {jobs!r}.")
    return jobs


def one_line(error: BaseException) -> str:
    """What an error comes from, on one line; of a command's failure, what the command said."""
    while error.__cause__ is not None and str(error.__cause__):
        error = error.__cause__
    said = " ".join((str(error).rpartition("stderr:")[2].strip() or str(error)).split())[:300]
    return ": ".join(filter(None, (type(error).__name__, said)))
