"""The shades of the tables as a style sheet, on light and on dark paper."""

from __future__ import annotations

from typing import Final

from packwise.reports.heat.table import STEPS, heat_colours, shade_name

#: From much worse to much better.
SHADES: Final = tuple(step for step in range(-STEPS, STEPS + 1) if step)


def shade_css() -> str:
    """One class for each shade."""
    light = "".join(_rule(step, "light", "") for step in SHADES)
    follows = "".join(_rule(step, "dark", ":root:not([data-theme=light]) ") for step in SHADES)
    chosen = "".join(_rule(step, "dark", ":root[data-theme=dark] ") for step in SHADES)
    return (
        f"{light}@media screen and (prefers-color-scheme:dark){{{follows}}}"
        f"@media screen{{{chosen}}}"
    )


def _rule(step: int, theme: str, scope: str) -> str:
    fill, ink = heat_colours(step, theme)
    return f"{scope}.{shade_name(step)}{{background:{fill};color:{ink}}}"
