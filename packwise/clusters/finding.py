"""A cluster by the name of a preset, or from a file."""

from __future__ import annotations

from pathlib import Path

from packwise.clusters.node_table import read_node_table
from packwise.clusters.presets import PRESETS
from packwise.clusters.slurm_conf import read_slurm_conf
from packwise.clusters.toml_file import read_cluster_file
from packwise.model.cluster import Cluster
from packwise.model.errors import InputError, UnknownName


def find_cluster(name: str) -> Cluster:
    """A preset, a cluster file (.toml), a slurm.conf, or a table of nodes (.csv)."""
    if name.lower() in PRESETS:
        return PRESETS[name.lower()]
    path = Path(name)
    if not path.suffix and len(path.parts) == 1 and not path.exists():
        raise UnknownName("cluster", name, PRESETS, remedy="Or name a file: site.toml, slurm.conf.")
    if path.suffix == ".conf":
        return read_slurm_conf(path)
    if path.suffix == ".toml":
        return read_cluster_file(path)
    if path.name.endswith((".csv", ".csv.gz")):
        return read_node_table(path)
    raise InputError(
        f"{name}: expected a preset ({', '.join(PRESETS)}), a cluster file that ends in .toml, a slurm.conf, "
        "or a table of nodes that ends in .csv."
    )
