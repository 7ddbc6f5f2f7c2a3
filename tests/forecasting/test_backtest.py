"""Forecasts at moments of a log, as they would have been made then."""

from __future__ import annotations

import numpy as np
import pytest

from packwise import simulate
from packwise.forecasting import backtest
from packwise.forecasting.backtest import askable
from packwise.model.errors import InputError
from packwise.workloads.lublin import generate

PROCS = 64


def log(jobs=400):
    workload = generate(jobs, PROCS, seed=2, load=1.0)
    return workload, simulate(workload, PROCS, "easy").schedule.start


def test_no_forecast_looks_ahead():
    """Another future of the log changes no forecast that was made before it begins."""
    workload, start = log()
    places = askable(workload, start)[::12]
    moment = int(workload.submit[places[len(places) // 2]] + 60)
    # Everything that has not started by then happens a day later, and takes another time.
    later = start > moment
    other = np.where(later, start + 86_400, start)
    runs = (start <= moment) & (start + workload.runtime > moment)
    runtime = np.where(later | runs, workload.requested_time, workload.runtime)
    changed = workload.replace(runtime=runtime)
    one = backtest(workload, start, PROCS, places, count=5)
    two = backtest(changed, other, PROCS, places, count=5)
    early = one.asked <= moment
    assert 0 < early.sum() < len(places)
    assert (one.wait[early] == two.wait[early]).all()
    assert one.told[: int(early.sum())] == two.told[: int(early.sum())]
    assert (one.wait[~early] != two.wait[~early]).any()


@pytest.mark.slow
def test_quantiles_are_in_order_calibrated_or_not():
    workload, start = log()
    seen = []
    places = askable(workload, start)[::2]
    found = backtest(workload, start, PROCS, places, count=5, progress=seen.append)
    assert seen == list(range(1, len(places) + 1))
    assert (np.diff(found.wait, axis=1) >= 0).all()
    assert (found.wait >= 0).all()
    assert (np.diff(found.raw, axis=1) >= 0).all()
    assert (found.wait[:20] == found.raw[:20]).all()  # too little is known
    assert (found.wait[-20:] != found.raw[-20:]).any()
    assert found.raw.shape == found.wait.shape == (len(places), 3)


def test_at_the_submission_of_anybody():
    """The policy is known: who starts at once is known to, and who does not is not told so."""
    workload, start = log()
    places = np.arange(100, 400, 30)
    found = backtest(workload, start, PROCS, places, count=5, patience=0)
    at_once = found.outcome == 0
    assert at_once.any()
    assert (found.raw[at_once] == 0).all()
    assert (found.raw[~at_once] > 0).all()


def test_a_job_that_had_started():
    workload, start = log()
    place = np.flatnonzero(start == workload.submit)[:1]
    with pytest.raises(InputError, match="jobs that still wait 60 s after their submission"):
        backtest(workload, start, PROCS, place)
