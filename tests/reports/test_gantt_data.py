"""Which jobs the Gantt chart shows, and what the page can read of them."""

from __future__ import annotations

import base64
import gzip

import numpy as np

from packwise.metrics.series import queue_length
from packwise.reports.figures import compute
from packwise.reports.gantt import jobs as gantts
from tests.reports.materials import make_case, make_material
from tests.reports.varint_reader import read_varints


def test_small_cases_are_shown_whole():
    run = make_case(("easy",)).runs[0].load()
    window = gantts.choose_window(run, 1000)
    assert (window.first, window.beyond) == (0, len(run.workload))
    assert window.note == ""


def test_large_cases_show_the_longest_queue():
    run = make_case(("easy",), jobs=2000).runs[0].load()
    window = gantts.choose_window(run, 300)
    assert window.beyond - window.first == 300
    assert "300 of 2,000 jobs" in window.note
    step = queue_length(*run)
    peak = step.times[np.argmax(step.values)]
    submit = run.workload.submit[window.first : window.beyond]
    assert submit[0] <= peak
    assert submit[-1] >= peak or window.beyond == 2000


def test_the_note_names_the_edges_that_are_cut():
    assert "both edges" in gantts.Window(5, 10, 20).note
    assert "the left edge" in gantts.Window(5, 20, 20).note
    assert "the right edge" in gantts.Window(0, 10, 20).note


def test_budgets_share_what_there_is():
    assert gantts.budgets([(1000, 5)]) == [1000]
    assert gantts.budgets([(250_000, 5)]) == [100_000]
    assert gantts.budgets([(250_000, 50)]) == [10_000]
    shares = gantts.budgets([(250_000, 5), (1000, 5), (250_000, 5)])
    assert shares[1] == 1000
    assert sum(5 * share for share in shares) <= gantts.MOST_ENTRIES
    assert shares[0] > 45_000


def test_columns_come_back():
    case = make_case(jobs=200)
    one = compute(make_material(case)).cases[0].gantt
    rest = gzip.decompress(base64.b64decode(one.packed()))
    run = case.runs[2].load()
    found = []
    for delta in (True, True, False, False, False, *([False] * 6)):
        column, rest = read_varints(rest, 200, delta=delta)
        found.append(column)
    assert rest == b""
    log = run.workload
    assert found[0].tolist() == log.id.tolist()
    assert found[1].tolist() == (log.submit - log.submit[0]).tolist()
    assert found[2].tolist() == log.runtime.tolist()
    assert found[3].tolist() == log.demand.tolist()
    assert [one.users[k] for k in found[4].tolist()] == [f"user {k}" for k in log.user.tolist()]
    assert found[9].tolist() == (run.schedule.start - log.submit).tolist()
    assert not found[10].any()
