"""Tables and notebooks: what workloads, schedules and runs give to them.

Who makes these is far above the model, and needs libraries that it does not: they are asked for by name, and
only when somebody wants a table or a picture.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from packwise.model.errors import InputError


def polars_frame(thing: object) -> Any:
    """A table for Polars."""
    return import_module("packwise.frames").frame(thing)


def pandas_frame(thing: object) -> Any:
    """The same table for pandas, which has to be installed for that."""
    try:
        return polars_frame(thing).to_pandas()
    except ImportError as error:
        raise InputError(
            f"to_pandas() needs pandas and PyArrow ({error}): pip install pandas pyarrow; or use to_polars()."
        ) from error


def html_of(thing: object) -> str:
    """What a notebook shows."""
    found: str = import_module("packwise.notebook").html(thing)
    return found
