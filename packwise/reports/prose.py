"""Prose: enumerations, and HTML in which the short names of metrics can be pointed at."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from html import escape

from packwise.metrics.catalogue import metric


def listed(parts: Sequence[str]) -> str:
    """'a', 'a and b', 'a, b and c'."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def metric_titles(labels: Iterable[str], metrics: Iterable[str]) -> Callable[[str], str]:
    """A function that escapes plain text and gives each metric in it its title as a tooltip.

    ``labels`` are the names of runs: what looks like a metric inside of one is left alone.
    """
    titles = {one.name: one.title for one in map(metric, metrics)}
    spelled = {name: title for name, title in titles.items() if title.lower() != name.lower()}
    kept = set(labels)
    longest_first = sorted(kept | spelled.keys(), key=lambda name: (-len(name), name))
    if not longest_first:
        return escape
    names = "|".join(map(re.escape, longest_first))
    pattern = re.compile(rf"(?<![\w-])({names})(?![\w-])")

    def html(text: str) -> str:
        parts = pattern.split(text)  # what was found is at the odd places
        return "".join(
            _abbreviation(part, spelled[part]) if k % 2 and part not in kept else escape(part)
            for k, part in enumerate(parts)
        )

    return html


def _abbreviation(name: str, title: str) -> str:
    return f'<abbr title="{escape(title)}">{escape(name)}</abbr>'
