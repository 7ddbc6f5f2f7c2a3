"""Where in a user's code an exception came from."""

from __future__ import annotations

import traceback
from pathlib import Path

_OURS = Path(__file__).resolve().parents[1]


def place_of(error: BaseException) -> str:
    """ " (file, line n)" of the last line that is not Packwise's own; nothing where there is none."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if not Path(frame.filename).is_relative_to(_OURS):
            return f" ({frame.filename}, line {frame.lineno})"
    return ""
