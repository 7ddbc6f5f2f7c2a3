"""The commands of the product with their options, as they are declared: a new one is found by itself."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, get_args

import typer
from typer.utils import get_params_from_function

from packwise.cli.app import app

#: What no case runs: others go to a network or to Slurm, or take seconds.
LEFT_OUT = ("compile", "demo", "slurm", "workload fetch")


class Parameter(NamedTuple):
    """An option, or an argument if it has no flag."""

    name: str
    flag: str
    kind: Any

    @property
    def is_path(self) -> bool:
        return Path in (self.kind, *_inside(self.kind))

    @property
    def is_number(self) -> bool:
        return not {int, float}.isdisjoint((self.kind, *_inside(self.kind)))

    @property
    def is_switch(self) -> bool:
        return self.kind is bool


class Command(NamedTuple):
    name: str
    parameters: tuple[Parameter, ...]


@cache
def commands() -> tuple[Command, ...]:
    return tuple(one for one in _of(app, "") if not one.name.startswith(LEFT_OUT))


@cache
def whole() -> Any:
    """All of the command line. It takes longer to put together than a case."""
    return typer.main.get_command(app)


def _of(group: typer.Typer, above: str) -> Iterator[Command]:
    for info in group.registered_commands:
        assert info.callback is not None
        name = info.name or info.callback.__name__.replace("_", "-")
        found = get_params_from_function(info.callback).items()
        yield Command(f"{above}{name}", tuple(_parameter(key, meta) for key, meta in found))
    for within in group.registered_groups:
        assert within.typer_instance is not None
        yield from _of(within.typer_instance, f"{above}{within.name} ")


def _parameter(name: str, meta: Any) -> Parameter:
    is_option = isinstance(meta.default, typer.models.OptionInfo)
    flags = [text for text in meta.default.param_decls or () if text.startswith("--")]
    return Parameter(name, flags[0] if is_option else "", meta.annotation)


def _inside(kind: Any) -> Iterator[Any]:
    """The types within ``list[Path] | None``."""
    for one in get_args(kind):
        yield one
        yield from _inside(one)
