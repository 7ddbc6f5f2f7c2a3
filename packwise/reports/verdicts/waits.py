"""What becomes of the waits of a case under another policy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from packwise.metrics.chance import Change
from packwise.metrics.group_changes import GroupChange


class Waits(NamedTuple):
    """Against the baseline: of all jobs, and by the kinds of groups that there are, each with its groups."""

    overall: Change
    groups: Mapping[str, list[GroupChange]]
