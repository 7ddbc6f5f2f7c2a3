"""Names, parameters, suggestions, and what every entry has to say."""

import subprocess
import sys

import pytest

from packwise.metrics import METRICS, metric, summarize
from packwise.model import Cluster, Schedule, Workload
from packwise.model.errors import InputError, UnknownName

WORKLOAD = Workload.of([(0, 1, 5, 5), (1, 2, 30, 40)])
CLUSTER = Cluster.pool(2)
SCHEDULE = Schedule([0, 5], [5, 35])


@pytest.mark.parametrize("one", METRICS.values(), ids=METRICS)
def test_entry_teaches(one) -> None:
    assert one.title
    assert len(one.formula) >= 5
    assert len(one.paper) >= 20
    assert one.better in ("lower", "higher")
    assert one.meaning.count(".") >= 1
    assert len(one.meaning) > 60
    assert metric(one.name.upper()) is one
    assert metric(f" {one.name.lower()} ") is one


def test_default_table_is_the_cheap_ones_in_order() -> None:
    names = list(summarize(WORKLOAD, CLUSTER, SCHEDULE))
    unasked = {"R2", "MAE", "underpredicted"}
    unasked |= {one.name for one in METRICS.values() if one.costly}
    needing = (
        one for one in METRICS.values() if one.of_deadlines or one.of_promises or one.of_energy
    )
    unasked |= {one.name for one in needing}
    assert names == [name for name in METRICS if name not in unasked]
    assert names[:8] == ["BSLD", "slowdown", "AF", "wait", "AWF", "AWQ", "P1SF", "P2SF"]


def test_fairness_is_added_on_request() -> None:
    table = summarize(WORKLOAD, CLUSTER, SCHEDULE, ["AF"], fairness=True)
    assert list(table) == ["AF", "FST_misses", "FST_mean_miss", "FST_gold", "jain"]


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("p1.5sf", "P1.5SF"),
        ("P2.0SF", "P2SF"),
        ("bsld(60)", "BSLD(60)"),
        ("BSLD(10)", "BSLD"),
        ("LP_NORM(3)", "lp_norm(3)"),
        ("lp_norm(2)", "lp_norm"),
        ("wait_p95", "wait_p95"),
        ("bsld_p75", "BSLD_p75"),
        ("awf", "AWF"),
    ],
)
def test_parameters_in_names(asked: str, name: str) -> None:
    assert metric(asked).name == name
    assert list(summarize(WORKLOAD, CLUSTER, SCHEDULE, [asked])) == [name]


@pytest.mark.parametrize("asked", ["wait_p25_regular", "WAIT_P7.5_Deadline"])
def test_percentiles_of_a_class(asked: str) -> None:
    assert metric(asked).name.lower() == asked.lower()
    assert metric(asked).of_deadlines


@pytest.mark.parametrize(
    ("asked", "hint"), [("BSDL", "BSLD"), ("p2fs", "P2SF"), ("utilisation", "utilization")]
)
def test_near_miss_is_suggested(asked: str, hint: str) -> None:
    with pytest.raises(UnknownName, match=f"unknown metric '{asked}'.*{hint}"):
        metric(asked)


@pytest.mark.parametrize("asked", ["", "zzz", "P-1SF", "BSLD()", "BSLD(-3)", "lp_norm(nan)"])
def test_nonsense_is_refused(asked: str) -> None:
    with pytest.raises(UnknownName):
        metric(asked)


@pytest.mark.parametrize(
    "asked", ["BSLD(0)", "lp_norm(0.5)", "P101SF", "wait_p101", "wait_p101_regular"]
)
def test_parameter_out_of_range(asked: str) -> None:
    with pytest.raises(InputError, match="should be"):
        metric(asked)


def test_one_name_alone() -> None:
    assert summarize(WORKLOAD, CLUSTER, SCHEDULE, "makespan") == {"makespan": 35.0}


def test_importing_is_light() -> None:
    """No numba, polars or matplotlib before they are needed."""
    code = (
        "import sys, packwise.metrics, packwise.feasibility\n"
        "assert not {'numba', 'polars', 'matplotlib'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
