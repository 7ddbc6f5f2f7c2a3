"""The list-scheduling family: order x option x depth x backfill order, one compiled kernel.

Goponenko et al., DEBS 2024, algorithm 1, and SBAC-PAD 2022, algorithms 1 and 2. A round goes through the
queue in ``order``. A job that fits starts. One that does not stops the round (``strict``), is skipped
(``greedy``), or gets a reservation at the earliest time it can run (``backfill``), for up to ``depth`` jobs;
the others are then tried once in ``backfill_order`` and start where they move none of the reservations.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from packwise.model.cluster import Cluster
from packwise.model.decision import Decision
from packwise.model.energy.cap import PowerCap
from packwise.model.errors import InputError, PolicyFailed
from packwise.model.outlook import outlook
from packwise.model.view import View
from packwise.model.workload import LARGEST, Workload
from packwise.policies.last_round import Seen, nothing_new_fits
from packwise.policies.orders import ORDERS, Order

if TYPE_CHECKING:
    from packwise.engine.expectation import Expectation
    from packwise.engine.nodes.replay import OnNodes
    from packwise.engine.replay import Course, Progress
    from packwise.engine.rules import Rules

FCFS = ORDERS["fcfs"]
OPTIONS = ("strict", "greedy", "backfill")


@dataclass(frozen=True)
class ListPolicy:
    """A point of the family.

    ``depth``: how many waiting jobs get a reservation; 0 greedy, 1 EASY, None unlimited (List-X, JustBF).
    ``tie``: a second order for jobs that are equal in the first.
    ``threshold``: a job that waited longer goes to the head of the queue, first come first served.
    ``cap``: how many jobs from the head of the queue a round looks at.
    ``power_cap``: what the machine may draw: watts, or "scenario" for the cap of the cluster's energy scenario.
    """

    #: What of Packwise it needs compiled: see ``packwise.warm_up``.
    parts: ClassVar[tuple[str, ...]] = ("lists",)
    #: The same for a machine of nodes.
    node_parts: ClassVar[tuple[str, ...]] = ("node-lists",)

    name: str = "list"
    order: Order = FCFS
    tie: Order = FCFS
    option: str = "backfill"
    depth: int | None = None
    backfill_order: Order | None = None
    backfill_tie: Order = FCFS
    threshold: int | None = None
    cap: int | None = None
    power_cap: PowerCap | None = None
    meaning: str = field(default="", compare=False)
    source: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if self.option not in OPTIONS:
            raise InputError(
                f"policy '{self.name}': option should be one of {', '.join(OPTIONS)}, "
                f"found '{self.option}'."
            )
        for name, least in (("depth", 0), ("threshold", 0), ("cap", 1)):
            value = getattr(self, name)
            if value is not None and (
                isinstance(value, bool)
                or not isinstance(value, int)
                or not least <= value <= LARGEST
            ):
                raise InputError(
                    f"policy '{self.name}': {name} should be a whole number of {least} or more, "
                    f"found {value!r}."
                )
        users = {o.function for o in self._orders() if o.function is not None}
        if len(users) > 1:
            raise InputError(
                f"policy '{self.name}': at most one user-defined key function can be used, found "
                f"{len(users)}. Combine them into one."
            )

    def _orders(self) -> tuple[Order, ...]:
        return (self.order, self.tie, self.backfill_order or self.order, self.backfill_tie)

    def rules(self, origin: int) -> Rules:
        """The point as numbers, for the engine; ``origin`` is the time of the first submission."""
        from packwise.engine.rules import Rules
        from packwise.engine.state import NO_TIME, UNLIMITED

        backfill = self.backfill_order or FCFS
        return Rules(
            order=self.order.code,
            tie=self.tie.code,
            reserve=int(self.option == "backfill"),
            strict=int(self.option == "strict"),
            depth=UNLIMITED if self.depth is None else self.depth,
            backfill_order=backfill.code,
            backfill_tie=self.backfill_tie.code,
            reorder=int(self.backfill_order is not None),
            changing=int(self.order.changing or self.tie.changing or self.threshold is not None),
            threshold=NO_TIME if self.threshold is None else self.threshold,
            cap=UNLIMITED if self.cap is None else self.cap,
            origin=origin,
        )

    def _key(self) -> int:
        """The address of the user's key function; 0 if there is none."""
        from packwise.engine.key_function import compile_key

        for candidate in self._orders():
            if candidate.function is not None:
                return int(compile_key(candidate.function, candidate.arguments).address)
        return 0

    def replay(
        self,
        workload: Workload,
        expected: Expectation,
        cluster: Cluster,
        progress: Progress | None = None,
        nodes: OnNodes | None = None,
    ) -> Course:
        """The whole replay inside compiled code."""
        from packwise.engine.replay import Replay
        from packwise.engine.state import CORE, KEY

        if nodes is not None:
            from packwise.engine.nodes.list_round import nodes_list_round
            from packwise.engine.nodes.room import nodes_room

            replay = Replay(workload, expected, cluster, nodes_list_round, nodes_room, nodes=nodes)
        else:
            from packwise.engine.pool.list_round import list_round
            from packwise.engine.pool.room import pool_room

            plans = self.option == "backfill" and self.depth != 0
            replay = Replay(workload, expected, cluster, list_round, pool_room if plans else None)
        replay.state[CORE].rules[:] = self.rules(int(workload.submit[0]))
        replay.counters[KEY] = self._key()
        return replay.run(progress)

    def decide(self, view: View) -> Decision:
        """One round, planned from scratch."""
        from packwise.engine.decide import Asked
        from packwise.engine.kernel import BAD_KEY
        from packwise.engine.state import CORE, KEY

        seen = outlook(view)
        if not seen.queue.size or (self._is_easy and nothing_new_fits(view, view.memory)):
            return Decision(memory=view.memory, never=seen.never)
        on_nodes = view.nodes is not None and view.nodes.matter
        if on_nodes:
            from packwise.engine.nodes.list_round import nodes_list_round as kernel
        else:
            from packwise.engine.pool.list_round import list_round as kernel
        asked = Asked(view, seen, seen.queue, 0)
        asked.state[CORE].rules[:] = self.rules(int(view.submit[0]))
        asked.counters[KEY] = self._key()
        count = asked.ask(kernel)
        if count == BAD_KEY:
            raise PolicyFailed(
                f"policy '{self.name}': the order's key function did not give a finite number at time "
                f"{view.now}. A key should be a finite number for every waiting job."
            )
        places = asked.picked(count)
        start = seen.queue[places]
        later = asked.machine.planned >= 0
        later[places] = False
        planned = asked.machine.planned[later].tolist()
        return Decision(
            start=start,
            planned=dict(zip(seen.queue[later].tolist(), planned, strict=True)),
            memory=Seen.of(view, start) if self._is_easy else None,
            never=seen.never,
            allocation=asked.nodes_of(places) if on_nodes else {},
        )

    @property
    def _is_easy(self) -> bool:
        return self.option == "backfill" and self.depth == 1 and self.order.code == FCFS.code
