"""The predictor: what the scheduler believes of run times."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from packwise.model.errors import InputError, PackwiseError, PredictorFailed
from packwise.model.workload import LARGEST, Ints, Workload

if TYPE_CHECKING:
    from packwise.engine.expectation import Expectation


@runtime_checkable
class Predictor(Protocol):
    """Anything with a name that says how long jobs will run, in one of three ways.

    ``estimates(workload)``: E of every job beforehand, in whole seconds, at least 1 and at most the job's
    limit (more with the attribute ``beyond_limit = True``).

    ``predict(job)`` and ``learn(job, runtime)``: E at submission, and what completed jobs teach. See
    ``packwise.predict.learner``.

    ``expect(workload)``: a compiled predictor. See ``packwise.predict.kernels.kernel``.

    A job is never cut at E, only at its limit. When it outlives E, a corrector gives it a new one: the
    limit, if nothing else is said.
    """

    @property
    def name(self) -> str: ...


def expectation(predictor: Predictor, workload: Workload) -> Expectation:
    """What one replay works with: fresh memory, checked estimates."""
    from packwise.engine.expectation import Expectation

    if hasattr(predictor, "expect"):
        with users_errors(predictor.name):
            found: Expectation = predictor.expect(workload)
        return found
    if hasattr(predictor, "predict"):
        from packwise.predict.learner import expect_from_learner

        return expect_from_learner(predictor, workload)
    return Expectation(predictor.name, estimates_of(predictor, workload))


@contextmanager
def users_errors(name: str) -> Iterator[None]:
    """An exception in a predictor's own code becomes one that names the predictor and the line."""
    try:
        yield
    except PackwiseError:
        raise
    except (Exception, SystemExit) as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        raise PredictorFailed(
            f"estimate '{name}' raised {type(error).__name__}: {error} "
            f"({where.filename}, line {where.lineno})"
        ) from error


def estimates_of(predictor: Any, workload: Workload) -> Ints:
    """The estimates of a predictor that gives them beforehand, checked."""
    if not hasattr(predictor, "estimates"):
        raise InputError(
            f"estimate '{predictor.name}' should have predict(job) and learn(job, runtime), or "
            "estimates(workload); found neither."
        )
    with users_errors(predictor.name):
        estimate = np.asarray(predictor.estimates(workload))
    if estimate.shape != (len(workload),) or not np.issubdtype(estimate.dtype, np.integer):
        raise InputError(
            f"estimate '{predictor.name}' should give one whole number per job ({len(workload)}), "
            f"found {estimate.dtype} of shape {estimate.shape}."
        )
    free = getattr(predictor, "beyond_limit", False)
    most = np.full(len(workload), LARGEST) if free else workload.requested_time
    wrong = (estimate < 1) | (estimate > most)
    if wrong.any():
        i = int(np.argmax(wrong))
        bound = f"{most[i]} s" if free else f"the job's limit of {most[i]} s"
        raise InputError(
            f"estimate '{predictor.name}', job {workload.id[i]}: should be between 1 s and {bound}, "
            f"found {estimate[i]} s."
        )
    return estimate.astype(np.int64)
