"""The predictors by name, for the command line and for studies."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from packwise.model.errors import InputError, UnknownName
from packwise.model.specification import specification
from packwise.predict.ceiling import Ceiling
from packwise.predict.data_driven import DataDriven
from packwise.predict.exact import Exact
from packwise.predict.gradient_boosting import GradientBoosting
from packwise.predict.hierarchy import Hierarchy
from packwise.predict.knn import NearestNeighbours
from packwise.predict.last2 import Last2
from packwise.predict.learning import LearningPredictor
from packwise.predict.predictor import Predictor
from packwise.predict.regression import Regression
from packwise.predict.requested import Requested
from packwise.predict.survival import SurvivalProbability


@dataclass(frozen=True)
class Entry:
    """A predictor in the catalogue: how it is made, what it does, and where it comes from."""

    make: Callable[[], Predictor]
    meaning: str
    source: str = ""


PREDICTORS = {
    "requested": Entry(Requested, "the limits that users asked for"),
    "exact": Entry(
        Exact, "the true run times, which no real scheduler knows; exact*1.5 multiplies them"
    ),
    "last2": Entry(
        Last2,
        "the mean of the user's last two run times",
        "Tsafrir et al., TPDS 2007",
    ),
    "hierarchy": Entry(
        Hierarchy,
        "a decayed mean over the most similar past jobs, by application, user, limit and processors",
        "Goponenko et al., SBAC-PAD 2022",
    ),
    "sp-2%": Entry(
        SurvivalProbability,
        "the time by which all but 2 % (or sp-5%: 5 %) of the past work of like jobs had ended",
        "Goponenko et al., SBAC-PAD 2022",
    ),
    "cvh": Entry(
        Regression,
        "on-line linear regression over the job and its user's past",
        "Gaussier et al., SC 2015",
    ),
    "data-driven": Entry(
        DataDriven,
        "the run time of the user's last job with a similar name and request",
        "Galleguillos et al., MOD 2017",
    ),
    "ceiling": Entry(
        Ceiling,
        "a little more than the highest share of their limits that like jobs used lately",
    ),
    "knn": Entry(
        NearestNeighbours,
        "a high quantile of the user's most similar past jobs, as shares of their limits; "
        "knn(k=15,quantile=90%) unless set otherwise",
    ),
    "gbm": Entry(
        GradientBoosting,
        "a high quantile by gradient-boosted trees, trained again every week; needs LightGBM",
        "Ke et al., NIPS 2017",
    ),
}

#: Predictors that run inside compiled code.
COMPILED = ("last2", "hierarchy", "sp-2%", "cvh", "data-driven", "ceiling", "knn")

_SURVIVAL = re.compile(r"sp-(\d+(?:\.\d+)?(?:e-\d+)?)%?")


def predictor(name: str) -> Predictor:
    """The built-in predictor that a name means."""
    written = specification("estimate", name, "last2(corrector=steps)")
    found = _base(written.name.lower(), name)
    if not isinstance(found, LearningPredictor):
        written.refuse_parameters(found.name)
        return found
    if written.inside is None:
        return found
    whose = f"estimate '{found.base_name}'"
    given = written.parameters(found.parameters(), owner=whose)
    return found.with_parameters({key: value.lower() for key, value in given.items()})


def meaning(found: Predictor) -> str:
    """What an estimate is, in a few words: the catalogue's, or the first line of its documentation."""
    if isinstance(found, Exact) and found.factor != 1:
        return f"{found.factor:g} times the true run time"
    base = getattr(found, "base_name", found.name)
    if isinstance(found, SurvivalProbability):
        return (
            f"the time by which all but {found.percent:g} % of the past work of like jobs had ended"
        )
    if base in PREDICTORS:
        return PREDICTORS[base].meaning.partition(";")[0]
    return (found.__doc__ or "").strip().partition("\n")[0]


def _base(text: str, name: str) -> Predictor:
    if text in PREDICTORS:
        return PREDICTORS[text].make()
    survival = _SURVIVAL.fullmatch(text)
    if survival:
        return SurvivalProbability(float(survival.group(1)))
    if text.startswith("exact*"):
        try:
            return Exact(float(text.removeprefix("exact*").replace("_", "?")))
        except ValueError:
            raise InputError(
                f"estimate '{name}': expected a number after 'exact*', such as exact*1.5, found "
                f"'{text.removeprefix('exact*')}'."
            ) from None
    raise UnknownName(
        "estimate",
        name,
        [*PREDICTORS, "exact*2"],
        remedy="`packwise policies` lists them all; yours is my.py:mine.",
    )
