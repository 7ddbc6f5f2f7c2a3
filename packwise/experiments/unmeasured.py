"""Which metrics stored results lack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packwise.experiments.store import Store
from packwise.metrics.own import stored_name
from packwise.model.errors import InputError

if TYPE_CHECKING:
    import polars as pl


def lacking(results: pl.DataFrame, names: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Which of these metrics each stored result has no value of."""
    keys = results["key"].to_list()
    if not names:
        return dict.fromkeys(keys, ())
    absent = [
        results[name].is_null().to_list() if name in results.columns else [True] * len(keys)
        for name in names
    ]
    return {
        key: tuple(name for name, column in zip(names, absent, strict=True) if column[i])
        for i, key in enumerate(keys)
    }


def not_measured(store: Store, key: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Those that the record does not have at all: a value that is not finite was measured, too."""
    try:
        known = store.record(key)["metrics"]
    except InputError:
        return names
    return tuple(name for name in names if stored_name(name) not in known)
