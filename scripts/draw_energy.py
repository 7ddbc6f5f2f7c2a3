"""Draw the pictures of the pages on energy and on caps: python -m scripts.draw_energy"""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

from packwise import Cluster, simulate
from packwise.energy.finding import find_energy
from packwise.metrics.energy.account import account
from packwise.model.energy.daily import Daily
from packwise.model.energy.scenario import EnergyScenario
from packwise.pictures.energy import plot_energy
from packwise.pictures.movable import plot_movable
from packwise.registry import policy
from packwise.workloads.lublin import generate

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"


def main() -> None:
    """A synthetic week under the market that comes with Packwise."""
    scenario = replace(find_energy("market").shifted(date(2024, 3, 4)), idle_watts=3.0)
    cluster = replace(Cluster.pool(64), energy=scenario)
    workload = generate(900, 64, 2, load=0.75, users=12).replace(name="synthetic")
    run = simulate(workload, cluster, policy("easy"))
    bill = account(run.workload, run.cluster, run.schedule)
    plot_energy(bill, IMAGES / "energy.png")
    plot_movable(bill, IMAGES / "movable.png")
    draw_cap()


def draw_cap() -> None:
    """The machine of the page on caps: 400 W by day, else 560 W."""
    by_hour = tuple(400.0 if 8 <= hour < 18 else 560.0 for hour in range(24))
    scenario = EnergyScenario("capped", idle_watts=2.0, cap=Daily(by_hour, "W"))
    cluster = replace(Cluster.pool(64), energy=scenario)
    workload = generate(1500, 64, 2, load=0.5).replace(name="synthetic")
    run = simulate(workload, cluster, policy("packwise(power_cap=on)"), reject_too_large=True)
    plot_energy(account(run.workload, run.cluster, run.schedule), IMAGES / "power-cap.png")


if __name__ == "__main__":
    main()
