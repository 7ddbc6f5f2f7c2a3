"""Units of prices, carbon, temperatures and power, and how to get from one to another."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from packwise.model.errors import InputError, shortened

Kind = Literal["price", "carbon", "temperature", "power"]

#: Wh, and how many of them make a MWh.
_ENERGY = {"wh": 1e6, "kwh": 1e3, "mwh": 1.0, "gwh": 1e-3}
_SIGNS = {"€": "EUR", "$": "USD", "£": "GBP", "euro": "EUR"}
_CENTS = ("ct", "eurocent", "€ct")
#: Grams.
_MASS = {"g": 1.0, "kg": 1e3, "t": 1e6, "mg": 1e-3, "lb": 453.59237, "lbs": 453.59237}
_TEMPERATURE = {
    "c": (1.0, 0.0),
    "celsius": (1.0, 0.0),
    "f": (5 / 9, -160 / 9),
    "fahrenheit": (5 / 9, -160 / 9),
    "k": (1.0, -273.15),
    "kelvin": (1.0, -273.15),
}
_POWER = {"w": 1.0, "kw": 1e3, "mw": 1e6, "gw": 1e9}
EXAMPLES: dict[Kind, str] = {
    "price": "EUR/MWh, EUR/kWh or ct/kWh (or another currency)",
    "carbon": "g/kWh, kg/MWh or gCO2eq/kWh",
    "temperature": "°C, °F or K",
    "power": "W, kW or MW",
}


class Conversion(NamedTuple):
    """A value times ``factor`` plus ``offset`` is in ``unit``, which everything is computed in."""

    unit: str
    factor: float
    offset: float = 0.0


def conversion(kind: Kind, unit: str, name: str) -> Conversion:
    """From a unit to the one of its kind: CUR/MWh, g/kWh, °C, W."""
    found = {"price": _price, "carbon": _carbon, "temperature": _temperature, "power": _power}[
        kind
    ](re.sub(r"\s+", "", unit))
    if found is None:
        raise InputError(
            f"{name}: expected a unit of {kind} such as {EXAMPLES[kind]}, found '{shortened(unit)}'."
        )
    return found


def unit_in(kind: Kind, text: str) -> str | None:
    """The unit that the head of a column ends in or contains: 'Day-ahead Price (EUR/MWh)'."""
    for word in re.findall(r"[^\s()\[\],;]+", text):
        try:
            conversion(kind, word, "")
        except InputError:
            continue
        if kind in ("price", "carbon") or re.search(rf"[(\[]\s*{re.escape(word)}\s*[)\]]", text):
            return str(word)
    return None


def _price(unit: str) -> Conversion | None:
    money, slash, energy = unit.rpartition("/")
    share = _ENERGY.get(energy.lower())
    if not slash or share is None:
        return None
    if money.lower() in _CENTS:
        return Conversion("EUR/MWh", share / 100)
    currency = _SIGNS.get(money.lower(), money)
    if not re.fullmatch(r"[A-Z]{3}", currency):
        return None
    return Conversion(f"{currency}/MWh", share)


def _carbon(unit: str) -> Conversion | None:
    mass, slash, energy = unit.rpartition("/")
    share = _ENERGY.get(energy.lower())
    plain = re.sub(r"(?i)co[2₂](-?eq?)?", "", mass)
    plain = "t" if plain == "Mg" else plain.lower()
    if not slash or share is None or plain not in _MASS:
        return None
    return Conversion("g/kWh", _MASS[plain] * share / 1e3)


def _temperature(unit: str) -> Conversion | None:
    plain = re.sub(r"^(°|º|deg(rees?)?_?)", "", unit.lower())
    found = _TEMPERATURE.get(plain)
    return None if found is None else Conversion("°C", *found)


def _power(unit: str) -> Conversion | None:
    found = 1e-3 if unit == "mW" else _POWER.get(unit.lower())
    return None if found is None else Conversion("W", found)
