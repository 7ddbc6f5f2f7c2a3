"""Stored results under the names that a study gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packwise.experiments.index import table_text
from packwise.experiments.scenario import Labels
from packwise.experiments.study import Study

if TYPE_CHECKING:
    import polars as pl


def stored_results(study: Study, results: pl.DataFrame) -> pl.DataFrame:
    """The rows of ``results`` that belong to the study, one per scenario, with the study's labels."""
    import polars as pl

    columns = {"key": [scenario.key for scenario in study.scenarios]}
    labels = list(zip(*(scenario.labels for scenario in study.scenarios), strict=True))
    columns |= {
        name: list(map(table_text, values))
        for name, values in zip(Labels._fields, labels, strict=True)
    }
    return pl.DataFrame(columns).join(results.drop(Labels._fields), on="key", how="inner")
