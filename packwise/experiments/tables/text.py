"""Tables of a study as CSV, Markdown and LaTeX."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from packwise.experiments.tables.results import StudyResults
from packwise.experiments.tables.tabulation import Block, Entry, StudyTable, rows
from packwise.metrics.definition import Metric

#: What LaTeX gives a meaning to, and signs that its usual fonts lack.
_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    "[": "{[}",
    "≈": r"$\approx$",
    "†": r"$\dagger$",
    "±": r"$\pm$",
    "–": r"\textendash{}",
    "α": r"$\alpha$",
    "×": r"$\times$",
}
_MARKDOWN = {sign: f"\\{sign}" for sign in "\\|*_`<>[]"}


def csv_text(results: StudyResults, metrics: list[Metric]) -> str:
    """One line per point and metric; nothing where there is no value."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for i, row in enumerate(rows(results, metrics)):
        if i == 0:
            writer.writerow(row)
        writer.writerow(_csv_cell(value) for value in row.values())
    return text.getvalue()


def _csv_cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return repr(value) if isinstance(value, float) else str(value)


def markdown_text(tables: Iterable[StudyTable]) -> str:
    """A heading, the blocks and the legend of each table."""
    parts = []
    for table in tables:
        parts.append(f"## {markdown_escape(table.title)}")
        for block in table.blocks:
            if block.title:
                parts.append(f"**{markdown_escape(block.title)}**")
            parts.append(_markdown_block(block))
        parts.append("  \n".join(table.legend))
    return "\n\n".join(parts) + "\n"


def _markdown_block(block: Block) -> str:
    lines = [
        _markdown_row(["policy", *map(markdown_escape, block.columns)]),
        _markdown_row(["---", *["---:"] * len(block.columns)]),
    ]
    for row in block.rows:
        name = markdown_escape(row.policy) + (" (baseline)" if row.baseline else "")
        lines.append(_markdown_row([name, *map(_markdown_entry, row.entries)]))
    return "\n".join(lines)


def _markdown_row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown_entry(entry: Entry) -> str:
    return f"**{entry.marked}**" if entry.best else entry.marked


def markdown_escape(text: str) -> str:
    """A label so that Markdown shows it as it is."""
    return "".join(_MARKDOWN.get(sign, sign) for sign in " ".join(text.split()))


def latex_text(tables: Iterable[StudyTable]) -> str:
    """A table environment per block, for a document that uses booktabs."""
    parts = [r"% For a document with \usepackage{booktabs}."]
    for table in tables:
        for block in table.blocks:
            caption = ", ".join(filter(None, (table.title, block.title)))
            parts.append(_latex_block(block, f"{caption}. {' '.join(table.legend)}"))
    return "\n\n".join(parts) + "\n"


def _latex_block(block: Block, caption: str) -> str:
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{latex_escape(caption)}}}",
        rf"\begin{{tabular}}{{l{'r' * len(block.columns)}}}",
        r"\toprule",
        _latex_row(["policy", *map(latex_escape, block.columns)]),
        r"\midrule",
    ]
    for row in block.rows:
        name = latex_escape(row.policy) + (" (baseline)" if row.baseline else "")
        lines.append(_latex_row([name, *map(_latex_entry, row.entries)]))
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}"])


def _latex_row(cells: list[str]) -> str:
    return rf"{' & '.join(cells)} \\"


def _latex_entry(entry: Entry) -> str:
    text = entry.text
    text = f"$-${latex_escape(text[1:])}" if text.startswith("-") else latex_escape(text)
    if not entry.clear:
        text = rf"$\approx$\,{text}"
    if not entry.reproducible:
        text = rf"{text}\,$\dagger$"
    return rf"\textbf{{{text}}}" if entry.best else text


def latex_escape(text: str) -> str:
    """Text so that LaTeX prints it as it is."""
    escaped = "".join(_LATEX.get(sign, sign) for sign in " ".join(text.split()))
    return escaped if "--" not in text else escaped.replace("--", "-{}-")
