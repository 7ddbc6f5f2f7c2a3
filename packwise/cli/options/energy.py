"""The energy scenario that options name."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from datetime import date

    from packwise.model.cluster import Cluster
    from packwise.model.energy.scenario import EnergyScenario
    from packwise.model.workload import Workload


class ChosenEnergy(NamedTuple):
    """A scenario, and what there is to say of it."""

    scenario: EnergyScenario
    notes: tuple[str, ...]

    def on(self, workload: Workload, cluster: Cluster) -> Cluster:
        """The cluster with the scenario; refused at once where it does not cover the submissions."""
        self.scenario.over(workload, int(workload.submit[0]), int(workload.submit[-1]) + 1)
        self.scenario.jobs.of(workload)
        return replace(cluster, energy=self.scenario)

    def words(self, workload: Workload) -> list[str]:
        """Which scenario, and how its dates are those of the log."""
        from packwise.model.time_zone import local_zone

        clock = self.scenario.clock(workload)
        first = clock.words(int(workload.submit[0]))
        shifted = (
            "" if self.scenario.shift_to is None else f", the first submission taken as {first}"
        )
        found = [f"energy scenario {self.scenario.name}{shifted}"]
        if not workload.start_time and self.scenario.shift_to is None:
            found.append(
                "the log does not tell its date: it is taken to begin on 1 January 1970, UTC (--shift-to DATE)"
            )
        if self.scenario.zone is None:
            found += local_zone(workload)[2]
        return found


def chosen_energy(name: str | None, shift_to: str | None) -> ChosenEnergy | None:
    """The scenario of --energy; None without one."""
    from packwise.energy.finding import find_scenario
    from packwise.model.errors import InputError

    if name is None:
        if shift_to is not None:
            raise InputError(
                "--shift-to is for the dates of an energy scenario: give one, or drop it."
            )
        return None
    found = find_scenario(name)
    scenario = found.scenario.shifted(parse_day(shift_to))
    return ChosenEnergy(scenario, found.notes)


def parse_day(text: str | None) -> date | None:
    """The day of --shift-to."""
    from datetime import date

    from packwise.model.errors import InputError, shortened

    if text is None:
        return None
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        raise InputError(
            f"--shift-to: expected a day such as 2024-01-31, found '{shortened(text)}'."
        ) from None
