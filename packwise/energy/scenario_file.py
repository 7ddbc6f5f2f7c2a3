"""Energy scenarios as TOML files: a table for each part, all of them optional."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from packwise.energy.series_file import read_series
from packwise.files.toml_document import TomlDocument, read_toml
from packwise.files.toml_lines import Place
from packwise.model.energy.cooling import ROUND_TO, Cooling
from packwise.model.energy.daily import Daily
from packwise.model.energy.job_power import LEAST, MOST, Draw, JobPower
from packwise.model.energy.rates import DEGREES, Carbon, Climate, Tariff
from packwise.model.energy.repeated_year import RepeatedYear
from packwise.model.energy.scenario import EnergyScenario
from packwise.model.energy.series import Constant, Signal
from packwise.model.energy.sleep import SleepState
from packwise.model.energy.units import EXAMPLES, Kind, conversion
from packwise.model.errors import FormatError, InputError, shortened
from packwise.model.time_zone import zone_named
from packwise.model.workload import CORES
from packwise.readable import parse_duration

_TOP = (
    "name", "about", "zone", "shift_to", "price", "carbon", "climate", "cooling", "jobs", "machine", "sleep",
    "cap", "revenue",
)  # fmt: skip
_WAYS = ("value", "hours", "file")
_OF_SIGNAL = ("unit", *_WAYS, "weekend", "column", "time", "zone", "gaps", "repeat")
_OF_COOLING = ("pue", "temperatures", "powers", "loads", "round_to", "outside")
_OF_JOBS = ("watts_per_core", "watts", "seed", "recorded")
_OF_MACHINE = ("idle_watts_per_core", "rated_watts")
_OF_SLEEP = ("after", "watts_per_core", "boot_time", "boot_watts_per_core", "cores_per_node")

#: Where the files are that come with Packwise, and how scenarios name them.
OWN = Path(__file__).parent / "presets"
_OURS = "packwise:"

EXAMPLE = """
[price]
unit = "EUR/MWh"
file = "day-ahead.csv"

[jobs]
watts_per_core = [7.8, 11.11]
""".strip()


class ScenarioFile(NamedTuple):
    """A scenario, and in words what was decided for the reader of its files."""

    scenario: EnergyScenario
    notes: tuple[str, ...]


def read_scenario(path: str | os.PathLike[str]) -> ScenarioFile:
    """The energy scenario of a TOML file; other files that it names are relative to it."""
    return _Reader(read_toml(path, "An energy scenario", EXAMPLE), Path(path).parent).scenario()


class _Reader:
    def __init__(self, document: TomlDocument, folder: Path) -> None:
        self.document = document
        self.folder = folder
        self.notes: list[str] = []

    def scenario(self) -> ScenarioFile:
        values = self.document.values
        self.document.check_keys((), values, _TOP)
        name = values.get("name", Path(self.document.path).stem)
        revenue = self._table("revenue", ("per_core_hour",))
        machine = self._table("machine", _OF_MACHINE)
        climate = self._climate()
        price = self._signal("price", "price")
        carbon = self._signal("carbon", "carbon")
        try:
            scenario = EnergyScenario(
                name=self.document.text(("name",), name),
                about=self.document.text(("about",), values.get("about", "")).strip(),
                price=None if price is None else Tariff(price),
                carbon=None if carbon is None else Carbon(carbon),
                climate=climate,
                cooling=self._cooling(),
                jobs=self._jobs(),
                idle_watts=self._number("machine", "idle_watts_per_core", machine) or 0.0,
                rated_watts=self._number("machine", "rated_watts", machine),
                sleep=self._sleep(),
                cap=self._signal("cap", "power"),
                revenue=self._number("revenue", "per_core_hour", revenue),
                zone=self._zone((), values),
                shift_to=self._day(),
            )
        except FormatError:
            raise
        except InputError as error:
            raise InputError(f"{self.document.path}: {error}") from error
        return ScenarioFile(scenario, tuple(self.notes))

    def _table(self, key: str, known: tuple[str, ...]) -> Mapping[str, Any]:
        """A table of the file, with known keys; empty if there is none."""
        found = self.document.values.get(key, {})
        if not isinstance(found, dict):
            self.document.refuse((key,), f"a table [{key}]", shortened(repr(found)))
        self.document.check_keys((key,), found, known)
        return found

    def _number(self, key: str, name: str, table: Mapping[str, Any]) -> float | None:
        return self.document.number((key, name), table[name], least=0.0) if name in table else None

    def _zone(self, place: Place, values: Mapping[str, Any]) -> str | None:
        if "zone" not in values:
            return None
        name = self.document.text((*place, "zone"), values["zone"])
        try:
            zone_named(name)
        except InputError:
            self.document.refuse(
                (*place, "zone"),
                "a time zone such as Europe/Stockholm or UTC",
                f"'{shortened(name)}'",
            )
        return name

    def _day(self) -> date | None:
        found = self.document.values.get("shift_to")
        if found is None or type(found) is date:
            return found
        try:
            return date.fromisoformat(str(found))
        except ValueError:
            self.document.refuse(
                ("shift_to",), "shift_to to be a day such as 2024-01-31", shortened(repr(found))
            )

    def _signal(self, key: str, kind: Kind, more: tuple[str, ...] = ()) -> Signal | None:
        """A part that varies: a value, 24 of them, or a file."""
        if key not in self.document.values:
            return None
        table = self._table(key, (*_OF_SIGNAL, *more))
        ways = [way for way in _WAYS if way in table]
        if len(ways) != 1:
            expected = f"in [{key}] one of value = ..., hours = [24 values] or file = ..."
            self.document.refuse((key,), expected, " and ".join(ways) or "none")
        unit = None
        if "unit" in table:
            unit = self.document.text((key, "unit"), table["unit"])
            self._check_unit(key, kind, unit)
        if ways == ["file"]:
            return self._file(key, kind, table, unit)
        for name in ("column", "time", "gaps", "repeat"):
            if name in table:
                self.document.refuse((key, name), f"{name} only with file = ...", ways[0])
        for name in ("weekend", "zone"):
            if name in table and ways == ["value"]:
                self.document.refuse(
                    (key, name), f"{name} only with hours = ... or file = ...", "value"
                )
        if unit is None:
            self.document.refuse((key,), f"unit = ..., such as {EXAMPLES[kind]}", "none")
        if ways == ["value"]:
            return Constant(self.document.number((key, "value"), table["value"]), unit, key)
        weekend = None if "weekend" not in table else self._values((key, "weekend"), table)
        hours = self._values((key, "hours"), table)
        return Daily(hours, unit, weekend, self._zone((key,), table), key)

    def _check_unit(self, key: str, kind: Kind, unit: str) -> None:
        try:
            conversion(kind, unit, key)
        except InputError:
            expected = f"a unit of {kind} such as {EXAMPLES[kind]}"
            self.document.refuse((key, "unit"), expected, f"'{shortened(unit)}'")

    def _values(self, place: Place, table: Mapping[str, Any]) -> tuple[float, ...]:
        """24 numbers."""
        found = table[str(place[-1])]
        if not isinstance(found, list) or len(found) != 24:
            size = f"{len(found)}" if isinstance(found, list) else shortened(repr(found))
            self.document.refuse(place, f"{place[-1]} to be a list of 24 numbers", size)
        return tuple(self.document.number((*place, i), one) for i, one in enumerate(found))

    def _file(self, key: str, kind: Kind, table: Mapping[str, Any], unit: str | None) -> Signal:
        def text(name: str) -> str | None:
            return self.document.text((key, name), table[name]) if name in table else None

        gaps, repeat = table.get("gaps", "refuse"), table.get("repeat")
        if gaps not in ("refuse", "hold"):
            self.document.refuse((key, "gaps"), "gaps to be refuse or hold", repr(gaps))
        if repeat not in (None, "year"):
            self.document.refuse((key, "repeat"), 'repeat to be "year"', repr(repeat))
        if "weekend" in table:
            self.document.refuse((key, "weekend"), "weekend only with hours = ...", "file")
        found = read_series(
            self._path(key, text("file") or ""),
            kind,
            column=text("column"),
            time=text("time"),
            unit=unit,
            zone=self._zone((key,), table),
            usual_zone=self._zone((), self.document.values),
            gaps=gaps,
        )
        self.notes += found.notes
        return RepeatedYear(found.series) if repeat else found.series

    def _path(self, key: str, name: str) -> Path:
        """A file beside the scenario, or one that comes with Packwise."""
        if not name.startswith(_OURS):
            return self.folder / name
        path = OWN / name.removeprefix(_OURS)
        if path.parent != OWN or not path.is_file():
            there = ", ".join(f"{_OURS}{one.name}" for one in sorted(OWN.glob("*.csv*")))
            self.document.refuse((key, "file"), f"a file of yours, or one of {there}", f"'{name}'")
        return path

    def _climate(self) -> Climate | None:
        signal = self._signal("climate", "temperature", ("segment_degrees",))
        if signal is None:
            return None
        width = self.document.values["climate"].get("segment_degrees", DEGREES)
        return Climate(signal, self.document.number(("climate", "segment_degrees"), width, 0.0))

    def _cooling(self) -> Cooling | None:
        if "cooling" not in self.document.values:
            return None
        table = self._table("cooling", _OF_COOLING)
        if "pue" not in table:
            self.document.refuse(("cooling",), "pue = 1.3, or a table of them", "none")
        if not isinstance(table["pue"], list):
            extra = [key for key in table if key != "pue"]
            if extra:
                expected = "a table of pue, or nothing else with one"
                self.document.refuse(("cooling", extra[0]), expected, f"'{extra[0]}'")
            return Cooling.flat(self.document.number(("cooling", "pue"), table["pue"], 1.0))
        axes = [key for key in ("powers", "loads") if key in table]
        if len(axes) != 1 or "temperatures" not in table:
            expected = "in [cooling] temperatures = [...] and either powers = [...] (watts) or loads = [...]"
            found = ", ".join(key for key in table if key in _OF_COOLING)
            self.document.refuse(("cooling",), expected, found)
        return Cooling(
            pue=self._rows(table["pue"]),
            temperatures=self._axis("temperatures", table),
            powers=self._axis(axes[0], table),
            relative=axes == ["loads"],
            round_to=self.document.number(
                ("cooling", "round_to"), table.get("round_to", ROUND_TO), 0.0
            ),
            outside=table.get("outside", "refuse"),
        )

    def _axis(self, key: str, table: Mapping[str, Any]) -> np.ndarray:
        found = table[key]
        if not isinstance(found, list) or not found:
            self.document.refuse(
                ("cooling", key), f"{key} to be a list of numbers", shortened(repr(found))
            )
        return np.array(
            [self.document.number(("cooling", key, i), one) for i, one in enumerate(found)]
        )

    def _rows(self, found: list[Any]) -> np.ndarray:
        widths = {len(row) if isinstance(row, list) else -1 for row in found}
        if len(widths) != 1 or -1 in widths:
            expected = (
                "pue to be a list of lists: one for each temperature, with a number for each power"
            )
            self.document.refuse(("cooling", "pue"), expected, shortened(repr(found)))
        return np.array(
            [
                [self.document.number(("cooling", "pue", i, k), one) for k, one in enumerate(row)]
                for i, row in enumerate(found)
            ]
        )

    def _jobs(self) -> JobPower:
        table = self._table("jobs", _OF_JOBS)
        if "watts_per_core" in table and "watts" in table:
            self.document.refuse(("jobs", "watts"), "watts_per_core or [jobs.watts]", "both")
        draws = {CORES: table.get("watts_per_core", [LEAST, MOST])}
        if "watts" in table:
            draws = table["watts"]
            if not isinstance(draws, dict) or not draws:
                self.document.refuse(
                    ("jobs", "watts"), "a table [jobs.watts], such as cores = 8", repr(draws)
                )
        recorded = table.get("recorded", True)
        if not isinstance(recorded, bool):
            self.document.refuse(
                ("jobs", "recorded"), "recorded to be true or false", repr(recorded)
            )
        watts = tuple(self._draw(name, value, "watts" in table) for name, value in draws.items())
        seed = self.document.whole(("jobs", "seed"), table.get("seed", 1), 0)
        return JobPower(watts, seed, recorded)

    def _draw(self, resource: str, value: Any, by_resource: bool) -> Draw:
        """A number, or a range of two."""
        place: Place = ("jobs", "watts", resource) if by_resource else ("jobs", "watts_per_core")
        ends = value if isinstance(value, list) and len(value) == 2 else [value, value]
        low, high = (self.document.number(place, one, 0.0) for one in ends)
        if low > high:
            self.document.refuse(place, "the smaller number first", repr(value))
        return Draw(resource, low, high)

    def _sleep(self) -> SleepState | None:
        if "sleep" not in self.document.values:
            return None
        table = self._table("sleep", _OF_SLEEP)
        idle = self.document.values.get("machine", {}).get("idle_watts_per_core", 0.0)

        def watts(key: str, default: float) -> float:
            return self.document.number(("sleep", key), table.get(key, default), 0.0)

        return SleepState(
            after=self._seconds("after", table),
            watts=watts("watts_per_core", 0.0),
            boot_time=self._seconds("boot_time", table),
            boot_watts=watts("boot_watts_per_core", idle),
            cores_per_node=self.document.whole(
                ("sleep", "cores_per_node"), table.get("cores_per_node", 1), 1
            ),
        )

    def _seconds(self, key: str, table: Mapping[str, Any]) -> int:
        value = table.get(key)
        if isinstance(value, str):
            try:
                return parse_duration(value, key)
            except InputError:
                value = shortened(value)
        if value is None or isinstance(value, str):
            expected = f'{key} in seconds, or such as "10m"'
            self.document.refuse(("sleep", key), expected, "none" if value is None else repr(value))
        return self.document.whole(("sleep", key), value, 0)
