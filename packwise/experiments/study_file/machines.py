"""The machines of a study: processors or nodes, what a decision takes there, and what power costs."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path

from packwise.clusters.finding import find_cluster
from packwise.energy.finding import find_energy
from packwise.experiments.scenario import EnergySpec, MachineSpec
from packwise.experiments.study_file.grid import Machine
from packwise.experiments.study_file.table import Table, short
from packwise.model.cluster import Cluster
from packwise.model.dispatch_time import dispatch_time
from packwise.model.errors import InputError
from packwise.model.placement import DEFAULT_PLACEMENT, placement_code
from packwise.workloads.units import parse_unit_cores

#: Beyond that somebody has written per cent.
SHARE = "above 0 and at most 20 (1.1 is 10 % more, 0.9 is 90 %)"
LABEL = "What it is called is its label."

_CHARGE, _ENERGY, _SHIFT = "charge_dispatch_time", "energy", "shift_to"
_MACHINE_KEYS = (
    "label", "procs", "factor", "cluster", "placement", "unit_cores", _CHARGE, _ENERGY, _SHIFT,
)  # fmt: skip


def read_machines(study: Table, base: Path, elsewhere: Mapping[str, str]) -> list[Machine]:
    """Every ``[[machine]]``, in order; without any, the one that the trace tells of."""
    if "machine" not in study:
        return [Machine(MachineSpec(), 1)]
    found = []
    for table in study.tables("machine"):
        table.refuse_unknown(_MACHINE_KEYS, {**elsewhere, "name": LABEL})
        told = sum(key in table for key in ("procs", "factor", "cluster"))
        if told > 1 or (not told and "energy" not in table):
            table.wrong(
                "a [[machine]] needs procs = 128 (processors), factor = 1.1 (times the size of each "
                'workload\'s machine), or cluster = "eurora" (nodes). Give one of them.'
            )
        if "cluster" in table:
            found += _of_cluster(table, base)
            continue
        for key in ("placement", "unit_cores"):
            if key in table:
                table.wrong(f"{key} is for a machine of nodes: give a cluster.", key)
        procs = table.whole("procs", None, least=1)
        factor = table.number("factor", 1.0, SHARE, lambda v: 0 < v <= 20)
        charge, energy = _charge(table), _energy(table, base)
        if (charge is None and _CHARGE in table) or (energy is None and _ENERGY in table):
            continue
        name = f"x{factor:g}" if procs is None else f"{procs} procs"
        if not told and energy is not None:
            name = energy.name
            label = table.text("label", name + _charged(charge))
        else:
            label = table.text("label", name + _charged(charge) + _powered(energy))
        spec = MachineSpec(label, procs, factor, charge_dispatch_time=charge, energy=energy)
        found.append(Machine(spec, table.line()))
    return found


def _of_cluster(table: Table, base: Path) -> list[Machine]:
    """A machine of nodes; nothing, if it is wrong."""
    placement = table.text("placement", DEFAULT_PLACEMENT)
    unit_cores = str(table.values.get("unit_cores", "1"))
    cluster = read_cluster(table, base)
    try:
        placement_code(placement)
        parse_unit_cores(unit_cores)
    except InputError as error:
        table.wrong(error)
        return []
    charge, energy = _charge(table), _energy(table, base)
    wrong = (charge is None and _CHARGE in table) or (energy is None and _ENERGY in table)
    if cluster is None or wrong:
        return []
    label = table.text("label", f"{cluster.name}, {placement}{_charged(charge)}{_powered(energy)}")
    spec = MachineSpec(
        label,
        cluster=cluster.document(),
        placement=placement if "placement" in table else None,
        unit_cores=unit_cores,
        charge_dispatch_time=charge,
        energy=energy,
    )
    return [Machine(spec, table.line())]


def read_cluster(table: Table, base: Path) -> Cluster | None:
    """The cluster that a table names: a preset, or a file, relative to the study file. None, if it is wrong."""
    name = table.text("cluster", None)
    if name is None:
        return None
    own = base / name
    try:
        return find_cluster(str(own) if is_file(own) else name)
    except (InputError, OSError, ValueError) as error:
        table.wrong(str(error), "cluster")
        return None


def _charge(table: Table) -> str | None:
    """What a decision takes there, in the one way of writing it; None if nothing."""
    if _CHARGE not in table:
        return None
    try:
        return str(dispatch_time(table.text(_CHARGE, "")))
    except InputError as error:
        table.wrong(error, _CHARGE)
        return None


def _charged(charge: str | None) -> str:
    return "" if charge is None else f", dispatch time {charge}"


def _energy(table: Table, base: Path) -> EnergySpec | None:
    """What power costs there: a scenario that comes with Packwise, or a file, relative to the study file."""
    if _ENERGY not in table:
        if _SHIFT in table:
            table.wrong(
                "shift_to is for the dates of an energy scenario: give energy, too.", _SHIFT
            )
        return None
    name = table.text(_ENERGY, "")
    day = _day(table)
    if day is None and _SHIFT in table:
        return None
    own = base / name
    try:
        scenario = find_energy(str(own) if is_file(own) else name).shifted(day)
    except (InputError, OSError, ValueError) as error:
        table.wrong(str(error), _ENERGY)
        return None
    called = scenario.name if day is None else f"{scenario.name} {day}"
    return EnergySpec(called, scenario.digest, scenario)


def _day(table: Table) -> date | None:
    value = table.values.get(_SHIFT)
    if value is None or type(value) is date:
        return value
    try:
        return date.fromisoformat(str(value))
    except ValueError:
        table.wrong(
            f"shift_to should be a day such as 2024-01-31, found {short(str(value))}.", _SHIFT
        )
        return None


def _powered(energy: EnergySpec | None) -> str:
    return "" if energy is None else f", {energy.name}"


def is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
