"""Drive: a short reservation over the nodes, renewed while we live, into which jobs are let when their turn is.

It is a lease: if nobody renews it, it ends by itself, and Slurm schedules everything as if it had never been
there. Nothing is held.
"""

from __future__ import annotations

from contextlib import suppress

from packwise.adapters.slurm.commands import Command
from packwise.adapters.slurm.ledger import Admitted, Ledger
from packwise.adapters.slurm.modes.mode import Planned, Wish
from packwise.adapters.slurm.snapshot import QueuedJob, Snapshot
from packwise.adapters.slurm.writer import (
    create_reservation,
    let_in,
    renew_reservation,
    turn_out,
)
from packwise.files.hostlists import hosts
from packwise.model.errors import InputError

#: Who was let in and has not started by then is turned out again, and passed over for a while.
PATIENCE, REST = 30, 120
SHORTEST_LEASE = 10


class Drive:
    """``lease``: seconds for which nodes are kept at a time. ``kept_out``: an account that has no jobs, whom
    the reservation names as the only one that may not use it. ``dry_run``: nobody will make the reservation,
    and who would be let into it is told all the same.
    """

    name = "drive"

    def __init__(
        self,
        partitions: frozenset[str] | None = None,
        lease: int = 60,
        reservation: str = "packwise",
        kept_out: str = "nobody",
        dry_run: bool = False,
    ) -> None:
        if lease < SHORTEST_LEASE:
            raise InputError(
                f"--lease should be {SHORTEST_LEASE} s or more, found {lease}: it has to outlast a round."
            )
        create_reservation(reservation, (), lease, kept_out)  # refuses names that cannot be
        self.partitions = partitions
        self.own = reservation
        self.lease = lease
        self._kept_out = kept_out
        self._dry_run = dry_run
        #: By how much the controller's clock is ahead of ours, in seconds.
        self.skew = 0
        #: Since when we look, by the controller's clock, and whom we have let in since then, or told of.
        self._since = -1
        self._let_in: set[str] = set()

    def nodes(self, snapshot: Snapshot) -> list[str]:
        """The nodes of the partitions that are driven."""
        cluster = snapshot.cluster
        chosen = [
            one
            for one in cluster.partitions
            if self.partitions is None or one.name in self.partitions
        ]
        theirs = {group for one in chosen for group in one.groups}
        return [host for group in cluster.groups if group.name in theirs for host in group.hosts]

    def check(self, snapshot: Snapshot) -> None:
        """Refuse to take nodes from partitions that are not driven."""
        if self.partitions is None:
            return
        known = {one.name for one in snapshot.cluster.partitions}
        missing = sorted(self.partitions - known)
        if missing:
            raise InputError(
                f"there is no partition '{missing[0]}'; there are {', '.join(sorted(known))}."
            )
        mine = set(self.nodes(snapshot))
        for one in snapshot.cluster.partitions:
            others = {
                host
                for group in snapshot.cluster.groups
                if group.name in one.groups
                for host in group.hosts
            }
            if one.name not in self.partitions and others & mine:
                raise InputError(
                    f"partition '{one.name}' shares {len(others & mine)} node(s) with those to be driven, and "
                    f"its jobs would be kept off them. Drive it, too: --partition "
                    f"{','.join(sorted({*self.partitions, one.name}))}."
                )

    def _of_nobody_else(self, snapshot: Snapshot, notes: list[str]) -> list[str]:
        """The nodes without those that others have reserved, now or soon: Slurm reserves none twice."""
        soon = snapshot.now + 2 * self.lease
        taken: set[str] = set()
        for one in snapshot.reservations:
            if one.name != self.own and one.begin <= soon and one.end > snapshot.now:
                with suppress(ValueError):
                    taken |= set(hosts(one.nodes))
        mine = self.nodes(snapshot)
        left = [node for node in mine if node not in taken]
        if len(left) < len(mine):
            notes.append(f"{len(mine) - len(left)} nodes are reserved by others, and left to them")
        return left

    def act(self, planned: Planned, ledger: Ledger) -> Wish:
        """Keep the nodes, let in whose turn it is, turn out who should not be in."""
        now = planned.shown.view.now
        self.skew = planned.snapshot.skew
        self.check(planned.snapshot)  # partitions change, too
        ledger.ours.reservation = self.own
        commands: list[Command] = []
        notes: list[str] = []
        mine = self._of_nobody_else(planned.snapshot, notes)
        there = [one for one in planned.snapshot.reservations if one.name == self.own]
        made = not there or _listed(there[0].nodes) != set(mine)
        if there and made:
            notes.append("the nodes have changed: the reservation lapses, and is made anew")
            commands.append(renew_reservation(self.own, 1 + self.skew))
        elif made and mine:
            notes.append(
                f"reservation '{self.own}' made for {len(mine)} nodes, {self.lease} s at a time"
            )
            commands.append(
                create_reservation(self.own, mine, self.lease + self.skew, self._kept_out)
            )
        out = self._to_turn_out(planned, ledger, notes)
        commands += turn_out(out)
        chosen: dict[str, list[str]] = {}
        # While the nodes are not ours yet Slurm may start jobs: nobody is touched who may have started.
        ready = self._dry_run or (bool(there) and there[0].active and not made)
        for number in planned.ruling.start.tolist() if ready else ():
            job = planned.job(number)
            if job.handle in out or self._refused(job, now, ledger, notes):
                continue
            where = planned.ruling.allocation.get(number, {})
            # Nodes that users have asked for themselves stay as they are.
            nodes = [] if job.required else [planned.shown.hosts[node] for node in sorted(where)]
            # More than it asks for, Slurm would refuse; it finds them by itself then.
            nodes = nodes if len(nodes) <= job.nodes else []
            chosen[job.id] = nodes
            known = ledger.admitted.get(job.id)
            since = now if known is None or known.since is None else known.since
            ledger.admitted[job.id] = Admitted(since, ",".join(nodes) or job.required)
            if nodes:
                ledger.ours.name(job.id, ",".join(nodes), now)
        for job in planned.snapshot.jobs:
            if job.reservation != self.own and job.id not in chosen and job.handle not in out:
                ledger.admitted.pop(job.id, None)
        if ready:
            chosen |= self._parts(planned.snapshot, notes)
        self._tell_others(planned.snapshot, ledger, notes)
        self._let_in |= set(chosen)
        return Wish([*commands, *let_in(chosen, self.own)], notes)

    def _tell_others(self, snapshot: Snapshot, ledger: Ledger, notes: list[str]) -> None:
        """Say who has started in our reservation without us, since we look."""
        if self._since < 0:
            self._since = snapshot.now
        there = {job.handle for job in snapshot.jobs}
        self._let_in &= there
        for job in snapshot.jobs:
            known = job.handle in self._let_in or job.id in ledger.ours.nodes
            if (
                job.running
                and job.reservation == self.own
                and not known
                and job.start > self._since
            ):
                notes.append(
                    f"job {job.id} of {job.user} names our reservation, and has started before anybody saw it: "
                    "the guard keeps users from that (`packwise slurm guard`)"
                )
                self._let_in.add(job.handle)

    def _parts(self, snapshot: Snapshot, notes: list[str]) -> dict[str, list[str]]:
        """Parts of heterogeneous jobs: no policy plans them, so they are let in, and Slurm finds room."""
        found: dict[str, list[str]] = {}
        for job in snapshot.jobs:
            mine = self.partitions is None or self.partitions & set(job.partitions)
            if job.handle != job.id and mine and not job.reservation and job.wants_room:
                notes.append(
                    f"job {job.id} is a part of a heterogeneous one: Slurm finds room for it"
                )
                found[job.handle] = []
        return found

    def _to_turn_out(self, planned: Planned, ledger: Ledger, notes: list[str]) -> dict[str, bool]:
        """Jobs that are in the reservation and should not be, and whether nodes were named for them."""
        now = planned.shown.view.now
        found: dict[str, bool] = {}
        for job in planned.snapshot.jobs:
            known = ledger.admitted.get(job.id)
            if not job.waiting or (job.handle != job.id and job.wants_room):
                continue
            named = ledger.ours.named(job)
            if known is not None and known.since is None:
                known = ledger.admitted[job.id] = known._replace(since=now)
            if job.reservation != self.own:
                if not job.reservation and named:
                    notes.append(
                        f"job {job.id} has to have nodes that were named for it before: they are open again"
                    )
                    found[job.handle] = True
                    if known is not None:
                        ledger.admitted[job.id] = known._replace(since=now)
                continue
            if job.reason.startswith("BadConstraints"):
                notes.append(
                    f"job {job.id} cannot run where it was let in any more (its nodes have changed), and Slurm "
                    "holds it: it is taken out again, which lets it go"
                )
                found[job.handle] = named
                ledger.resting[job.id] = now + REST
            elif known is None:
                notes.append(
                    f"job {job.id} of {job.user} names our reservation, and is taken out of it"
                )
                found[job.handle] = named
            elif ledger.resting.get(job.id, 0) > now:
                found[job.handle] = named  # it could not be told last time
            elif known.since is not None and now - known.since > PATIENCE:
                notes.append(
                    f"job {job.id} was let in {now - known.since} s ago and has not started "
                    f"({job.reason}): it is passed over for {REST} s"
                )
                # It stays in the ledger until it is seen outside: who was given nodes has to lose them.
                found[job.handle] = named
                ledger.resting[job.id] = now + REST
        return found

    def _refused(self, job: QueuedJob, now: int, ledger: Ledger, notes: list[str]) -> bool:
        """Whether Slurm has refused to let a job in all along: then it is passed over for a while."""
        known = ledger.admitted.get(job.id)
        if known is None or known.since is None or now - known.since <= PATIENCE:
            return False
        notes.append(f"job {job.id} could not be let in: it is passed over for {REST} s")
        ledger.resting[job.id] = now + REST
        return True

    def heartbeat(self) -> Command:
        """Keep the nodes for another lease."""
        return renew_reservation(self.own, self.lease + self.skew)

    def give_back(self, snapshot: Snapshot | None, ledger: Ledger) -> list[Command]:
        """Everything, now."""
        return give_nodes_back(snapshot, self.own, ledger, self.skew)


def _listed(nodes: str) -> set[str] | None:
    """The nodes of a list; None if it cannot be read."""
    try:
        return set(hosts(nodes))
    except ValueError:
        return None


def give_nodes_back(
    snapshot: Snapshot | None, own: str, ledger: Ledger, skew: int = 0
) -> list[Command]:
    """Take all jobs that still wait out of our reservation, and end it."""
    out: dict[str, bool] = {}
    there = True
    if snapshot is not None:
        there = any(one.name == own for one in snapshot.reservations)
        for job in snapshot.jobs:
            named = ledger.ours.named(job)
            # One whose reservation has lapsed already may still have the nodes that we named.
            if job.waiting and (job.reservation == own or (named and not job.reservation)):
                out[job.handle] = named
    if not there:
        return turn_out(out)
    # It cannot be deleted while jobs run in it; they go on when it has ended.
    return [*turn_out(out), renew_reservation(own, 1 + skew)]
