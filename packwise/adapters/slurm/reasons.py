"""Why a job waits, in words: what Slurm says, and what it means here and now."""

from __future__ import annotations

from packwise.adapters.slurm.commands import Command, Runner, SlurmError, run
from packwise.adapters.slurm.queue_text import told
from packwise.adapters.slurm.snapshot import QueuedJob, Snapshot
from packwise.readable import counted

#: What the reasons mean that are not about room. The first part of a reason counts.
_MEANINGS = {
    "Dependency": "it waits for another job to end (--dependency)",
    "DependencyNeverSatisfied": "the job that it waits for has failed or is gone: it will never start. "
    "Cancel it",
    "BeginTime": "it asked to start later (--begin)",
    "JobHeldUser": "it is held by its owner: scontrol release {id} lets it go",
    "JobHeldAdmin": "an administrator holds it: ask the help desk",
    "JobArrayTaskLimit": "its array runs as many tasks at a time as it allows (the number after %)",
    "PartitionDown": "its partition is closed for now",
    "PartitionInactive": "its partition is closed for now",
    "PartitionTimeLimit": "its limit is longer than its partition allows: ask for less time",
    "PartitionNodeLimit": "it asks for more nodes than its partition allows, or has",
    "Licenses": "it waits for a licence that others use",
    "Reservation": "its reservation has not begun, or is full",
    "BadConstraints": "no node is what it asks for: look at its options",
    "InvalidQOS": "its QOS is not known",
    "InvalidAccount": "its account is not known",
    "launch failed requeued held": "it could not be launched and is held: ask the help desk",
}
_LIMITS = {
    "QOS": "a limit of its QOS is reached ({reason})",
    "Assoc": "a limit of its account or user is reached ({reason})",
    "Max": "a limit is reached ({reason})",
}


def why(job: QueuedJob, snapshot: Snapshot, others: str = "") -> list[str]:
    """Sentences, the first about the reason that Slurm gives. ``others``: see ``dependency``."""
    if not job.waiting:
        return [f"it does not wait: its state is {job.state}"]
    if job.eligible > snapshot.now:
        return [_MEANINGS["BeginTime"]]
    reason = job.reason.split(",")[0].strip("() ")
    if reason == "Dependency" and others:
        return [f"it waits for other jobs (--dependency={others})"]
    if reason in _MEANINGS:
        return [_MEANINGS[reason].format(id=job.id)]
    for start, words in _LIMITS.items():
        if reason.startswith(start):
            return [words.format(reason=reason)]
    if not job.for_room:
        return [f"Slurm says: {job.reason}"]
    lines = [_queue(job, _before(job, snapshot)), _room(job, snapshot)]
    if job.reason.startswith("ReqNodeNotAvail"):
        lines.append(
            "nodes that it could use are down, drained or reserved: "
            + ", ".join(_out(job, snapshot)[:8] or ["a reservation"])
        )
    return lines


def dependency(job: QueuedJob, ask: Runner = run) -> str:
    """What is left of what a job waits for, as sbatch is told it: 'afterok:12'; nothing if nobody tells."""
    try:
        answer = ask(Command(("squeue", "-h", "-j", job.handle, "-o", "%E")))
    except SlurmError:
        return ""
    lines = answer.out.splitlines() if answer.code == 0 else []
    return told(lines[0].strip().replace("(unfulfilled)", "")) if lines else ""


def endless(job: QueuedJob, snapshot: Snapshot) -> str:
    """A sentence about those before it who have no limit; nothing if there are none."""
    runs = [one for one in snapshot.jobs if one.running and _compete(one, job)]
    ids = [one.id for one in (*runs, *_before(job, snapshot)) if one.limit <= 0]
    if not ids:
        return ""
    if len(ids) == 1:
        return (
            f"so late because job {ids[0]}, before it, has no limit: nobody can tell when it ends"
        )
    named = ", ".join(ids[:3]) + (", ..." if len(ids) > 3 else "")
    return f"so late because {len(ids)} jobs before it ({named}) have no limit: nobody can tell when they end"


def _before(job: QueuedJob, snapshot: Snapshot) -> list[QueuedJob]:
    """Those who wait for room in its partitions, and come before it."""
    return [
        one
        for one in snapshot.jobs
        if one.for_room and one.id != job.id and _ahead(one, job) and _compete(one, job)
    ]


def _queue(job: QueuedJob, before: list[QueuedJob]) -> str:
    count = len(before)
    if not count:
        return "it is the next one: nobody waits before it"
    higher = sum(one.priority > job.priority for one in before)
    single = count == 1
    who, wait = counted(count, "job"), "waits" if single else "wait"
    if higher == count:
        words = f"{who} with a higher priority {wait} before it"
    elif not higher:
        words = f"{who} of the same priority {wait} before it: {'it' if single else 'they'} came earlier"
    else:
        words = f"{who} {wait} before it, by priority or because they came earlier"
    theirs = sum(one.user == job.user for one in before)
    if not theirs:
        return words
    which = "it" if single else "all of them" if theirs == count else f"{theirs} of them"
    return f"{words}; {which} {'is' if theirs == 1 else 'are'} of the same user"


def _ahead(one: QueuedJob, job: QueuedJob) -> bool:
    return (-one.priority, one.submit, one.raw) < (-job.priority, job.submit, job.raw)


def _compete(one: QueuedJob, job: QueuedJob) -> bool:
    return bool(set(one.partitions) & set(job.partitions))


def _nodes_of(job: QueuedJob, snapshot: Snapshot) -> list[str]:
    """The nodes of its partitions."""
    cluster = snapshot.cluster
    theirs = {
        group for one in cluster.partitions if one.name in job.partitions for group in one.groups
    }
    return [host for group in cluster.groups if group.name in theirs for host in group.hosts]


def _room(job: QueuedJob, snapshot: Snapshot) -> str:
    nodes = [snapshot.nodes[host] for host in _nodes_of(job, snapshot)]
    idle = sum(node.usable and not node.used_cpus for node in nodes)
    free = sum(node.cpus - node.used_cpus for node in nodes if node.usable)
    asked = (
        counted(job.nodes, "whole node")
        if job.alone
        else f"{counted(job.cpus, 'core')} on {counted(job.nodes, 'node')}"
    )
    return (
        f"it asks for {asked}; now {idle} of {counted(len(nodes), 'node')} of its partition "
        f"{'is' if idle == 1 else 'are'} idle, with {counted(free, 'free core')} in all"
    )


def _out(job: QueuedJob, snapshot: Snapshot) -> list[str]:
    return [host for host in _nodes_of(job, snapshot) if not snapshot.nodes[host].usable]
