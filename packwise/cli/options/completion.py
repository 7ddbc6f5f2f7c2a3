"""What a shell offers when Tab is pressed: names of policies, estimates and metrics; files.

Names come in lists, separated by commas: the last one is completed. ``packwise --install-completion`` sets it
up.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

#: What a trace may end in.
_ENDINGS = (".swf", ".gz", ".csv", ".parquet", ".txt", ".psv", ".json", ".toml")


def policies(incomplete: str) -> list[str]:
    """Policies by name."""
    from packwise.policies.catalogue import ALIASES
    from packwise.registry import HISTORY, POLICIES

    return _last(incomplete, [*POLICIES, *HISTORY, *ALIASES])


def estimates(incomplete: str) -> list[str]:
    """Estimates by name."""
    from packwise.predict.catalogue import PREDICTORS

    return _last(incomplete, PREDICTORS)


def metrics(incomplete: str) -> list[str]:
    """Metrics by name."""
    from packwise.metrics.catalogue import METRICS

    return _last(incomplete, [*METRICS, "all"])


def traces(incomplete: str) -> list[str]:
    """Files that may be traces, and folders on the way to them."""
    path = Path(incomplete)
    folder = path if incomplete.endswith("/") else path.parent
    start = "" if incomplete.endswith("/") else path.name
    try:
        entries = sorted(folder.expanduser().iterdir())
    except OSError:
        return []
    found = []
    for entry in entries:
        if not entry.name.startswith(start) or (entry.name.startswith(".") and not start):
            continue
        shown = (
            entry.name if str(folder) == "." and "/" not in incomplete else str(folder / entry.name)
        )
        if entry.is_dir():
            found.append(f"{shown}/")
        elif entry.name.lower().endswith(_ENDINGS):
            found.append(shown)
    return found


def _last(incomplete: str, names: Iterable[str]) -> list[str]:
    """The names that go on as the last of a list does, each behind the others."""
    before, comma, part = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in names if name.lower().startswith(part.lower())]
