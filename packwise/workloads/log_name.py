"""What a log is called."""

from __future__ import annotations

import os
import re
from pathlib import Path

_ENDINGS = re.compile(r"(\.swf|\.csv|\.parquet|\.txt|\.psv|\.json)?(\.gz)?$", re.IGNORECASE)


def log_name(path: str | os.PathLike[str]) -> str:
    """The name of a log: that of its file, without the endings that tell the format."""
    name = Path(path).name
    return _ENDINGS.sub("", name) or name
