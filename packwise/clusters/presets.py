"""Clusters that everybody may use by name."""

from __future__ import annotations

from packwise.model.cluster import Cluster, NodeGroup

_GB = 1024

#: CINECA's Eurora and KIT's ForHLR II, as Galleguillos, Kiziltan and Soto describe them (CP 2021, section 4).
#: The nodes of Eurora are in the order of its log: first those with MICs, then those with GPUs.
PRESETS = {
    "eurora": Cluster(
        "eurora",
        (
            NodeGroup("mic", 32, {"cores": 16, "memory": 16 * _GB, "mics": 2}),
            NodeGroup("gpu", 32, {"cores": 16, "memory": 16 * _GB, "gpus": 2}),
        ),
    ),
    "kit-fh2": Cluster(
        "kit-fh2",
        (
            NodeGroup("thin", 1152, {"cores": 20, "memory": 64 * _GB}),
            NodeGroup("fat", 21, {"cores": 48, "memory": 1024 * _GB, "gpus": 4}),
        ),
    ),
}
