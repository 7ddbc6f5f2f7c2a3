"""Processor times of some benchmarks, beside a calibration; of one tree, or of two in turn."""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median

from tests.record import files
from tests.record.benchmarks import BENCHMARKS, CALIBRATION
from tests.record.timing import Timer, timer
from tests.record.trees import standing_before

#: What a line of a file of times begins with.
KIND = "time "
_NAME = 30


def alone(rounds: int, to: Path | None, only: str) -> None:
    """The best of so many rounds; written to a file, if one is named."""
    with timer() as here:
        found = {name: min(column) for name, (column,) in _in_turn([here], rounds, only).items()}
    unit = found[CALIBRATION]
    lines = []
    print(f"{'':{_NAME}}{'ms':>10}{'calibrations':>14}")
    for name, seconds in found.items():
        print(f"{name:{_NAME}}{1000 * seconds:>10.2f}{seconds / unit:>14.3f}")
        lines.append(f"{KIND}{name}{files.ARROW}ms={1000 * seconds:.3f} in={seconds / unit:.4f}")
    if to is not None:
        files.write(lines, to)


def against(tree: Path, rounds: int, only: str) -> None:
    """This tree and another in turn: how many times as long this one takes."""
    with (
        standing_before(tree) as (folder, environment),
        timer(folder, environment) as there,
        timer() as here,
    ):
        found = _in_turn([there, here], rounds, only)
    print(f"{'':{_NAME}}{'there ms':>10}{'here ms':>10}{'best':>8}{'pairs':>8}")
    for name, (before, now) in found.items():
        pairs = median(b / a for a, b in zip(before, now, strict=True))
        ratio = min(now) / min(before)
        times = f"{1000 * min(before):>10.2f}{1000 * min(now):>10.2f}"
        print(f"{name:{_NAME}}{times}{ratio:>8.3f}{pairs:>8.3f}")
    print("best: here by there, the best of each; pairs: the median of what ran side by side")


def ratios(before: dict[str, str], now: dict[str, str]) -> list[str]:
    """Two files of times: those of the second by those of the first, each in calibrations of its own run."""
    lines = []
    for asked in sorted(before.keys() & now.keys()):
        first, second = (_calibrations(told[asked]) for told in (before, now))
        lines.append(f"{asked.removeprefix(KIND):{_NAME}}{second / first:>8.3f}")
    return lines


def _calibrations(told: str) -> float:
    return float(dict(word.split("=") for word in told.split())["in"])


def _in_turn(timers: list[Timer], rounds: int, only: str) -> dict[str, list[list[float]]]:
    """The times of each benchmark, a column for each timer. Who goes first changes each time."""
    names = [name for name in BENCHMARKS if only in name or name == CALIBRATION]
    found: dict[str, list[list[float]]] = {name: [[] for _ in timers] for name in names}
    for turn in range(rounds):
        for name in names:
            places = list(range(len(timers)))
            for place in places[::-1] if turn % 2 else places:
                found[name][place].append(timers[place].took(name))
        print(f"\rround {turn + 1} of {rounds}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return found
