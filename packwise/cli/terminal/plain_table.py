"""A table whose cells are shown as they are: a user called [/x] is no markup."""

from __future__ import annotations

from typing import Any

from rich.table import Table
from rich.text import Text

from packwise.cli.terminal.printing import printable


class PlainTable(Table):
    """Texts are texts; a style is given by a ``Text``."""

    def add_row(self, *cells: Any, **options: Any) -> None:
        """Add a row of texts."""
        shown = (
            Text(printable(cell, lines=True)) if isinstance(cell, str) else cell for cell in cells
        )
        super().add_row(*shown, **options)
