"""What there is to say of a machine of nodes besides a result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from packwise.model.cluster import Cluster
    from packwise.workloads.trace import Trace


def machine_remarks(loaded: Trace, placement: str | None) -> list[str]:
    """Where units go, and who has no place on the nodes at all."""
    from packwise.model.demands import misfits, nodes_matter
    from packwise.model.placement import DEFAULT_PLACEMENT

    cluster = loaded.cluster
    if cluster.is_pool:
        return []
    which, reason = misfits(loaded.workload, cluster)
    lines = [f"placement: {placement or DEFAULT_PLACEMENT}"]
    fitting = loaded.workload if not which.any() else loaded.workload.select(~which)
    if not nodes_matter(fitting, cluster):
        lines.append("the nodes do not matter: any cores will do, as on a pool")
    if which.any():
        lines.append(f"rejected, as no node or too few have room: {int(which.sum()):,} ({reason})")
    return lines


def machine_facts(cluster: Cluster) -> dict[str, Any]:
    """A cluster of nodes for JSON."""
    if cluster.is_pool:
        return {}
    totals = cluster.capacity().sum(axis=0).tolist()
    return {
        "cluster": cluster.name,
        "nodes": cluster.nodes,
        "resources": dict(zip(cluster.resources, totals, strict=True)),
    }
