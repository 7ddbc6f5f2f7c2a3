"""Cases that broke the product once stay mended, and a few new ones hold. More: ``python -m tests.attack``."""

from __future__ import annotations

import pytest

from tests.attack.fronts import Drawn, draw
from tests.attack.kept import kept
from tests.attack.trial import attempt
from tests.draws import draws


@pytest.mark.parametrize("drawn", kept(), ids=str)
def test_what_broke_once_stays_mended(drawn: Drawn) -> None:
    assert attempt(drawn).faults == []


@pytest.mark.draws
@pytest.mark.parametrize("drawn", draw(draws(60, few=16), first_seed=1), ids=str)
def test_a_few_cases_of_each_front_hold(drawn: Drawn) -> None:
    assert attempt(drawn).faults == []
