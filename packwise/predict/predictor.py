"""The predictor: what the scheduler believes of run times."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from packwise.model.blame import place_of
from packwise.model.errors import InputError, PackwiseError, PredictorFailed
from packwise.model.workload import LARGEST, Ints, Workload
from packwise.predict.correctors import corrector_of

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

    It may have ``reproducible`` and ``packages``, as policies may: see ``packwise.model.decision.Policy``.
    """

    @property
    def name(self) -> str: ...


def expectation(predictor: Predictor, workload: Workload) -> Expectation:
    """What one replay works with: fresh memory, checked estimates."""
    from packwise.engine.expectation import Expectation

    _check_is_predictor(predictor)
    if hasattr(predictor, "expect"):
        with users_errors(predictor.name):
            found: Expectation = predictor.expect(workload)
        if not isinstance(found, Expectation):
            raise InputError(
                f"estimate '{predictor.name}': expect(workload) should return an Expectation, found "
                f"{type(found).__name__}."
            )
        return found
    if hasattr(predictor, "predict"):
        from packwise.predict.learner import expect_from_learner

        return expect_from_learner(predictor, workload)
    corrector = corrector_of(predictor)
    estimate = estimates_of(predictor, workload)
    if corrector.name not in ("limit", "steps", "doubling"):
        raise InputError(
            f"estimate '{predictor.name}': with estimates given beforehand the corrector should be limit, "
            f"steps or doubling, found '{corrector.name}'."
        )
    return Expectation(predictor.name, estimate, correction=corrector.code)


def _check_is_predictor(predictor: Any) -> None:
    if isinstance(predictor, type):
        raise InputError(
            f"an estimate should be an object, found the class {predictor.__name__}. Write "
            f"{predictor.__name__}()."
        )
    name = getattr(predictor, "name", None)
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise InputError(
            f"an estimate should have a name, text of one line, found {name!r} in a "
            f"{type(predictor).__name__}."
        )


@contextmanager
def users_errors(name: str) -> Iterator[None]:
    """An exception in a predictor's own code becomes one that names the predictor and the line."""
    try:
        yield
    except PackwiseError:
        raise
    except (Exception, SystemExit) as error:
        raise PredictorFailed(
            f"estimate '{name}' raised {type(error).__name__}: {error}{place_of(error)}"
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
