"""An energy scenario by the name of one that comes with Packwise, or from a file."""

from __future__ import annotations

import functools
from pathlib import Path

from packwise.energy.scenario_file import OWN, ScenarioFile, read_scenario
from packwise.model.energy.scenario import EnergyScenario
from packwise.model.errors import InputError, UnknownName

#: In the order in which lists show them.
PRESETS = (
    "day-night",
    "market",
    "solar",
    "summer-air",
    "winter-air",
    "summer-hybrid",
    "winter-hybrid",
)


def find_energy(name: str) -> EnergyScenario:
    """A scenario that comes with Packwise, or that of a TOML file."""
    return find_scenario(name).scenario


def find_scenario(name: str) -> ScenarioFile:
    """The same, with notes on what was read."""
    path = scenario_path(name)
    return _shipped(path) if path.parent == OWN else read_scenario(path)


@functools.cache  # they do not change, and series of a year take a while to read
def _shipped(path: Path) -> ScenarioFile:
    return read_scenario(path)


def scenario_path(name: str) -> Path:
    """The file of a scenario."""
    if name.lower() in PRESETS:
        return OWN / f"{name.lower()}.toml"
    path = Path(name)
    if not path.suffix and len(path.parts) == 1 and not path.exists():
        raise UnknownName("energy scenario", name, PRESETS, remedy="Or name a file: site.toml.")
    if path.suffix != ".toml":
        raise InputError(
            f"{name}: expected an energy scenario ({', '.join(PRESETS)}) or a file that ends in .toml."
        )
    return path
