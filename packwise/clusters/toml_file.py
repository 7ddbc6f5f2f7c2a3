"""Our own cluster files: TOML, a ``[[group]]`` for each sort of nodes, a ``[[partition]]`` for each set of
them, an ``[[outage]]`` for each time that some are out.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from packwise.clusters.amounts import megabytes
from packwise.files.hostlists import hosts
from packwise.files.toml_document import TomlDocument, read_toml
from packwise.files.toml_lines import Place
from packwise.model.cluster import Cluster, NodeGroup, Outage, Partition
from packwise.model.errors import FormatError, InputError, shortened
from packwise.model.workload import CORES
from packwise.readable import parse_duration

_TOP = ("name", "group", "partition", "outage")
_OF_PARTITION = ("name", "number", "groups")
_OF_OUTAGE = ("nodes", "from", "until", "running")
_RUNNING = ("kill", "keep")
#: Singular forms that people write.
_MEANT = {"core": CORES, "cpus": CORES, "cpu": CORES, "mem": "memory", "gpu": "gpus", "mic": "mics"}

EXAMPLE = """
name = "site"

[[group]]
name = "gpu"
count = 32
cores = 16
memory = "16 GB"
gpus = 2
""".strip()


def read_cluster_file(path: str | os.PathLike[str]) -> Cluster:
    """The cluster of a TOML file."""
    return _Reader(read_toml(path, "A cluster file", EXAMPLE)).cluster()


class _Reader:
    def __init__(self, document: TomlDocument) -> None:
        self.path = document.path
        self.values = document.values
        self._check_keys = document.check_keys
        self._whole = document.whole
        self._refuse = document.refuse

    def cluster(self) -> Cluster:
        self._check_keys((), self.values, _TOP)
        groups = [self._group(k, one) for k, one in enumerate(self._tables("group"))]
        if not groups:
            raise InputError(
                f"{self.path}: a cluster needs at least one [[group]] of nodes:\n{EXAMPLE}"
            )
        partitions = [self._partition(k, one) for k, one in enumerate(self._tables("partition"))]
        name = self.values.get("name", os.path.basename(self.path).removesuffix(".toml"))
        if not isinstance(name, str):
            self._refuse(("name",), "a text", repr(name))
        try:
            cluster = Cluster(name, tuple(groups), tuple(partitions))
            outages = [
                self._outage(k, one, cluster) for k, one in enumerate(self._tables("outage"))
            ]
            return replace(cluster, outages=tuple(outages)) if outages else cluster
        except FormatError:
            raise
        except InputError as error:
            raise InputError(f"{self.path}: {error}") from error

    def _tables(self, key: str) -> list[Mapping[str, Any]]:
        found = self.values.get(key, [])
        if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
            self._refuse((key,), f"[[{key}]] tables", shortened(repr(found)))
        return list(found)

    def _group(self, k: int, values: Mapping[str, Any]) -> NodeGroup:
        place: Place = ("group", k)
        name = values.get("name", f"group{k + 1}")
        if not isinstance(name, str):
            self._refuse((*place, "name"), "a text", repr(name))
        shared = values.get("shared", True)
        if not isinstance(shared, bool):
            self._refuse((*place, "shared"), "true or false", repr(shared))
        if "count" not in values:
            self._refuse(place, f"count = N, the nodes of group '{name}'", "none")
        count = self._whole((*place, "count"), values["count"], 1)
        capacity = {}
        for key, value in values.items():
            if key in ("name", "count", "shared"):
                continue
            meant = _MEANT.get(key.lower(), key.lower())
            if meant != key:
                self._refuse((*place, key), f"'{meant}', which jobs ask for", f"'{key}'")
            if key == "memory" and isinstance(value, str):
                amount = megabytes(value)
                if amount is None:
                    self._refuse((*place, key), 'memory such as 16384 (MB) or "16 GB"', repr(value))
                value = amount
            capacity[key] = self._whole((*place, key), value, 0)
        if not capacity.get(CORES):
            self._refuse(place, f"cores = N in group '{name}'", shortened(str(capacity)))
        return NodeGroup(name, count, capacity, shared)

    def _partition(self, k: int, values: Mapping[str, Any]) -> Partition:
        place: Place = ("partition", k)
        self._check_keys(place, values, _OF_PARTITION)
        number = self._whole((*place, "number"), values.get("number", k), 0)
        groups = values.get("groups", [])
        if not isinstance(groups, list) or not all(isinstance(one, str) for one in groups):
            self._refuse(
                (*place, "groups"), 'names of groups, such as ["gpu"]', shortened(repr(groups))
            )
        return Partition(str(values.get("name", number)), number, tuple(groups))

    def _outage(self, k: int, values: Mapping[str, Any], cluster: Cluster) -> Outage:
        place: Place = ("outage", k)
        self._check_keys(place, values, _OF_OUTAGE)
        for key in ("nodes", "from", "until"):
            if key not in values:
                self._refuse(place, f"{key} = ... in each [[outage]]", "none")
        begin, end = (self._moment((*place, key), values[key]) for key in ("from", "until"))
        if end <= begin:
            self._refuse((*place, "until"), f"until to be later than from ({begin} s)", f"{end} s")
        running = values.get("running", "kill")
        if running not in _RUNNING:
            expected = "running to be kill (they wait again, and run from the beginning) or keep"
            self._refuse((*place, "running"), expected, shortened(repr(running)))
        nodes = self._nodes((*place, "nodes"), values["nodes"], cluster)
        return Outage(tuple(nodes), begin, end, running == "kill")

    def _moment(self, place: Place, value: Any) -> int:
        if isinstance(value, str):
            try:
                return parse_duration(value, str(place[-1]))
            except InputError:
                expected = f'{place[-1]} in seconds, or such as "36h" or "7d" after the log begins'
                self._refuse(place, expected, shortened(repr(value)))
        return self._whole(place, value, 0)

    def _nodes(self, place: Place, value: Any, cluster: Cluster) -> list[int]:
        """Nodes from names of groups and nodes, also as lists such as gpu-[1-4]."""
        texts = value if isinstance(value, list) else [value]
        expected = f'nodes such as "{cluster.groups[0].name}" or "{cluster.groups[0].name}-[1-4]"'
        found: set[int] = set()
        for text in texts:
            if not isinstance(text, str):
                self._refuse(place, expected, shortened(repr(value)))
            try:
                names = hosts(text)
            except ValueError as error:
                self._refuse(place, f"{expected} ({error})", shortened(repr(text)))
            for name in names:
                nodes = cluster.nodes_named(name)
                if nodes is None:
                    known = ", ".join(f"{g.name} (1 to {g.count})" for g in cluster.groups)
                    self._refuse(place, f"nodes of the groups {known}", shortened(repr(name)))
                found.update(nodes)
        if not found:
            self._refuse(place, expected, shortened(repr(value)))
        return sorted(found)
