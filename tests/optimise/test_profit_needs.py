"""Classes of needs: what follows from them holds for the jobs themselves."""

from __future__ import annotations

import numpy as np
import pytest

from packwise.model.demands import Demands
from packwise.optimise.profit.needs import classes_of


@pytest.mark.parametrize(("kinds", "exact"), [(6, True), (2000, False)])
def test_harder_classes_need_no_less(kinds: int, exact: bool) -> None:
    random = np.random.default_rng(1)
    per_unit = np.unique(random.integers(0, 5 if exact else 900, (kinds, 2)), axis=0)
    open_to = np.array([[1, 1, 1], [1, 1, 0], [0, 0, 1]])
    where = random.integers(0, 3, len(per_unit))
    kind = random.integers(0, len(per_unit), 400)
    found = classes_of(Demands(np.ones(400, np.int64), kind, per_unit, where, open_to))
    assert len(found.harder) < 900
    if exact:
        assert (found.up == found.down).all()
    told = found.harder[found.up][:, found.down] > 0
    needs, rows = per_unit[kind], open_to[where[kind]]
    true = (needs[None] >= needs[:, None]).all(axis=2) & (rows[None] <= rows[:, None]).all(axis=2)
    assert (true | ~told).all()  # nothing is told that does not hold
    assert told.sum() > 0.3 * true.sum()  # and enough is
    if exact:
        assert (told == true).all()
