"""Make the year of prices, carbon and weather that comes with Packwise: python -m scripts.make_energy_year

All of it is made up. The region has wind, sun, gas and coal; demand has a daily, a weekly and a yearly
rhythm; what wind and sun leave over sets the price, and the share of gas and coal the carbon. The figures
that come out (printed) are near those of central Europe in 2023 and 2024: 75 EUR/MWh on average, about 300
hours below zero.
"""

from __future__ import annotations

import gzip
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from packwise.files.output import atomic_output

FILE = Path(__file__).resolve().parents[1] / "packwise/energy/presets/region.csv.gz"
YEAR = 2023
HOURS = 365 * 24
#: Degrees north, and hours that the clock of the sun is ahead of UTC.
LATITUDE, AHEAD = 50.0, 1.0


def correlated(rng: np.random.Generator, hours: float) -> np.ndarray:
    """Noise with variance 1 that forgets itself within about so many hours."""
    keep = np.exp(-1 / hours)
    noise = rng.standard_normal(HOURS) * np.sqrt(1 - keep**2)
    found = np.empty(HOURS)
    last = rng.standard_normal()
    for i in range(HOURS):
        last = keep * last + noise[i]
        found[i] = last
    return found


def sunshine(day: np.ndarray, hour: np.ndarray) -> np.ndarray:
    """How high the sun stands: the sine of its elevation, 0 at night."""
    declination = np.radians(-23.44) * np.cos(2 * np.pi * (day + 10) / 365)
    angle = np.radians(15 * (hour - 12))
    latitude = np.radians(LATITUDE)
    high = np.sin(latitude) * np.sin(declination)
    high = high + np.cos(latitude) * np.cos(declination) * np.cos(angle)
    return np.maximum(high, 0.0)


def region(seed: int = 2023) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Price in EUR/MWh, carbon in g/kWh and temperature in °C of each hour."""
    rng = np.random.default_rng(seed)
    clock = np.arange(HOURS) + AHEAD
    day, hour = clock / 24, clock % 24
    weekday = (int(datetime(YEAR, 1, 1, tzinfo=UTC).weekday()) + day.astype(int)) % 7
    winter = np.cos(2 * np.pi * (day - 20) / 365)

    weather = correlated(rng, 60.0)
    temperature = 10 - 9 * winter - 4 * np.cos(2 * np.pi * (hour - 3) / 24) + 3.5 * weather

    rhythm = 0.5 - 0.5 * np.cos(2 * np.pi * (hour - 4) / 24)
    evening = np.exp(-0.5 * ((hour - 19) / 1.8) ** 2) + 0.6 * np.exp(-0.5 * ((hour - 8) / 1.5) ** 2)
    demand = 42 + 16 * rhythm + 5 * evening + 5 * winter + 0.8 * correlated(rng, 12.0)
    demand = demand * np.where(weekday >= 5, 0.85, 1.0)

    gusts = 1 / (1 + np.exp(-(1.15 * correlated(rng, 30.0) - 1.0 + 0.35 * winter)))
    wind = 54 * gusts
    clear = 1 / (1 + np.exp(-(1.1 * correlated(rng, 30.0) + 0.5 - 0.7 * winter)))
    solar = 48 * sunshine(day % 365, hour) * (0.25 + 0.75 * clear)

    left = demand - wind - solar
    scarce = np.maximum(left - 38, 0)
    # Few plants can be switched off at once: what is too much is given away, seldom paid much for.
    useful = np.maximum(left, 6) + 0.35 * np.minimum(left - 6, 0)
    price = 12 + 2.45 * useful + 0.14 * scarce**2 - 13 * (left < 3) + 6 * correlated(rng, 20.0)

    fossil = np.clip(left - 4, 0, None)
    carbon = 45 + 640 * fossil / np.maximum(demand, wind + solar) * (0.85 + 0.1 * winter)
    return price, carbon, temperature


def main() -> None:
    price, carbon, temperature = region()
    begin = datetime(YEAR, 1, 1, tzinfo=UTC)
    rows = ["time (UTC),price (EUR/MWh),carbon (g/kWh),temperature (°C)"]
    for i in range(HOURS):
        when = (begin + timedelta(hours=i)).strftime("%Y-%m-%dT%H:%MZ")
        rows.append(f"{when},{price[i]:.2f},{carbon[i]:.0f},{temperature[i]:.1f}")
    content = gzip.compress(("\n".join(rows) + "\n").encode(), 9, mtime=0)
    with atomic_output(FILE) as stream:
        stream.write(content)
    days = price.reshape(-1, 24)
    print(f"{FILE.name}: {len(content):,} bytes")
    print(f"price: mean {price.mean():.1f}, standard deviation {price.std():.1f} EUR/MWh")
    print(f"  from {price.min():.0f} to {price.max():.0f}, below zero in {(price < 0).sum()} hours")
    print(f"  dearest less cheapest hour of a day, mean {np.ptp(days, axis=1).mean():.0f}")
    print(f"carbon: mean {carbon.mean():.0f}, from {carbon.min():.0f} to {carbon.max():.0f} g/kWh")
    print(f"temperature: {temperature.min():.0f} to {temperature.max():.0f} °C")


if __name__ == "__main__":
    main()
