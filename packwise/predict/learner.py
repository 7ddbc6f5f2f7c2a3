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

import sys
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from packwise.model.errors import InputError, PredictorFailed
from packwise.model.submission import submissions
from packwise.model.workload import Workload
from packwise.predict.correctors import Corrector, corrector_of

if TYPE_CHECKING:
    from packwise.engine.expectation import Expectation


def expect_from_learner(predictor: Any, workload: Workload) -> Expectation:
    """What one replay works with. The predictor itself is left as it is: a copy learns."""
    from packwise.engine.belief import FINISHED, INTERRUPTED, OUTLIVED, STARTED
    from packwise.engine.expectation import Expectation, PythonKernel

    _refuse_shared_memory(predictor)
    try:
        learner = deepcopy(predictor)
    except Exception as error:
        raise PredictorFailed(
            f"estimate '{predictor.name}' cannot be copied ({type(error).__name__}: {error}), and each "
            "replay works with a copy of its own. Make what cannot be copied when it is first needed, or "
            "give the class a method __deepcopy__."
        ) from error
    jobs = submissions(workload)
    runtime = workload.runtime.tolist()
    learn = getattr(learner, "learn", None)
    started = getattr(learner, "started", None)
    interrupted = getattr(learner, "interrupted", None)
    own = hasattr(learner, "correct")
    corrector = Corrector("own") if own else corrector_of(learner)
    if corrector.name == "own" and not own:
        raise InputError(
            f"estimate '{predictor.name}': its corrector is 'own', but it has no method correct(job, "
            "elapsed)."
        )

    def answer(event: int, job: int, time: int) -> float:
        told = jobs[job]
        if event == FINISHED:
            if learn is not None:
                learn(told, runtime[job])
        elif event == STARTED:
            if started is not None:
                started(told, time)
        elif event == INTERRUPTED:
            if interrupted is not None:
                interrupted(told, time)
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


def _refuse_shared_memory(predictor: Any) -> None:
    """What is kept in the class would be the same for all replays: one would learn from the other."""
    for kind in type(predictor).__mro__[:-1]:
        for name, value in vars(kind).items():
            if not name.startswith("__") and isinstance(value, dict | list | set):
                raise InputError(
                    f"estimate '{predictor.name}': the {type(value).__name__} '{name}' belongs to the class "
                    f"{kind.__name__}, so replays would share it. Make it in __init__: self.{name} = ..."
                )


def _seconds(name: str, answer: Any) -> float:
    try:
        return float(answer)
    except OverflowError:  # a whole number beyond all limits
        return sys.float_info.max if answer > 0 else -sys.float_info.max
    except (TypeError, ValueError):
        raise PredictorFailed(
            f"estimate '{name}': expected a number of seconds, found {answer!r}"
        ) from None
