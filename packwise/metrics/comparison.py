"""Runs side by side: changes against a baseline, the best of each metric, and a summary."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

from packwise.model.errors import UnknownName
from packwise.readable import number, percent

if TYPE_CHECKING:
    from packwise.metrics.definition import Metric

#: Changes smaller than this, in percent, are not worth a colour or a word.
NEGLIGIBLE = 0.5
#: Of more than these a sentence gives only the number.
MOST_NAMES = 4


class Entry(NamedTuple):
    """One run's name and its metrics by name."""

    label: str
    values: dict[str, float]


@dataclass(frozen=True)
class Comparison:
    """Runs of one workload; ``baseline`` is the position of the one to compare with.

    ``left_out`` counts the jobs that were not measured: of the run that lacks most. A value may be NaN (of a
    class without jobs, say): nothing is said of it. ``withheld``: the machine is in doubt, so nothing is a
    change, and nobody is better or worse.
    """

    metrics: tuple[Metric, ...]
    entries: tuple[Entry, ...]
    baseline: int = 0
    left_out: int = 0
    withheld: bool = False

    def change(self, entry: Entry, metric: Metric) -> float | None:
        """Percent against the baseline; None where the baseline is 0 and the value is not, or for NaN."""
        if self.withheld:
            return None
        reference = self.entries[self.baseline].values[metric.name]
        return change_percent(entry.values[metric.name], reference)

    def verdict(self, entry: Entry, metric: Metric) -> int:
        """1 better than the baseline, -1 worse, 0 about the same."""
        if self.withheld:
            return 0
        value, change = entry.values[metric.name], self.change(entry, metric)
        if not (isfinite(value) and isfinite(self.entries[self.baseline].values[metric.name])):
            return 0
        if change is None:  # from nothing to something
            change = float("inf") if value > 0 else float("-inf")
        if abs(change) < NEGLIGIBLE:
            return 0
        return 1 if (change < 0) == (metric.better == "lower") else -1

    def leaders(self, metric: Metric) -> list[Entry]:
        """The best, and those that cannot be told from it: less than NEGLIGIBLE per cent behind.

        None if no value is a number.
        """
        pick = min if metric.better == "lower" else max
        known = [entry for entry in self.entries if isfinite(entry.values[metric.name])]
        if not known or self.withheld:
            return []
        best = pick(known, key=lambda entry: entry.values[metric.name])
        return [entry for entry in known if not self._behind(entry, best, metric)]

    def outstanding(self, metric: Metric) -> list[Entry]:
        """The same, but nobody where all lead."""
        first = self.leaders(metric)
        known = sum(isfinite(entry.values[metric.name]) for entry in self.entries)
        return first if len(first) < known else []

    def level(self, metric: Metric) -> bool:
        """Whether nobody can be told from the best, or all are about where the baseline is."""
        known = [entry for entry in self.entries if isfinite(entry.values[metric.name])]
        return len(self.leaders(metric)) == len(known) or not any(
            self.verdict(entry, metric) for entry in known
        )

    def words(self) -> str:
        """Who wins what, and at whose cost. A tie is nobody's win."""
        if len(self.entries) < 2 or self.withheld:
            return ""
        wins: dict[str, list[Metric]] = {}
        ties: dict[tuple[str, ...], list[str]] = {}
        level: list[str] = []
        for metric in filter(self._comparable, self.metrics):
            first = [entry.label for entry in self.leaders(metric)]
            if self.level(metric):
                level.append(metric.name)
            elif len(first) == 1:
                wins.setdefault(first[0], []).append(metric)
            else:
                ties.setdefault(tuple(first), []).append(metric.name)
        by_label = {entry.label: entry for entry in self.entries}
        ranked = sorted(wins, key=lambda label: -len(wins[label]))
        parts = [
            f"{label} {'is best by ' if i == 0 else 'by '}"
            + _listed([self._won(by_label[label], metric) for metric in wins[label]])
            for i, label in enumerate(ranked)
        ]
        sentences = [", ".join(parts) + "."] if parts else []
        if ties:
            tied = (f"{self._named(first)} by {_listed(names)}" for first, names in ties.items())
            sentences.append(f"Tied at the top: {'; '.join(tied)}.")
        others = [label for label in ranked if by_label[label] is not self.entries[self.baseline]]
        sentences += self._prices([by_label[label] for label in others])
        if level:
            sentences.append(self._level_words(level))
        return " ".join(sentence for sentence in sentences if sentence)

    def _prices(self, winners: list[Entry]) -> list[str]:
        """What the first of them costs, and who is gentlest to the baseline."""
        if not winners:
            return []
        gentlest = self._gentlest()
        told = [winners[0]] if gentlest is winners[0] else [winners[0], gentlest]
        return [self._price(entry) for entry in told]

    def _gentlest(self) -> Entry:
        """Who is worse than the baseline by the fewest metrics, and better by the most of those."""
        rest = [entry for entry in self.entries if entry is not self.entries[self.baseline]]

        def harm(entry: Entry) -> tuple[int, int]:
            verdicts = [self.verdict(entry, metric) for metric in self.metrics]
            return verdicts.count(-1), -verdicts.count(1)

        return min(rest, key=harm)

    def _behind(self, entry: Entry, best: Entry, metric: Metric) -> bool:
        change = change_percent(entry.values[metric.name], best.values[metric.name])
        return change is None or abs(change) >= NEGLIGIBLE

    def _named(self, labels: tuple[str, ...]) -> str:
        """All of them; how many they are, where nobody would read on."""
        if len(labels) <= MOST_NAMES:
            return _listed(list(labels))
        return f"{len(labels)} of {len(self.entries)}"

    def _level_words(self, names: list[str]) -> str:
        verb = "differs" if len(names) == 1 else "differ"
        return f"{_listed(names)} {verb} by less than {NEGLIGIBLE} %."

    def _comparable(self, metric: Metric) -> bool:
        """Whether the baseline has a value, and somebody else, too."""
        known = [isfinite(entry.values[metric.name]) for entry in self.entries]
        return known[self.baseline] and sum(known) > 1

    def _won(self, entry: Entry, metric: Metric) -> str:
        if entry is self.entries[self.baseline]:
            return metric.name
        change = self.change(entry, metric)
        if change is None:  # from nothing to something
            return f"{metric.name} ({f'{number(entry.values[metric.name])} {metric.unit}'.strip()})"
        return f"{metric.name} ({percent(change)})"

    def _price(self, winner: Entry) -> str:
        base = self.entries[self.baseline]
        losses = [one for one in self.metrics if self.verdict(winner, one) < 0]
        if not losses:
            return f"Against {base.label}, {winner.label} loses in none of the metrics shown."
        listed = _listed([self._won(winner, one) for one in losses])
        return f"The price of {winner.label} against {base.label}: {listed}."


def change_percent(value: float, reference: float) -> float | None:
    """Percent against a reference; None where that is 0 and the value is not, or one is not a number."""
    if not (isfinite(value) and isfinite(reference)):
        return None
    if reference == 0:
        return 0.0 if value == 0 else None
    return 100.0 * (value - reference) / abs(reference)


def find_baseline(name: str, labels: list[str]) -> int:
    """The position of the run that a name means: its label, or the policy in it, or 'first'."""
    wanted = name.replace(" ", "").lower()
    if wanted == "first":
        return 0
    for position, label in enumerate(labels):
        if wanted in (label.replace(" ", "").lower(), label.partition(" / ")[0].lower()):
            return position
    raise UnknownName("baseline", name, labels, remedy="It should be one of --policies.")


def _listed(parts: list[str]) -> str:
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"
