"""Templates filled in. Whatever is put into one is escaped, unless it says that it is HTML."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from packwise.extras import extra
from packwise.reports.prose import whole_name
from packwise.reports.readings import typeset

if TYPE_CHECKING:
    from jinja2 import Environment


def rendered(template: str, **values: Any) -> str:
    """The template of this name, in ``templates/``, with these values."""
    return _environment().get_template(template).render(values)


@cache
def _environment() -> Environment:
    with extra("reports need", "jinja2", "report"):
        from jinja2 import Environment, PackageLoader, StrictUndefined
    made = Environment(
        loader=PackageLoader("packwise.reports.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"typeset": typeset, "whole": whole_name}
    return made
