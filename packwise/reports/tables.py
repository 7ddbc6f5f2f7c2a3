"""The tables of a report as HTML that needs no script."""

from __future__ import annotations

from html import escape

from packwise.reports.heat import STEPS, HeatCell, HeatTable, heat_colours


def heat_css() -> str:
    """One class for each shade, on light and on dark paper."""
    shades = [step for step in range(-STEPS, STEPS + 1) if step]
    light = "".join(_rule(step, "light", "") for step in shades)
    follows = "".join(_rule(step, "dark", ":root:not([data-theme=light]) ") for step in shades)
    chosen = "".join(_rule(step, "dark", ":root[data-theme=dark] ") for step in shades)
    return (
        f"{light}@media screen and (prefers-color-scheme:dark){{{follows}}}"
        f"@media screen{{{chosen}}}"
    )


def heat_html(table: HeatTable) -> str:
    """Values, and below them the changes, in the colours of ``heat_css``."""
    head = "".join(
        f'<th scope="col"><span class="name">{escape(name)}</span>'
        f'<span class="sub">{escape(caption)}</span></th>'
        for name, caption in zip(table.columns, table.captions, strict=True)
    )
    body = "".join(
        f"<tr{' class=baseline' if k in table.baselines else ''}>"
        f'<th scope="row">{_label(label, k in table.baselines)}</th>'
        + "".join(_cell(cell) for cell in row)
        + "</tr>"
        for k, (label, row) in enumerate(zip(table.labels, table.rows, strict=True))
    )
    made = (
        f'<table class="heat"><thead><tr><th scope="col" class="corner">{table.compared.capitalize()}</th>'
        f"{head}</tr></thead><tbody>{body}</tbody></table>"
    )
    return scrolling(table.title, made)


def legend_html(noise: bool, replicas: bool) -> str:
    """How to read the colours and signs."""
    shades = "".join(f'<i class="{_class(step)}"></i>' for step in range(-STEPS, STEPS + 1) if step)
    parts = [
        f'<span class="shades" aria-hidden="true">worse {shades} better</span>',
        "<span>Change against the baseline; full colour at 100 %.</span>",
        "<span><b>Bold</b>: the best of its column, and what cannot be told from it.</span>",
    ]
    if replicas:
        parts.append("<span>±: half-width of the confidence interval over replicas.</span>")
    if noise:
        parts.append('<span class="noise">≈ within the noise of the replicas.</span>')
    return f'<p class="legend">{" ".join(parts)}</p>'


def pairs_html(pairs: tuple[tuple[str, str], ...], label: str) -> str:
    """Names and values, two columns."""
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td>{escape(value)}</td></tr>'
        for name, value in pairs
    )
    table = f'<table class="pairs"><tbody>{rows}</tbody></table>'
    return scrolling(label, table)


def scrolling(label: str, table: str) -> str:
    """A table that may be wider than the page."""
    named = f'tabindex="0" role="region" aria-label="{escape(label)}"'
    return f'<div class="scroll" {named}>{table}</div>'


def _label(label: str, baseline: bool) -> str:
    # A long name may break behind its separators; the sticky column then stays narrow on a phone.
    text = escape(label).replace(",", ",<wbr>").replace(" / ", " /<wbr> ")
    return text + ('<span class="sub">baseline</span>' if baseline else "")


def _cell(cell: HeatCell) -> str:
    if not cell.value:
        return '<td class="none">–</td>'
    names = [_class(cell.step)] if cell.step else []
    names += ["noise"] if cell.noise else []
    names += ["best"] if cell.best else []
    change = f'<span class="change">{escape(cell.change)}</span>' if cell.change else ""
    kind = f' class="{" ".join(names)}"' if names else ""
    return f'<td{kind}><span class="value">{escape(cell.value)}</span>{change}</td>'


def _class(step: int) -> str:
    return f"better{step}" if step > 0 else f"worse{-step}"


def _rule(step: int, theme: str, scope: str) -> str:
    fill, ink = heat_colours(step, theme)
    return f"{scope}.{_class(step)}{{background:{fill};color:{ink}}}"
