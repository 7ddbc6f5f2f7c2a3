"""A predictor in plain Python: two methods, or one.

    class Twice:
        name = "twice"

        def __init__(self):
            self.last = {}

        def predict(self, job):
            return 2 * self.last.get(job.user, job.limit)

        def learn(self, job, runtime):
            self.last[job.user] = runtime

``job`` is a Submission. ``learn`` is called when a job has ended, in the order of the ends. Optional: ``updates
= True`` asks ``predict`` again for the waiting jobs when others have ended; ``started(job, now)``;
``correct(job, elapsed)``, a new estimate for a running job that has outlived its own, or ``corrector =
"steps"`` for one of the built-in ways (the limit otherwise).

Answers are rounded, and cut to 1 s at least and the limit at most. One that is not a finite number, or an
exception, ends the replay with a PredictorFailed that names the job.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from packwise.model.errors import PredictorFailed
from packwise.model.submission import submissions
from packwise.model.workload import Workload
from packwise.predict.correctors import Corrector
from packwise.predict.predictor import users_errors

if TYPE_CHECKING:
    from packwise.engine.expectation import Expectation


def expect_from_learner(predictor: Any, workload: Workload) -> Expectation:
    """What one replay works with. The predictor itself is left as it is: a copy learns."""
    from packwise.engine.belief import FINISHED, OUTLIVED, STARTED
    from packwise.engine.expectation import Expectation, PythonKernel

    with users_errors(predictor.name):
        learner = deepcopy(predictor)
    jobs = submissions(workload)
    runtime = workload.runtime.tolist()
    learn = getattr(learner, "learn", None)
    started = getattr(learner, "started", None)
    own = hasattr(learner, "correct")
    corrector = Corrector("own" if own else str(getattr(learner, "corrector", "limit")))

    def answer(event: int, job: int, time: int) -> float:
        told = jobs[job]
        if event == FINISHED:
            if learn is not None:
                learn(told, runtime[job])
        elif event == STARTED:
            if started is not None:
                started(told, time)
        elif event == OUTLIVED:
            return _seconds(predictor.name, learner.correct(told, time))
        else:
            return _seconds(predictor.name, learner.predict(told))
        return 0.0

    return Expectation(
        predictor.name,
        workload.requested_time,
        PythonKernel(answer),
        updates=bool(getattr(learner, "updates", False)),
        correction=corrector.code,
        corrector=corrector.kernel(workload),
    )


def _seconds(name: str, answer: Any) -> float:
    try:
        return float(answer)
    except (TypeError, ValueError, OverflowError):
        raise PredictorFailed(
            f"estimate '{name}': expected a number of seconds, found {answer!r}"
        ) from None
