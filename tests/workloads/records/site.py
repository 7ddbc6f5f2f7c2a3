"""One made-up site, written as every scheduler and tool would write its records."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from random import Random
from zoneinfo import ZoneInfo

EPOCH = 1_700_000_000


@dataclass(frozen=True)
class Job:
    """A job as it was; times in Unix seconds, -1 for what did not happen."""

    id: int
    submit: int
    eligible: int
    start: int
    end: int
    limit: int
    cpus: int
    nodes: int
    memory: int
    gpus: int = 0
    user: str = "alice"
    account: str = "physics"
    partition: str = "batch"
    qos: str = "normal"
    name: str = "job"
    state: str = "COMPLETED"
    task: int = -1


def jobs(count: int = 40, seed: int = 1) -> list[Job]:
    """Jobs that ran, of some users, accounts and partitions; some of an array, some with GPUs, some held."""
    rng = Random(seed)
    found = []
    now = EPOCH
    for k in range(count):
        now += rng.randrange(1, 600)
        held = rng.choice([0, 0, 0, 900])
        wait, runtime = rng.randrange(0, 3600), rng.randrange(1, 7200)
        nodes = rng.choice([1, 1, 1, 2, 4])
        gpus = rng.choice([0, 0, 0, 2]) * nodes
        limit = 60 * (runtime // 60 + rng.choice([1, 10, 100]))
        start = now + held + wait
        found.append(
            Job(
                id=1000 + k,
                submit=now,
                eligible=now + held,
                start=start,
                end=start + runtime,
                limit=limit,
                cpus=nodes * rng.choice([1, 4, 16]),
                nodes=nodes,
                memory=nodes * rng.choice([1024, 4096]),
                gpus=gpus,
                user=rng.choice(["alice", "bob", "carol"]),
                account=rng.choice(["physics", "bio"]),
                partition="gpu" if gpus else rng.choice(["batch", "short"]),
                qos=rng.choice(["normal", "high"]),
                name=rng.choice(["train", "relax_2", "post"]),
                state=rng.choice(["COMPLETED", "FAILED", "TIMEOUT"]),
                task=rng.choice([-1, -1, k]),
            )
        )
    return found


def clock(seconds: int, zone: str = "UTC") -> str:
    """A moment as Slurm writes it; Unknown for one that did not come."""
    if seconds < 0:
        return "Unknown"
    return datetime.fromtimestamp(seconds, ZoneInfo(zone)).strftime("%Y-%m-%dT%H:%M:%S")


def span(seconds: int) -> str:
    """A duration as Slurm writes it."""
    days, rest = divmod(max(seconds, 0), 86400)
    text = f"{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"
    return f"{days}-{text}" if days else text


def hosts(job: Job) -> str:
    return "n001" if job.nodes == 1 else f"n[001-{job.nodes:03}]"


def tres(job: Job) -> str:
    gpus = f",gres/gpu={job.gpus}" if job.gpus else ""
    return f"billing={job.cpus},cpu={job.cpus}{gpus},mem={job.memory}M,node={job.nodes}"


#: By name of a column of sacct: its cell.
CELLS = {
    "JobID": lambda job, zone: str(job.id) if job.task < 0 else f"900_{job.task}",
    "JobIDRaw": lambda job, zone: str(job.id),
    "JobName": lambda job, zone: job.name,
    "User": lambda job, zone: job.user,
    "Account": lambda job, zone: job.account,
    "Partition": lambda job, zone: job.partition,
    "QOS": lambda job, zone: job.qos,
    "Submit": lambda job, zone: clock(job.submit, zone),
    "Eligible": lambda job, zone: clock(job.eligible, zone),
    "Start": lambda job, zone: clock(job.start, zone),
    "End": lambda job, zone: clock(job.end, zone),
    "Elapsed": lambda job, zone: span(job.end - job.start),
    "ElapsedRaw": lambda job, zone: str(job.end - job.start),
    "Timelimit": lambda job, zone: span(job.limit),
    "TimelimitRaw": lambda job, zone: str(job.limit // 60),
    "NNodes": lambda job, zone: str(job.nodes),
    "NCPUS": lambda job, zone: str(job.cpus),
    "ReqCPUS": lambda job, zone: str(job.cpus),
    "ReqMem": lambda job, zone: f"{job.memory // job.nodes}Mn",
    "AllocTRES": lambda job, zone: tres(job),
    "ReqTRES": lambda job, zone: tres(job),
    "State": lambda job, zone: job.state,
    "ExitCode": lambda job, zone: "0:0",
    "NodeList": lambda job, zone: hosts(job),
}
USUAL = (
    "JobID", "JobIDRaw", "JobName", "User", "Account", "Partition", "QOS", "Submit", "Eligible", "Start", "End",
    "Elapsed", "Timelimit", "NNodes", "NCPUS", "AllocTRES", "State", "ExitCode", "NodeList",
)  # fmt: skip


def sacct(
    some: Sequence[Job], names: Sequence[str] = USUAL, zone: str = "UTC", header: bool = True
) -> str:
    """``sacct -P``."""
    lines = ["|".join(names)] if header else []
    lines += ["|".join(CELLS[name](job, zone) for name in names) for job in some]
    return "".join(f"{line}\n" for line in lines)


def sacct_json(some: Sequence[Job], *, newer: bool) -> str:
    """``sacct --json``, as numbers are written until 22.05 or since 23.02."""

    def number(value: int) -> object:
        return {"set": True, "infinite": False, "number": value} if newer else value

    def job(one: Job) -> dict[str, object]:
        resources = [
            {"type": "cpu", "name": "", "id": 1, "count": one.cpus},
            {"type": "mem", "name": "", "id": 2, "count": one.memory},
            {"type": "node", "name": "", "id": 4, "count": one.nodes},
        ]
        resources += (
            [{"type": "gres", "name": "gpu", "id": 1001, "count": one.gpus}] if one.gpus else []
        )
        return {
            "job_id": one.id,
            "array": {
                "job_id": 900 if one.task >= 0 else 0,
                "task_id": number(one.task) if one.task >= 0 else None,
            },
            "het": {"job_id": 0, "job_offset": None},
            "time": {
                "submission": one.submit,
                "eligible": one.eligible,
                "start": one.start,
                "end": one.end,
                "elapsed": one.end - one.start,
                "limit": number(one.limit // 60),
            },
            "allocation_nodes": one.nodes,
            "required": {"CPUs": one.cpus, "memory": 1},
            "tres": {"allocated": resources, "requested": resources},
            "association": {"user": one.user, "account": one.account},
            "account": one.account,
            "partition": one.partition,
            "qos": one.qos,
            "name": one.name,
            "nodes": hosts(one),
            "state": {"current": [one.state] if newer else one.state, "reason": "None"},
            "exit_code": {"return_code": number(0)},
            "steps": [{"step": {"id": "batch"}}],
        }

    return json.dumps({"meta": {}, "errors": [], "jobs": [job(one) for one in some]})


def filetxt(some: Sequence[Job], zone: str = "UTC") -> str:
    """What ``jobcomp/filetxt`` writes."""
    return "".join(
        f"JobId={job.id} UserId={job.user}(1000) GroupId={job.account}(1000) Name={job.name} "
        f"JobState={job.state} Partition={job.partition} TimeLimit={job.limit // 60} "
        f"StartTime={clock(job.start, zone)} EndTime={clock(job.end, zone)} NodeList={hosts(job)} "
        f"NodeCnt={job.nodes} ProcCnt={job.cpus} WorkDir=/home ReservationName= Tres={tres(job)} "
        f"Account={job.account} QOS={job.qos} WcKey= Cluster=lab SubmitTime={clock(job.submit, zone)} "
        f"EligibleTime={clock(job.eligible, zone)} DerivedExitCode=0:0 ExitCode=0:0 \n"
        for job in some
    )


def pbs(some: Sequence[Job]) -> str:
    """The accounting log of PBS: a record when a job is queued, when it starts, and when it ends."""
    lines = []
    for job in some:
        stamp = datetime.fromtimestamp(job.end, UTC).strftime("%m/%d/%Y %H:%M:%S")
        cards = f":ngpus={job.gpus // job.nodes}" if job.gpus else ""
        places = "+".join(
            f"(n{k:03}:ncpus={job.cpus // job.nodes}{cards})" for k in range(job.nodes)
        )
        gpus = f"Resource_List.ngpus={job.gpus} " if job.gpus else ""
        code = 0 if job.state == "COMPLETED" else 1
        for kind, message in (
            ("Q", f"queue={job.partition}"),
            ("S", f"user={job.user} queue={job.partition}"),
            (
                "E",
                f"user={job.user} group={job.account} account={job.account} jobname={job.name} "
                f"queue={job.partition} ctime={job.submit} qtime={job.submit} etime={job.eligible} "
                f"start={job.start} exec_vnode={places} Resource_List.mem={job.memory}mb "
                f"Resource_List.ncpus={job.cpus} {gpus}"
                f"Resource_List.walltime={job.limit // 3600:02}:{job.limit // 60 % 60:02}:{job.limit % 60:02} "
                f"session=1 end={job.end} Exit_status={code} resources_used.walltime=00:00:01",
            ),
        ):
            lines.append(f"{stamp};{kind};{job.id}.server;{message}")
    return "".join(f"{line}\n" for line in lines)


def batsim(some: Sequence[Job]) -> str:
    """A workload for Batsim."""
    return json.dumps(
        {
            "nb_res": 64,
            "jobs": [
                {
                    "id": f"w0!{job.id}",
                    "subtime": job.eligible - EPOCH,
                    "walltime": job.limit,
                    "res": job.cpus,
                    "profile": f"p{job.end - job.start}",
                }
                for job in some
            ],
            "profiles": {
                f"p{job.end - job.start}": {"type": "delay", "delay": job.end - job.start}
                for job in some
            },
        }
    )


def csv(some: Sequence[Job]) -> str:
    """A table of nobody's, to be explained with --map."""
    lines = ["nr;who;queued;begin;secs;cores;boxes;wall;ram;cards"]
    lines += [
        f'{job.id};"{job.user}";{job.eligible};{job.start};{job.end - job.start}.0;{job.cpus};{job.nodes};'
        f"{job.limit / 3600};{job.memory / 1024};{job.gpus}"
        for job in some
    ]
    return "".join(f"{line}\n" for line in lines)


MAP = (
    "nr=id,who=user,queued=submit,begin=start,secs=elapsed,cores=cpus,boxes=nodes,wall=limit:h,ram=memory:GB",
    "cards=gpus",
)


def without_tasks(some: Sequence[Job]) -> list[Job]:
    return [replace(job, task=-1) for job in some]
