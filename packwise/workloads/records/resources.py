"""Processors, nodes, memory and GPUs of each record, from whichever of its columns tell them.

What a job had goes before what it asked for: a job that asked for 16 processors and had its nodes to itself
occupied all of them. Processors that were asked for stand in only where no column tells those that jobs had.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from packwise.model.workload import LARGEST, UNKNOWN, Ints
from packwise.workloads.records.values import WRONG


def resources(found: Mapping[str, Ints], length: int) -> dict[str, Ints]:
    """The columns ``cpus``, ``nodes``, ``memory`` (MB of the job), ``gpus`` and ``req_nodes``."""
    nothing = np.full(length, UNKNOWN, np.int64)

    def column(name: str) -> Ints:
        return found.get(name, nothing)

    cpus = _first(column("had_cpus"), column("cpus"))
    if not {"had_cpus", "cpus"} & found.keys():
        cpus = _first(column("asked_cpus"), column("req_cpus"))
    each = column("cpus_per_node")
    spread = np.where((each > 0) & (cpus > 0), -(-cpus // np.maximum(each, 1)), UNKNOWN)
    nodes = _first(column("had_nodes"), column("nodes"), column("asked_nodes"), spread)
    on = np.maximum(nodes, 1)
    shares = np.choose(
        column("req_mem_each").clip(0, 2), [np.ones_like(on), on, np.maximum(cpus, 1)]
    )
    memory = _first(
        column("had_memory"),
        column("memory"),
        _times(column("memory_each_cpu"), np.maximum(cpus, 1)),
        _times(column("memory_each_node"), on),
        column("asked_memory"),
        _times(column("req_mem"), shares),
        least=0,
    )
    cards = _first(column("had_gpus"), column("gpus"), column("asked_gpus"), least=0)
    spread_cards = _times(column("gres"), on)
    neither = (cards < 0) & (spread_cards < 0)
    gpus = np.where(neither, np.minimum(cards, spread_cards), np.maximum(cards, spread_cards))
    asked = _first(column("req_nodes"), column("asked_nodes"))
    return {"cpus": cpus, "nodes": nodes, "memory": memory, "gpus": gpus, "req_nodes": asked}


def _first(*columns: Ints, least: int = 1) -> Ints:
    """The first number that is told. One that cannot be read is WRONG if no other column helps."""
    found = columns[-1]
    for column in reversed(columns[:-1]):
        found = np.where((column >= least) | ((column == WRONG) & (found < least)), column, found)
    return found


def _times(amounts: Ints, of_each: Ints) -> Ints:
    """WRONG where it is more than there can be."""
    known = amounts >= 0
    fits = known & (amounts <= LARGEST // np.maximum(of_each, 1))
    product = np.where(fits, amounts, 0) * np.where(fits, of_each, 0)
    return np.where(fits, product, np.where(known, WRONG, amounts))
