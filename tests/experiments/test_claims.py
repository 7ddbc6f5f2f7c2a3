"""Claims beside results: what holds, what does not, and what cannot be told."""

from __future__ import annotations

import csv
import io
from math import inf, nan

import pytest

from packwise.experiments.claim import Between, Claim, Falls, Flat, Largest, Swept
from packwise.experiments.tables import claim_values
from packwise.experiments.tables.claim_checks import Held, falls, flat, largest, within
from packwise.experiments.tables.claims import judge_claims
from packwise.experiments.tables.claims_text import (
    claim_rows,
    claims_csv,
    claims_page,
    claims_section,
    counted_claims,
    measured_text,
    value_text,
)
from tests.experiments.grids import filled, make_grid

AT = (0.2, 0.4, 0.6)


@pytest.mark.parametrize(
    ("check", "value", "held"),
    [
        (Between(None, 2), 2, Held.HOLDS),
        (Between(None, 0.3), 0.1 + 0.2, Held.HOLDS),
        (Between(None, 2), 2.001, Held.FAILS),
        (Between(2, None), 2, Held.HOLDS),
        (Between(2, None), 1.999, Held.FAILS),
        (Between(1, 2), 1.5, Held.HOLDS),
        (Between(1, 2), 2.5, Held.FAILS),
        (Between(-3, -2), -2.5, Held.HOLDS),
        (Between(None, 2), inf, Held.FAILS),
        (Between(2, None), inf, Held.HOLDS),
        (Between(None, 2), nan, Held.EMPTY),
        (Between(None, 2), None, Held.NOT_RUN),
    ],
)
def test_bounds(check, value, held):
    assert within(check, value).held is held


@pytest.mark.parametrize(
    ("share", "values", "held", "measured"),
    [
        (0.1, [9, 10, 11], Held.HOLDS, 0.1),
        (0.09, [9, 10, 11], Held.FAILS, 0.1),
        (0.1, [-9, -10, -11], Held.HOLDS, 0.1),
        (0, [5, 5], Held.HOLDS, 0),
        (0, [0, 0], Held.HOLDS, 0),
        (1, [-1, 1], Held.FAILS, None),
        (1, [1, None], Held.NOT_RUN, None),
        (1, [1, nan], Held.EMPTY, None),
        (1, [1, inf], Held.FAILS, None),
    ],
)
def test_flat(share, values, held, measured):
    found = flat(Flat(share), values)
    assert (found.held, found.measured) == (held, pytest.approx(measured) if measured else measured)


@pytest.mark.parametrize(
    ("fit", "values", "held", "measured"),
    [
        (1, [6, 4, 2], Held.HOLDS, 1.0),
        (0.9, [10, 2, 1], Held.FAILS, 0.8322),
        (0, [10, 2, 1], Held.HOLDS, 0.8322),
        (0, [10, 11, 1], Held.FAILS, 0.6676),
        (0, [5, 5, 5], Held.FAILS, 0.0),
        (0, [1, 2, 3], Held.FAILS, 1.0),
        (0, [1, None, 0], Held.NOT_RUN, None),
    ],
)
def test_falls(fit, values, held, measured):
    found = falls(Falls(fit), AT, values)
    assert found.held is held
    assert found.measured == (None if measured is None else pytest.approx(measured, abs=1e-4))


def test_where_values_do_not_fall_is_told():
    assert falls(Falls(0), AT, [3, 2, 2.5]).why == "does not fall from 0.4 to 0.6"


@pytest.mark.parametrize(
    ("values", "held", "why"),
    [
        ({"A": 1, "B": 3, "C": 2}, Held.HOLDS, "at B"),
        ({"A": 4, "B": 3, "C": 2}, Held.FAILS, "at A"),
        ({"A": 3, "B": 3, "C": 2}, Held.FAILS, "at A, B"),
        ({"A": nan, "B": 3, "C": 2}, Held.HOLDS, "at B"),
        ({"A": nan, "B": nan}, Held.EMPTY, "no value"),
        ({"A": 1, "B": None}, Held.NOT_RUN, ""),
    ],
)
def test_largest(values, held, why):
    found = largest(Largest("B", ("B",)), values)
    assert (found.held, found.why) == (held, why)


VALUES = {
    ("A 20%", "easy"): 8.0, ("A 40%", "easy"): 4.0, ("B 20%", "easy"): 9.0, ("B 40%", "easy"): 10.0,
    ("A 20%", "list-saf"): 4.0, ("A 40%", "list-saf"): 1.0, ("B 20%", "list-saf"): 18.0,
    ("B 40%", "list-saf"): 5.0,
}  # fmt: skip
SWEPT = {f"{name} {share}%": Swept(name, share / 100) for name in ("A", "B") for share in (20, 40)}


def judged(*claims, values=VALUES, **axes):
    study = make_grid(workloads=("A 40%", "A 20%", "B 20%", "B 40%"), **axes)
    study = study.replace(claims=claims, swept=SWEPT)
    results = filled(study, lambda labels: values.get((labels.workload, labels.policy)))
    return results, judge_claims(results)


def claim(check, **changes):
    given = {
        "says": "so | so",
        "metric": "BSLD",
        "policy": "easy",
        "workloads": tuple(SWEPT),
        "source": "section 1",
    }
    return Claim(**{**given, "check": check, **changes})


def found(verdict):
    return {str(f): (f.checked.measured, f.checked.held) for f in verdict.findings}


def test_a_value_everywhere():
    _, (verdict,) = judged(claim(Between(None, 9)))
    assert verdict.held is Held.FAILS
    assert found(verdict) == {
        "A 40%": (4, Held.HOLDS),
        "A 20%": (8, Held.HOLDS),
        "B 20%": (9, Held.HOLDS),
        "B 40%": (10, Held.FAILS),
    }
    _, (part,) = judged(claim(Between(None, 9), workloads=("A 20%", "B 20%")))
    assert part.held is Held.HOLDS


def test_against_another_policy():
    _, (verdict,) = judged(claim(Between(None, 1), policy="list-saf", against="easy"))
    assert [f.checked.measured for f in verdict.findings] == [0.25, 0.5, 2.0, 0.5]
    assert (
        measured_text(verdict),
        verdict.claim.quantity,
    ) == (
        "0.2500 to 2.00",
        "BSLD of list-saf, against easy",
    )


def test_with_one_estimate():
    """Nothing is said of the others, whatever their values."""
    for estimate, places in (("exact", 4), (None, 8)):
        one = claim(Between(None, 9), estimate=estimate)
        _, (verdict,) = judged(one, estimates=("exact", "requested"))
        assert len(verdict.findings) == places
        assert {finding.estimate for finding in verdict.findings} <= {"", "exact", "requested"}


def test_a_reason_why_it_does_not_hold():
    """Counts for where it fails only, and is said."""
    reason = "Our CBF is another."
    results, verdicts = judged(
        claim(Between(None, 9), explained=reason), claim(Between(None, 10), explained=reason)
    )
    assert [verdict.held for verdict in verdicts] == [Held.EXPLAINED, Held.HOLDS]
    assert counted_claims(verdicts) == (
        "1 of 2 claims hold, 1 does not, for a reason that is known."
    )
    text = claims_section(results, verdicts)
    assert f"- so \\| so: B 40%: 10.00. {reason}" in text
    assert "| does not hold, explained |" in text
    assert [row["explained"] for row in claim_rows(verdicts)] == [reason] * 2


def test_all_together(monkeypatch):
    """The mean, each workload with the weight of its jobs with a deadline; those without any do not count."""
    jobs = {"A 20%": 10.0, "A 40%": 30.0, "B 20%": 0.0, "B 40%": 60.0}
    monkeypatch.setattr(
        claim_values, "_mean_deadline_jobs", lambda results, point: jobs[point.workload]
    )
    mean = (10 * 8 + 30 * 4 + 60 * 10) / 100
    one = claim(Between(mean, mean), together=True)
    _, (verdict,) = judged(one)
    assert found(verdict) == {"all together": (mean, Held.HOLDS)}
    assert one.quantity == "BSLD of easy, all workloads together"
    jobs.update(dict.fromkeys(jobs, 0.0))
    _, (nobody,) = judged(one)
    assert nobody.held is Held.EMPTY
    _, (unfinished,) = judged(one, values={**VALUES, ("A 20%", "easy"): None})
    assert unfinished.held is Held.NOT_RUN


def test_along_the_sweep():
    """The order is that of the numbers, not that of the study."""
    _, (level, falling) = judged(claim(Flat(0.2)), claim(Falls(0.5)))
    assert found(level) == {
        "A": (pytest.approx(1 / 3), Held.FAILS),
        "B": (pytest.approx(0.5 / 9.5), Held.HOLDS),
    }
    assert list(level.findings[0].values.items()) == [("A 20%", 8.0), ("A 40%", 4.0)]
    assert found(falling) == {"A": (1.0, Held.HOLDS), "B": (1.0, Held.FAILS)}
    assert (level.held, falling.held) == (Held.FAILS, Held.FAILS)
    assert measured_text(level) == "5.3 to 33.3 % off"
    assert measured_text(falling) == "R² 1.000"


def test_the_largest():
    _, (one, other) = judged(
        claim(Largest("B", ("B 20%", "B 40%"))), claim(Largest("A 20%", ("A 20%",)))
    )
    assert (one.held, measured_text(one)) == (Held.HOLDS, "10.00 at B 40%")
    assert other.held is Held.FAILS


def test_machines_and_estimates_are_judged_one_by_one():
    _, (verdict,) = judged(
        claim(Between(None, 9)), machines=("small", "large"), estimates=("exact", "requested")
    )
    assert len(verdict.findings) == 16
    assert "A 20% / large / requested" in found(verdict)


def test_replicas_are_averaged():
    _, (verdict,) = judged(claim(Between(None, 9), workloads=("A 20%",)), replicas=3)
    assert found(verdict) == {"A 20%": (8, Held.HOLDS)}


def test_what_is_missing_is_not_judged():
    values = {place: value for place, value in VALUES.items() if place != ("A 20%", "easy")}
    _, (bounds, level, above) = judged(
        claim(Between(None, 99)), claim(Flat(1)), claim(Between(99, None)), values=values
    )
    assert (bounds.held, level.held, above.held) == (Held.NOT_RUN, Held.NOT_RUN, Held.FAILS)
    _, (nothing,) = judged(claim(Between(None, 1), against="list-saf"), values={})
    assert (nothing.held, measured_text(nothing)) == (Held.NOT_RUN, "–")


def test_no_part_of_nothing():
    values = dict.fromkeys(VALUES, 0.0)
    _, (verdict,) = judged(claim(Between(None, 1), against="list-saf"), values=values)
    assert verdict.held is Held.EMPTY
    values["A 20%", "easy"] = 1.0
    _, (verdict,) = judged(claim(Between(None, 1), against="list-saf"), values=values)
    assert (verdict.held, found(verdict)["A 20%"]) == (Held.FAILS, (inf, Held.FAILS))


def test_values_in_words():
    some = claim(Between(None, 1))
    assert value_text(some, 2.5) == "2.50"
    assert value_text(claim(Between(None, 1), metric="wait"), 7200.0) == "2.0 h"
    assert value_text(claim(Between(None, 1), metric="deadline_misses"), 7.0) == "7.00 jobs"
    assert value_text(claim(Between(None, 1), part_of="deadline_jobs"), 0.00123) == "0.123 %"
    assert (value_text(some, None), value_text(some, nan), value_text(some, inf)) == (
        "–",
        "–",
        "infinite",
    )
    assert [str(c) for c in (Flat(0.1), Falls(0.9), Falls(0), Between(1, None), Between(1, 2))] == [
        "each within 10 % of the mean of its series",
        "falls along its series, R² of a line 0.9 or more",
        "falls along its series",
        "at least 1",
        "1 to 2",
    ]


def test_counts():
    _, verdicts = judged(claim(Between(None, 9)), claim(Between(None, 99)), claim(Flat(0.2)))
    assert counted_claims(verdicts) == "1 of 3 claims hold, 2 do not."
    assert counted_claims(verdicts[1:2]) == "1 of 1 claim holds."
    _, missing = judged(claim(Flat(0.2)), values={})
    assert counted_claims(missing) == "0 of 1 claim holds, 1 without all results yet."


def test_as_rows_csv_and_page():
    results, verdicts = judged(claim(Between(None, 9)), claim(Flat(0.2)))
    rows = claim_rows(verdicts)
    assert [(row["verdict"], row["expected"]) for row in rows] == [
        ("does not hold", "at most 9"),
        ("does not hold", "each within 20 % of the mean of its series"),
    ]
    assert rows[1]["findings"][0]["values"] == {"A 20%": 8.0, "A 40%": 4.0}
    table = list(csv.DictReader(io.StringIO(claims_csv(verdicts))))
    assert len(table) == 8
    assert [row["verdict"] for row in table if row["workload"] == "B 40%"] == [
        "does not hold",
        "holds",
    ]
    assert {row["claim_verdict"] for row in table} == {"does not hold"}
    page = claims_page(results, verdicts)
    assert "# study" in page
    assert r"| so \| so (BSLD of easy) | section 1 | at most 9 | 4.00 to 10.00 |" in page
    assert r"- so \| so: A: 8.00, 4.00 (33.3 % off)." in page
