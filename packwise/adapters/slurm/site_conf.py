"""The site as it was seen, as a slurm.conf: for replays of what was seen there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from packwise.adapters.slurm.kept_files import read_kept, write_kept
from packwise.adapters.slurm.snapshot import NodeState
from packwise.files.hostlists import hosts

NAME = "site.conf"
_KEPT = re.compile(
    r"(?:ClusterName|SelectTypeParameters|Scheduler\w+|Priority\w+|FairShare\w+)", re.IGNORECASE
)
_PARTITION = (
    "Nodes", "MaxTime", "PriorityJobFactor", "PriorityTier", "OverSubscribe", "Default", "State",
)  # fmt: skip


def site_conf(
    settings: Mapping[str, str],
    nodes: Iterable[NodeState],
    partitions: Iterable[Mapping[str, str]],
) -> str:
    """The lines that Packwise reads of a slurm.conf."""
    lines = ["# what Packwise saw of the site, for replays; not a file for Slurm"]
    lines += [
        f"{key}={value}"
        for key, value in settings.items()
        if _KEPT.fullmatch(key) and "\n" not in value
    ]
    known = {node.name: node for node in nodes if node.cpus}
    for node in known.values():
        parts = [f"NodeName={node.name}", f"CPUs={node.cpus}", f"RealMemory={node.memory}"]
        parts += [f"Gres=gpu:{node.gpus}"] if node.gpus else []
        parts += [f"Feature={','.join(node.features)}"] if node.features else []
        lines.append(" ".join([*parts, f"Weight={node.weight}"]))
    for one in partitions:
        try:
            theirs = [name for name in hosts(one.get("nodes", "")) if name in known]
        except ValueError:
            theirs = []
        if not theirs:
            continue
        one = {**one, "nodes": ",".join(theirs)}
        told = [f"{key}={one[key.lower()]}" for key in _PARTITION if one.get(key.lower())]
        lines.append(" ".join([f"PartitionName={one['partitionname']}", *told]))
    return "\n".join(lines) + "\n"


def keep_site(folder: Path, text: str) -> None:
    """Write it, if it has changed."""
    with suppress(OSError):
        if read_kept(folder, NAME).decode(errors="replace") == text:
            return
    with write_kept(folder, NAME) as file:
        file.write(text.encode())
