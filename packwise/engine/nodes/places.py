"""Where the units of a job go: how many fit on each node, and the rules of placement.

``choose`` leaves the nodes in ``nodes.chosen`` and the units on each in ``nodes.chosen_units``. Nodes that a
rule likes equally come in the order of their numbers.
"""

from __future__ import annotations

from packwise.compiled import apart, inlined
from packwise.engine.heap import heap_pop, heap_push
from packwise.engine.nodes.cap import has_power
from packwise.engine.nodes.cells import begin_at, units_between, units_in
from packwise.engine.nodes.group import CAPPED, RELEASED, RING, RULE

# The rules of placement, in the order of ``packwise.model.placement``
FIRST_FIT, BEST_FIT, CONSOLIDATE, BALANCED, SCARCE_LAST = range(5)

#: More units of a kind on one node are not told apart: where there may be as many, all has to be looked at.
MANY = 2**20
#: Shares of a node are compared in so many parts.
PARTS = 1024


@inlined
def may_fit(nodes, kind, units, now):
    """Whether so many units of a kind could be placed now, were there no plan: False is for sure, True is to be
    looked at.

    A bound is enough: what fitted when it was counted, and all that fits on the nodes on which something became
    free since then.
    """
    seen = nodes.numbers[RELEASED]
    since = seen - nodes.seen[kind]
    if since > min(RING, nodes.head.size // 2):
        count_again(nodes, kind, now)
    else:
        for k in range(nodes.seen[kind], seen):
            nodes.room[kind] += units_on(nodes, nodes.released[k % RING], kind, now)
    nodes.seen[kind] = seen
    return units <= nodes.room[kind] or nodes.room[kind] >= MANY


@inlined
def units_on(nodes, node, kind, now):
    """How many units of a kind there is room for on a node at this moment."""
    if not nodes.open[nodes.where[kind], node]:
        return 0
    return units_in(nodes, begin_at(nodes, node, now), kind, MANY)


@inlined
def note_release(nodes, job):
    """What a job has on its nodes becomes free."""
    first = nodes.first[job]
    for i in range(first, first + nodes.held[job]):
        nodes.released[nodes.numbers[RELEASED] % RING] = nodes.node[i]
        nodes.numbers[RELEASED] += 1


@apart
def count_again(nodes, kind, now):
    """Count exactly what there is room for now."""
    nodes.room[kind] = 0
    row = nodes.where[kind]
    for i in range(nodes.begin[row], nodes.end[row]):
        nodes.room[kind] += units_on(nodes, nodes.listed[i], kind, now)


@apart
def fits_now(nodes, job, now, end):
    """Whether a job fits from now until ``end``: how many of its units each node could have goes to
    ``nodes.fit``. With first fit, counting stops when all have a place.
    """
    units = nodes.units[job]
    kind = nodes.kind[job]
    enough = units if nodes.numbers[RULE] == FIRST_FIT else -1
    total = 0
    row = nodes.where[kind]
    for i in range(nodes.begin[row], nodes.end[row]):
        node = nodes.listed[i]
        nodes.fit[node] = 0
        if total != enough:
            cell = begin_at(nodes, node, now)
            most = units - total if enough > 0 else units
            nodes.fit[node] = units_between(nodes, cell, kind, most, now, end)
            total += nodes.fit[node]
    if total < units:
        return False
    return not nodes.numbers[CAPPED] or has_power(nodes, job, now, now, end - now)


@inlined
def liking(nodes, kind, node, rule):
    """What a rule of placement goes by: nodes with the smallest first. The chain of the node begins now."""
    if rule == FIRST_FIT:
        return 0
    if rule == BEST_FIT:
        return units_in(nodes, nodes.head[node], kind, MANY)
    # On a live cluster a node may be free beyond its capacity, or taken beyond it.
    idle = max(PARTS - busy(nodes, kind, node, 0), 0)
    return idle if rule == CONSOLIDATE else scarcity(nodes, kind, node) * (2 * PARTS) + idle


@inlined
def busy(nodes, kind, node, more):
    """The largest share of anything on a node that is taken at present, with so many units more."""
    used = 0
    cell = nodes.head[node]
    for r in range(nodes.rare.size - 1):
        there = nodes.capacity[node, r]
        if there > 0:
            taken = there - nodes.free[cell, r] + more * nodes.needs[kind, r]
            used = max(used, PARTS * taken // there)
    return used


@inlined
def scarcity(nodes, kind, node):
    """How scarce what is free on a node and a unit does not need is: the more, the more jobs ask for it and the
    fewer nodes have it.
    """
    total = 0
    for r in range(nodes.rare.size - 1):
        if nodes.needs[kind, r] == 0 and nodes.free[nodes.head[node], r] > 0:
            total += nodes.asked[r] * nodes.rare[r]
    return total


@apart
def choose(nodes, job, rule, reserving):
    """Choose nodes for the units of a job, out of those that ``nodes.fit`` has room on. Returns how many nodes.

    ``reserving``: for a start that is not now. Then, whatever the rule, the busiest nodes come first, so that
    the others stay open to those who could start now; only rare nodes are still avoided.
    """
    kind = nodes.kind[job]
    left = nodes.units[job]
    row = nodes.where[kind]
    if rule == FIRST_FIT and not reserving:
        count = 0
        i = nodes.begin[row]
        while left > 0 and i < nodes.end[row]:
            node = nodes.listed[i]
            if nodes.fit[node] > 0:
                nodes.chosen[count] = node
                nodes.chosen_units[count] = min(nodes.fit[node], left)
                left -= nodes.chosen_units[count]
                count += 1
            i += 1
        return count
    if rule == BALANCED and not reserving:
        return spread(nodes, kind, left)
    if reserving and rule != SCARCE_LAST:
        rule = CONSOLIDATE
    size = 0
    for i in range(nodes.begin[row], nodes.end[row]):
        node = nodes.listed[i]
        if nodes.fit[node] > 0:
            heap_push(nodes.heap_key, nodes.heap_node, size, liking(nodes, kind, node, rule), node)
            size += 1
    count = 0
    while left > 0 and size > 0:
        node = nodes.heap_node[0]
        heap_pop(nodes.heap_key, nodes.heap_node, size)
        size -= 1
        nodes.chosen[count] = node
        nodes.chosen_units[count] = min(nodes.fit[node], left)
        left -= nodes.chosen_units[count]
        count += 1
    return count


@inlined
def spread(nodes, kind, left):
    """Choose the least busy node for one unit after the other. Returns how many nodes."""
    size = 0
    row = nodes.where[kind]
    for i in range(nodes.begin[row], nodes.end[row]):
        node = nodes.listed[i]
        nodes.cursor[node] = 0
        if nodes.fit[node] > 0:
            heap_push(nodes.heap_key, nodes.heap_node, size, busy(nodes, kind, node, 0), node)
            size += 1
    while left > 0 and size > 0:
        node = nodes.heap_node[0]
        heap_pop(nodes.heap_key, nodes.heap_node, size)
        size -= 1
        nodes.cursor[node] += 1
        left -= 1
        given = nodes.cursor[node]
        if given < nodes.fit[node]:
            heap_push(nodes.heap_key, nodes.heap_node, size, busy(nodes, kind, node, given), node)
            size += 1
    count = 0
    for i in range(nodes.begin[row], nodes.end[row]):
        node = nodes.listed[i]
        if nodes.cursor[node] > 0:
            nodes.chosen[count] = node
            nodes.chosen_units[count] = nodes.cursor[node]
            count += 1
    return count


@inlined
def settle(nodes, job, count):
    """Let a job have the chosen nodes."""
    first = nodes.first[job]
    nodes.held[job] = count
    for i in range(count):
        nodes.node[first + i] = nodes.chosen[i]
        nodes.share[first + i] = nodes.chosen_units[i]
