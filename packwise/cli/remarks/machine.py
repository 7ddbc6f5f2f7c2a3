"""What there is to say of a machine of nodes besides a result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from packwise.model.cluster import Cluster
    from packwise.model.decision import Policy
    from packwise.model.run import Run
    from packwise.workloads.trace import Trace


def machine_remarks(
    loaded: Trace, placement: str | None, policies: Iterable[Policy] = ()
) -> list[str]:
    """Where units go, and who has no place on the nodes at all. To some of the ``policies`` nodes always
    matter.
    """
    from packwise.model.demands import misfits, nodes_matter
    from packwise.model.placement import DEFAULT_PLACEMENT, placement_for
    from packwise.model.slurm_settings import NOT_FOLLOWED
    from packwise.policies.slurm import SlurmPolicy

    cluster = loaded.cluster
    if cluster.is_pool:
        return []
    which, reason = misfits(loaded.workload, cluster)
    policies = list(policies)
    rules = {placement_for(policy, None): policy.name for policy in policies}
    words = ", ".join(f"{rule} ({name})" for rule, name in rules.items()) if len(rules) > 1 else ""
    lines = [f"placement: {placement or words or next(iter(rules), DEFAULT_PLACEMENT)}"]
    unknown = cluster.scheduler.get(NOT_FOLLOWED)
    if unknown and any(isinstance(policy, SlurmPolicy) for policy in policies):
        lines.append(f"settings of '{cluster.name}' that slurm does not follow here: {unknown}")
    fitting = loaded.workload if not which.any() else loaded.workload.select(~which)
    always = any(getattr(policy, "nodes_matter", False) for policy in policies)
    if not always and not nodes_matter(fitting, cluster):
        lines.append("the nodes do not matter: any cores will do, as on a pool")
    if which.any():
        lines.append(f"rejected, as no node or too few have room: {int(which.sum()):,} ({reason})")
    return lines


def outage_remarks(run: Run, whose: str = "") -> list[str]:
    """What outages have cost; nothing, if there were none."""
    lost = run.interrupted
    if lost is None or not run.cluster.outages:
        return []
    end = int(run.schedule.end.max(initial=0))
    count = sum(outage.begin < end for outage in run.cluster.outages)
    said = f"{count} outage{'s' * (count != 1)} of nodes before the last job ended"
    if not len(lost):
        return [f"{whose}{said}: no job was killed"]
    jobs = len(set(lost.job.tolist()))
    hours = float((lost.end - lost.start) @ run.workload.demand[lost.job]) / 3600
    return [
        f"{whose}{said}: {len(lost):,} run(s) of {jobs:,} job(s) were killed and begun again, "
        f"{hours:,.1f} core-hours lost"
    ]


def sleep_remarks(run: Run, whose: str = "") -> list[str]:
    """Who has waited for nodes to boot; nothing, if none sleep."""
    from packwise.readable import duration

    if run.booting is None:
        return []
    late = run.booting[run.booting > 0]
    if not late.size:
        return [f"{whose}nodes sleep: no job had to wait for one to boot"]
    return [
        f"{whose}nodes sleep: {late.size:,} of {len(run.booting):,} job(s) waited for some to boot, up to "
        f"{duration(int(late.max()))}"
    ]


def print_lead(cluster: Cluster) -> None:
    """Before everything else: that nothing of what follows is a gain, and why. Nothing, without a doubt."""
    from packwise.cli.terminal import stdout

    if cluster.sizing.lead:
        stdout().print(cluster.sizing.lead, style="yellow", markup=False)
        stdout().print()


def machine_facts(cluster: Cluster) -> dict[str, Any]:
    """A machine for JSON: how its size is known, and its nodes."""
    sizing = {"sizing": cluster.sizing._asdict()}
    if cluster.is_pool:
        return sizing
    totals = cluster.capacity().sum(axis=0).tolist()
    return {
        **sizing,
        "cluster": cluster.name,
        "nodes": cluster.nodes,
        "resources": dict(zip(cluster.resources, totals, strict=True)),
    }
