"""What users' functions may ask for by name, in the order of their compiled signatures."""

from __future__ import annotations

KEY_ARGUMENTS = ("now", "submit", "demand", "estimate", "limit", "user", "partition")
COST_ARGUMENTS = ("start", *KEY_ARGUMENTS)
