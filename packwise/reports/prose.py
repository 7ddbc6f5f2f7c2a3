"""Prose: enumerations, and HTML in which the short names of metrics can be pointed at."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from packwise.metrics.catalogue import metric

if TYPE_CHECKING:
    from markupsafe import Markup


#: A name of up to so many letters is never broken; a word of more letters than these may be, anywhere.
_SHORT, _LONG = 20, 24


def listed(parts: Sequence[str]) -> str:
    """'a', 'a and b', 'a, b and c'."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def metric_titles(labels: Iterable[str], metrics: Iterable[str]) -> Callable[[str], Markup]:
    """A function that escapes plain text, gives each metric in it its title as a tooltip, and keeps names
    whole.

    ``labels`` are the names of runs: what looks like a metric inside of one is left alone.
    """
    from markupsafe import Markup, escape

    titles = {one.name: one.title for one in map(metric, metrics)}
    spelled = {name: title for name, title in titles.items() if title.lower() != name.lower()}
    kept = set(labels)
    longest_first = sorted(kept | spelled.keys(), key=lambda name: (-len(name), name))
    if not longest_first:
        return escape
    names = "|".join(map(re.escape, longest_first))
    pattern = re.compile(rf"(?<![\w-])({names})(?![\w-])")
    pointed = Markup('<abbr title="{}">{}</abbr>')

    def found(part: str) -> Markup:
        return whole_name(part) if part in kept else pointed.format(spelled[part], part)

    def html(text: str) -> Markup:
        parts = pattern.split(text)  # what was found is at the odd places
        return Markup("").join(
            found(part) if k % 2 else escape(part) for k, part in enumerate(parts)
        )

    return html


def whole_name(label: str) -> Markup:
    """A name that stays in one line, if it is short; a longer one may go on in another behind its separators,
    and only one without any may be broken elsewhere.
    """
    from markupsafe import Markup, escape

    text, kind = escape(label), "short"
    if len(label) > _SHORT:
        for separator in (",", "_", "-", ".", ":", "("):
            text = text.replace(separator, Markup(f"{separator}<wbr>"))
        text = text.replace(" / ", Markup(" /<wbr> "))
        longest = max(map(len, re.split(r"[\s,_.:(-]", label)))
        kind = "long" if longest > _LONG else "name"
    return Markup('<span class="{}">{}</span>').format(kind, text)
