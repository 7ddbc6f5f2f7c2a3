"""The live scheduler: read, plan, check, send, write down; again and again, one thing at a time."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

from packwise.adapters.slurm import state_file
from packwise.adapters.slurm.commands import SlurmError
from packwise.adapters.slurm.cycle import Cycle
from packwise.adapters.slurm.forecaster import Forecaster
from packwise.adapters.slurm.journal import Journal
from packwise.adapters.slurm.ledger import Ledger, Shown
from packwise.adapters.slurm.modes.mode import Mode, Planned, planned_starts
from packwise.adapters.slurm.ours import save_ours
from packwise.adapters.slurm.reader import SlurmReader
from packwise.adapters.slurm.seen import SeenJobs
from packwise.adapters.slurm.sending import Sent
from packwise.adapters.slurm.site_conf import keep_site
from packwise.adapters.slurm.snapshot import Snapshot
from packwise.adapters.slurm.status import failing, status, write_status
from packwise.adapters.slurm.writer import SlurmWriter, site_factors
from packwise.model.blame import place_of
from packwise.model.decision import Decision, Policy
from packwise.model.errors import InputError, OutputError, PackwiseError, PolicyFailed
from packwise.model.referee import Referee
from packwise.optimise.moment import PlansWhenAsked

#: Asking Slurm takes so much of the time at most: admins hate pollers.
_SHARE = 0.1
#: The longest wait after failures.
_LONGEST = 60.0
#: The longest interval: a day.
_RAREST = 86400.0
#: A policy may fail so often in a row.
_FAILURES = 3


class Live:
    """Runs a policy on a live Slurm in one of the modes."""

    def __init__(
        self,
        reader: SlurmReader,
        writer: SlurmWriter,
        policy: Policy,
        mode: Mode,
        journal: Journal,
        folder: Path,
        *,
        interval: float = 10.0,
        ledger: Ledger | None = None,
        forecaster: Forecaster | None = None,
    ) -> None:
        if not 0 < interval <= _RAREST:
            raise InputError(
                f"--interval should be more than 0 s and {_RAREST:g} s at most, found {interval:g}."
            )
        self.reader = reader
        self.writer = writer
        self.policy = policy
        self.mode = mode
        self.journal = journal
        self.ledger = ledger or Ledger()
        self.interval = interval
        self.cycles = 0
        self.skipped = 0
        self.health: dict[str, str] = {}
        #: P10, P50 and P90 of the starts of those who wait, by id.
        self.forecast: dict[str, tuple[int, int, int]] = {}
        #: The status as it was told last.
        self.shown: dict[str, Any] | None = None
        self._folder = folder
        self._seen = SeenJobs(folder)
        self._forecaster = forecaster
        self._failures = 0
        self._silent = 0
        self._asked = (0.0, 0.0)
        self._last: dict[str, Any] = {}
        self._planned_at = time.monotonic()
        #: What could not be given back at the end, in words.
        self.left: list[str] = []

    @property
    def _untrue(self) -> str:
        return "dry run: " if self.writer.dry_run else ""

    def cycle(self) -> Cycle:
        """Once round. SlurmError if Slurm does not answer, PackwiseError if the policy is at fault."""
        begin = time.perf_counter()
        snapshot = self.reader.snapshot()
        shown = self.ledger.show(snapshot, self.mode.partitions)
        read = time.perf_counter() - begin
        decision, planned = self._planned(snapshot, shown)
        plan = time.perf_counter() - begin - read
        before = dict(self.ledger.ours.factors)
        wish = self.mode.act(planned, self.ledger)
        self._write_down(planned, wish.notes, read, plan)
        if self.writer.dry_run:  # nothing becomes ours
            self.ledger.ours.factors = before
        elif wish.factors:
            self._keep()  # what is ours is known, whatever becomes of us now
        sent = self._send(wish.factors)
        self.ledger.memory = decision.memory
        whole = time.perf_counter() - begin
        self.cycles += 1
        self._asked = (self._asked[1], whole - plan)
        self._keep(snapshot)
        if self.shown is not None:  # the first plan does not wait for a forecast
            self._foresee(snapshot)
        found = Cycle(planned, tuple(sent), tuple(wish.notes), read, plan, whole - read - plan)
        self._planned_at = time.monotonic()
        self._show(status(self, found))
        return found

    def _planned(self, snapshot: Snapshot, shown: Shown) -> tuple[Decision, Planned]:
        try:
            decision = self.policy.decide(shown.view)
            ruling = Referee(self.policy.name).check(shown.view, decision)
            if isinstance(self.policy, PlansWhenAsked):
                later = dict(self.policy.plan_of(shown.view, decision))
            else:
                later = planned_starts(decision)
        except PackwiseError:
            raise
        except Exception as error:
            raise PolicyFailed(
                f"policy '{self.policy.name}' raised {type(error).__name__}: {error}{place_of(error)}"
            ) from error
        return decision, Planned(snapshot, shown, ruling, later)

    def _send(self, factors: dict[int, int]) -> list[Sent]:
        sent = []
        for part in site_factors(factors):
            self.journal.write(
                "send", f"{self._untrue}{part.command().line()}", dry_run=self.writer.dry_run
            )
            one = self.writer.send(part)
            sent.append(one)
            for line in one.problems:
                self.journal.write("trouble", f"Slurm says: {line}")
            if one.answer is not None:
                self.journal.write(
                    "answer",
                    f"{one.command.argv[0]}: {one.answer.code}",
                    seconds=round(one.answer.seconds, 3),
                )
        return sent

    def _write_down(self, planned: Planned, notes: list[str], read: float, plan: float) -> None:
        view = planned.shown.view
        seen = {
            "waiting": len(view.queue),
            "running": len(view.running),
            "free": view.free,
            "left_out": len(planned.shown.left_out),
        }
        if seen != self._last:
            self.journal.write(
                "see",
                f"{seen['waiting']} wait, {seen['running']} run, {seen['free']} of {view.procs} cores free",
                **seen,
            )
            self._last = seen
        starts = [planned.job(job).id for job in planned.ruling.start.tolist()]
        self.journal.write(
            "decide",
            f"{self.policy.name}: {', '.join(starts) if starts else 'nobody'} to start now",
            start=starts,
            order=[planned.job(job).id for job in planned.order()[:100]],
            read=round(read, 3),
            plan=round(plan, 3),
        )
        for remark in planned.snapshot.remarks:
            self.journal.write("note", remark)
        for remark in notes:
            self.journal.write("note", f"{self._untrue}{remark}")

    def _keep(self, snapshot: Snapshot | None = None) -> None:
        if self.writer.dry_run:
            return
        parts: list[Callable[[], object]] = [
            lambda: save_ours(self._folder, self.ledger.ours),
            lambda: state_file.save(self._folder, self.ledger, self.policy.name),
        ]
        if snapshot is not None:
            parts.append(lambda: self._seen.look(snapshot))
            parts.append(lambda: keep_site(self._folder, self.reader.site(snapshot)))
        problems = []
        for part in parts:  # each by itself: what can be kept is
            try:
                part()
            except (OutputError, OSError) as error:
                problems.append(str(error))
        if problems:
            self._trouble("disk", f"what is to be kept could not be written: {problems[0]}")
        else:
            self.health.pop("disk", None)

    def _foresee(self, snapshot: Snapshot) -> None:
        """Forecasts are an extra: what goes wrong with them is told, and stops nothing."""
        if self._forecaster is None:
            return
        try:
            self._forecaster.look(snapshot)
            self.forecast = self._forecaster.starts
            self.health.pop("forecast", None)
        except Exception as error:
            self.forecast = {}
            self._trouble("forecast", f"there is no forecast: {type(error).__name__}: {error}")

    def _show(self, told: dict[str, Any]) -> None:
        if self.journal.lost:
            self.health["journal"] = (
                f"{self.journal.lost} entries of the journal could not be written"
            )
        else:
            self.health.pop("journal", None)
        told["health"] = dict(self.health)
        self.shown = told
        if self.writer.dry_run:  # nobody else is to believe it
            return
        try:
            write_status(self._folder, told)
        except (OutputError, OSError) as error:
            self._trouble("disk", f"the status could not be written: {error}")

    def _show_trouble(self) -> None:
        """The plan is the old one, and everybody can see why."""
        if self.shown is not None:
            self._show(failing(self.shown, self, time.monotonic() - self._planned_at))

    def _trouble(self, kind: str, text: str) -> None:
        """Say so, once while it lasts."""
        if self.health.get(kind) != text:
            self.journal.write("trouble", text)
        self.health[kind] = text

    def run(
        self,
        stop: Event,
        *,
        cycles: int | None = None,
        after: Callable[[Cycle | None], None] = lambda cycle: None,
    ) -> None:
        """Go round until told to stop, then give everything back. ``after``: called after each round, with
        nothing if it has failed (``health`` says why). With ``cycles``, so many rounds, and one that fails ends
        it.
        """
        self.journal.write(
            "begin",
            f"{self._untrue}{self.mode.name} with {self.policy.name}, every {self.interval:g} s",
        )
        try:
            while not stop.is_set() and (cycles is None or self.cycles < cycles):
                began = time.monotonic()
                found = self._once(patient=cycles is None)
                after(found)
                if cycles is not None and self.cycles >= cycles:
                    break
                stop.wait(self._pause(time.monotonic() - began))
        finally:
            self.give_back()
            self.journal.write("end", f"{self.mode.name} has ended")

    def _once(self, patient: bool) -> Cycle | None:
        """Once round. Returns nothing if it did not go well, and may do so next time."""
        try:
            found = self.cycle()
        except PackwiseError as error:
            is_silent = isinstance(error, SlurmError)
            self._silent += is_silent
            self._failures += not is_silent
            self._trouble("slurm" if is_silent else "policy", str(error))
            if not patient or self._failures >= _FAILURES:
                raise
            self._show_trouble()
            return None
        self._silent = self._failures = 0
        for kind in ("slurm", "policy"):
            if self.health.pop(kind, None):
                self.journal.write("note", f"{kind}: all is well again")
        return found

    def _pause(self, took: float) -> float:
        """Until the next time round: longer after failures, and so that Slurm is seldom asked."""
        if self._silent:
            longer = min(self.interval * 2 ** min(self._silent - 1, 10), _LONGEST)
            return float(max(longer, self.interval))
        # One slow answer is chance, or a restart: the quicker of the last two counts.
        rest = max(self.interval - took, min(self._asked) * (1 / _SHARE - 1))
        if rest > max(1.5 * self.interval, 1.0):
            self.skipped += 1
            self._trouble(
                "slow",
                f"asking Slurm takes {min(self._asked):.1f} s: the next round is in {rest:.0f} s, to spare it",
            )
        else:
            self.health.pop("slow", None)
        return max(rest, 0.05)

    def give_back(self) -> None:
        """Undo what is there of ours."""
        snapshot = None
        try:
            snapshot = self.reader.snapshot()
        except PackwiseError as error:
            self._is_left(f"the queue cannot be read: {error}")
        try:
            given = self.mode.give_back(snapshot, self.ledger)
            for sent in self._send(given):
                self.left += sent.problems
            if not self.left:  # else `reset` has to know them
                self.ledger.ours.given_back(given)
        except PackwiseError as error:
            self._is_left(f"not everything could be given back: {error}")
        self._keep()

    def _is_left(self, text: str) -> None:
        self.journal.write("trouble", text)
        self.left.append(text)
