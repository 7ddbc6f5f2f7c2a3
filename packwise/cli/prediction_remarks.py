"""What falls away from a predictor when a log does not tell users or applications."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packwise.model.workload import Workload
    from packwise.predict import Predictor


def prediction_remarks(workload: Workload, predictors: Iterable[Predictor]) -> list[str]:
    """One line for each predictor that knows less of these jobs than it could use."""
    from packwise.model.workload import UNKNOWN

    columns = {"user": workload.user, "application": workload.app}
    missing = [name for name, column in columns.items() if (column == UNKNOWN).all()]
    if not missing:
        return []
    whose = f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} unknown in all jobs"
    lines = {one.name: _loss(one, missing) for one in predictors}
    return [f"{name}: {whose}, {loss}" for name, loss in lines.items() if loss]


def _loss(predictor: Predictor, missing: list[str]) -> str:
    from packwise.predict import Hierarchy, Last2, Regression, SurvivalProbability

    if isinstance(predictor, Last2 | Regression) and "user" in missing:
        return "so all count as one user's"
    known = [name for name in ("application", "user", "limit", "processors") if name not in missing]
    if isinstance(predictor, Hierarchy):
        # Templates are the non-empty subsets of four columns. Those that differ only in an unknown column
        # are the same, and one of unknown columns alone holds all jobs: the empty subset counts too.
        return f"so {2 ** len(known)} of 15 templates remain distinct, the last one of all jobs"
    if isinstance(predictor, SurvivalProbability):
        return f"so like jobs are those of equal {', '.join(known[:-1])} and {known[-1]}"
    return ""
