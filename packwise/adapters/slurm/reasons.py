"""Why a job waits, in words: what Slurm says, and what it means here and now."""

from __future__ import annotations

from packwise.adapters.slurm.snapshot import QueuedJob, Snapshot

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


def why(job: QueuedJob, snapshot: Snapshot) -> list[str]:
    """Sentences, the first about the reason that Slurm gives."""
    if not job.waiting:
        return [f"it does not wait: its state is {job.state}"]
    if job.eligible > snapshot.now:
        return [_MEANINGS["BeginTime"]]
    reason = job.reason.split(",")[0].strip("() ")
    if reason in _MEANINGS:
        return [_MEANINGS[reason].format(id=job.id)]
    for start, words in _LIMITS.items():
        if reason.startswith(start):
            return [words.format(reason=reason)]
    if not job.for_room:
        return [f"Slurm says: {job.reason}"]
    lines = []
    before = [
        one
        for one in snapshot.jobs
        if one.for_room and one.id != job.id and _ahead(one, job) and _compete(one, job)
    ]
    if before:
        theirs = sum(one.user == job.user for one in before)
        own = f", {theirs} of them of the same user" if theirs else ""
        lines.append(f"{len(before)} jobs with a higher priority wait before it{own}")
    else:
        lines.append("it is the next one: nobody with a higher priority waits before it")
    lines.append(_room(job, snapshot))
    if job.reason.startswith("ReqNodeNotAvail"):
        lines.append(
            "nodes that it could use are down, drained or reserved: "
            + ", ".join(_out(job, snapshot)[:8] or ["a reservation"])
        )
    return lines


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
        f"{job.nodes} whole node(s)" if job.alone else f"{job.cpus} core(s) on {job.nodes} node(s)"
    )
    return (
        f"it asks for {asked}; now {idle} of {len(nodes)} nodes of its partition are idle, with {free} free "
        "cores in all"
    )


def _out(job: QueuedJob, snapshot: Snapshot) -> list[str]:
    return [host for host in _nodes_of(job, snapshot) if not snapshot.nodes[host].usable]
