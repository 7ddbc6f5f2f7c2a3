from __future__ import annotations

import csv
import io

import pytest

from packwise.experiments.names import Names
from packwise.experiments.scenario import Choice, Labels, MachineSpec, Scenario
from packwise.experiments.study import Baseline
from packwise.experiments.tables.cells import Cell
from packwise.experiments.tables.leaders import leading, outstanding
from packwise.experiments.tables.results import Point, StudyResults
from packwise.experiments.tables.tabulation import lacking, rows, tabulate
from packwise.experiments.tables.text import csv_text, latex_escape, latex_text, markdown_text
from packwise.metrics.catalogue import metric
from packwise.model.errors import InputError, UnknownName
from packwise.reports.heat.table import case_table, overview_table
from packwise.reports.material import Case, Material, ReportRun
from packwise.reports.page.rendering import rendered
from tests.experiments.grids import filled, make_grid

BSLD, WAIT = metric("BSLD"), metric("wait")


def texts(table, block=0):
    return {row.policy: [e.marked for e in row.entries] for row in table.blocks[block].rows}


def test_values_and_cells():
    """easy 10 and 20; saf 5 and 30: -50 % and +50 %."""
    study = make_grid(replicas=2)
    given = {("easy", 0): 10, ("easy", 1): 20, ("list-saf", 0): 5, ("list-saf", 1): 30}
    results = filled(study, lambda labels: given[labels.policy, labels.replica])
    assert results.value(Labels("A", "", "list-saf", "exact", 1), "BSLD") == 30
    assert results.value(Labels("A", "", "list-saf", "exact", 7), "BSLD") is None
    assert results.value(Labels("A", "", "list-saf", "exact", 1), "AWF") is None
    cell = results.cell(Point("A", "", "list-saf", "exact"), "BSLD")
    assert (cell.value, cell.change, cell.replicas, cell.pairs) == (17.5, 0.0, 2, 2)
    assert cell.significant is False
    assert results.cell(Point("A", "", "nobody", "exact"), "BSLD") is None
    assert not results.missing()


def test_results_that_are_missing_or_lack_a_metric():
    import polars as pl

    study = make_grid(replicas=2)
    values = {s.key: {"BSLD": 1.0 + i, "AF": None} for i, s in enumerate(study.scenarios[:5])}
    frame = pl.DataFrame(
        {"key": list(values), "BSLD": [v["BSLD"] for v in values.values()], "AF": [None] * 5}
    )
    results = StudyResults.of(study, frame)
    assert [results.value(s.labels, "BSLD") for s in study.scenarios[:5]] == [1, 2, 3, 4, 5]
    assert results.missing() == list(study.scenarios[5:])
    assert len(results.unmeasured("AF")) == 5


def test_a_missing_replica_leaves_the_others_paired():
    study = make_grid(workloads=("A",), replicas=3)

    def value(labels):
        if labels.policy == "easy" and labels.replica == 1:
            return None
        return 10.0 + labels.replica if labels.policy == "easy" else 20.0 + labels.replica * 2

    results = filled(study, value)
    cell = results.cell(Point("A", "", "list-saf", "exact"), "BSLD")
    assert (cell.replicas, cell.pairs, cell.change) == (3, 2, pytest.approx(100))
    table = tabulate(results, BSLD)
    assert "(n=2)" in texts(table)["list-saf"][0]
    assert any("n counts the replicas" in line for line in table.legend)
    assert [str(s) for s in results.missing()] == ["A / easy / exact / replica 1"]


def test_policies_by_workloads():
    study = make_grid(policies=("easy", "list-saf", "list-laf"))
    given = {"easy": 100.0, "list-saf": 40.0, "list-laf": None}
    table = tabulate(filled(study, lambda labels: given[labels.policy]), BSLD)
    assert table.blocks[0].columns == ("A", "B")
    assert texts(table) == {
        "easy": ["100", "100"],
        "list-saf": ["-60 %", "-60 %"],
        "list-laf": ["–", "–"],
    }
    easy, saf, laf = table.blocks[0].rows
    assert (easy.baseline, saf.baseline) == (True, False)
    assert [row.entries[0].best for row in (easy, saf, laf)] == [False, True, False]
    assert saf.entries[0].verdict == 1
    assert any("no result" in line for line in table.legend)


def test_higher_can_be_better():
    study = make_grid(workloads=("A",))
    given = {"easy": 0.8, "list-saf": 0.9}
    results = filled(study, lambda labels: given[labels.policy], "utilization")
    entry = tabulate(results, metric("utilization")).blocks[0].rows[1].entries[0]
    assert (entry.best, entry.verdict, entry.text) == (True, 1, "+12 %")


def test_intervals_and_unclear_changes():
    study = make_grid(workloads=("A",), policies=("easy", "list-saf", "list-laf"), replicas=3)
    given = {"easy": [100, 100, 100], "list-saf": [49, 50, 51], "list-laf": [80, 100, 120]}
    table = tabulate(filled(study, lambda labels: given[labels.policy][labels.replica]), BSLD)
    assert texts(table) == {
        "easy": ["100 ±0"],
        "list-saf": ["-50.0 ±2.5 %"],
        "list-laf": ["≈ 0 ±50 %"],
    }
    assert len(table.legend) == 3
    assert "95 % confidence interval over 3 replicas" in table.legend[1]


def test_durations_have_one_unit_per_column():
    study = make_grid(workloads=("A",))
    given = {"easy": 7200.0, "list-saf": 60.0}
    results = filled(study, lambda labels: given[labels.policy], "wait")
    assert texts(tabulate(results, WAIT, values=True)) == {
        "easy": ["2.00 h"],
        "list-saf": ["0.0167 h"],
    }


def test_values_where_the_baseline_is_zero():
    study = make_grid(workloads=("A",))
    given = {"easy": 0.0, "list-saf": 3.0}
    table = tabulate(filled(study, lambda labels: given[labels.policy]), BSLD)
    assert texts(table) == {"easy": ["0"], "list-saf": ["3.00"]}
    assert table.blocks[0].rows[0].entries[0].best
    assert any("baseline is 0" in line for line in table.legend)


def test_one_workload_puts_estimates_side_by_side():
    study = make_grid(workloads=("A",), estimates=("exact", "requested"))
    table = tabulate(filled(study, lambda labels: 1.0), BSLD)
    assert [(b.title, b.columns) for b in table.blocks] == [("A", ("exact", "requested"))]


def test_blocks_for_estimates_and_machines():
    study = make_grid(estimates=("exact", "requested"), machines=("small", "large"))
    table = tabulate(filled(study, lambda labels: 1.0), BSLD)
    assert [block.title for block in table.blocks] == [
        "small / exact",
        "small / requested",
        "large / exact",
        "large / requested",
    ]
    assert table.size == 16


def test_another_estimate_as_baseline():
    study = make_grid(estimates=("exact", "requested"))
    results = filled(study, lambda labels: 10.0 if labels.estimate == "exact" else 40.0)
    table = tabulate(results.against(Baseline(estimate="requested")), BSLD)
    assert texts(table, 0)["easy"] == ["-75 %", "-75 %"]
    assert texts(table, 1)["easy"] == ["40.00", "40.00"]
    assert all(row.baseline for row in table.blocks[1].rows)


def test_an_empty_label_can_be_a_baseline():
    study = make_grid(workloads=("A",), machines=("", "twice"), baseline=Baseline(machine=""))
    results = filled(study, lambda labels: 10.0 if labels.machine else 20.0)
    assert results.cell(Point("A", "twice", "easy", "exact"), "BSLD").change == -50


def test_long_form():
    study = make_grid(workloads=("A",))
    results = filled(study, lambda labels: 7200.0 if labels.policy == "easy" else None, "wait")
    found = list(csv.DictReader(io.StringIO(csv_text(results, [WAIT]))))
    assert list(found[0]) == [
        *("workload", "machine", "estimate", "policy", "metric", "unit", "value", "half_width"),
        *(
            "change_percent",
            "change_half_width",
            "significant",
            "replicas",
            "pairs",
            "reproducible",
        ),
    ]
    assert (found[0]["value"], found[0]["unit"], found[0]["replicas"]) == ("7200.0", "s", "1")
    assert (found[1]["policy"], found[1]["value"], found[1]["replicas"]) == ("list-saf", "", "0")
    assert [row["value"] for row in rows(results, [WAIT])] == [7200.0, None]


@pytest.mark.parametrize(
    ("laf", "expected"),
    [
        ((120.0, 20.0, 70.0), ["list-saf", "easy", "list-laf"]),
        ((120.0, 121.0, 119.0), ["list-saf", "easy"]),
    ],
    ids=["nobody is worse for certain", "saf and easy cannot be told apart"],
)
def test_the_best_is_that_of_the_report(laf, expected):
    """saf has the best mean, 59, and easy 60, but replica by replica they differ by -4, 2 and -1."""
    given = {"easy": (62.0, 58.0, 60.0), "list-saf": (58.0, 60.0, 59.0), "list-laf": laf}
    study = make_grid(workloads=("A",), policies=tuple(given), replicas=3)
    results = filled(study, lambda labels: given[labels.policy][labels.replica])
    table = tabulate(results, BSLD)
    bold = [row.policy for row in table.blocks[0].rows if row.entries[0].best]
    assert bold == (
        [] if len(expected) == len(given) else [one for one in given if one in expected]
    )
    assert ("bold" in table.legend[0]) == bool(bold)
    runs = tuple(
        ReportRun(
            point.policy,
            point.policy,
            {"BSLD": cell},
            lambda: None,
            samples={"BSLD": results.sample(point, "BSLD")},
        )
        for point, cell in zip(results.points, results.cells("BSLD"), strict=True)
    )
    case = Case("A", "", "exact", 10, 4, runs, 0, 3)
    heat = case_table(case, ("BSLD",))
    assert [run.label for run, row in zip(runs, heat.rows, strict=True) if row[0].best] == bold


def test_what_the_change_shows_is_not_tied_though_the_values_would_read_alike():
    """1.0149 and 1.0051 both read 1.01, but one of them is shown as 1 % better than the other."""
    given = {"easy": 1.0149, "list-saf": 1.0051, "list-laf": 2.0}
    study = make_grid(workloads=("A",), policies=tuple(given))
    results = filled(study, lambda labels: given[labels.policy])
    for values, expected in ((False, [False, True, False]), (True, [True, True, False])):
        rows = tabulate(results, BSLD, values=values).blocks[0].rows
        assert [row.entries[0].best for row in rows] == expected


@pytest.mark.parametrize(
    ("values", "name", "expected"),
    [
        ((3.0, 1.0, None, 1.0), "BSLD", [False, True, False, True]),
        ((3.0, 1.0, None, 1.004), "BSLD", [False, True, False, True]),
        ((3.0, 1.0, None, 1.01), "BSLD", [False, True, False, False]),
        ((3.0, 1.0, None, 1.0), "utilization", [True, False, False, False]),
        ((1.0, 1.0), "BSLD", [False, False]),
        ((1.0, 1.004), "BSLD", [False, False]),
        ((1.0, None), "BSLD", [False, False]),
        ((2.0, float("nan"), 1.0), "BSLD", [False, False, True]),
        ((), "BSLD", []),
    ],
)
def test_the_best(values, name, expected):
    cells = [None if v is None else Cell(v, None, None, None, None, 1) for v in values]
    samples = [()] * len(cells)
    leads = leading(cells, samples, (), metric(name), 0.95, lambda shown, _: list(map(str, shown)))
    assert outstanding(leads, cells) == expected


@pytest.mark.parametrize(
    ("compared", "heading"),
    [("policy", "Policy"), ("estimate", "Estimate"), ("machine", "Machine")],
)
def test_tables_of_reports_say_what_is_compared(compared, heading):
    cell = Cell(1.0, None, None, None, None, 1)
    run = ReportRun("one", "easy", {"BSLD": cell}, lambda: None)
    case = Case("A", "", "exact", 10, 4, (run,), 0, 1, compared=compared)
    material = Material("", "", ("BSLD",), (case,), (), 0.95, ())
    for table in (case_table(case, ("BSLD",)), overview_table(material, "BSLD")):
        assert f'class="corner">{heading}</th>' in rendered("heat_table.html", table=table)


def test_markdown():
    study = make_grid(workloads=("A|B",), policies=("easy", "list(order=saf_x)"))
    given = {"easy": 100.0}
    results = filled(study, lambda labels: given.get(labels.policy, 50.0))
    text = markdown_text([tabulate(results, BSLD)])
    assert "| policy | A\\|B |" in text
    assert "| list(order=saf\\_x) | **-50 %** |" in text
    assert "| easy (baseline) | 100 |" in text


def test_latex():
    study = make_grid(workloads=("50%_A&B",), policies=("easy", "[x]--{y}"), replicas=2)
    results = filled(study, lambda labels: 100.0 - labels.replica * (labels.policy != "easy"))
    text = latex_text([tabulate(results, BSLD)])
    assert r"policy & 50\%\_A\&B \\" in text
    assert r"{[}x]-{}-\{y\} & " in text
    assert r"$\approx$\,$-$0.5 $\pm$6.4 \%" in text
    assert r"easy (baseline) & 100 $\pm$0 \\" in text
    plain = text.replace(r"\{", "").replace(r"\}", "")
    assert plain.count("{") == plain.count("}")
    assert text.count(r"\begin") == text.count(r"\end")
    assert text.isascii()


def test_latex_escapes_every_special_sign():
    escaped = latex_escape("\\&%$#_{}~^<>|")
    assert escaped == (
        r"\textbackslash{}\&\%\$\#\_\{\}\textasciitilde{}\textasciicircum{}\textless{}"
        r"\textgreater{}\textbar{}"
    )


def test_what_a_run_could_still_measure():
    study = make_grid(workloads=("A",))
    results = filled(study, lambda labels: 1.0)
    assert lacking(results, metric("FST_misses")) == 2
    assert lacking(results, metric("BSLD(60)")) == 2
    assert lacking(results, metric("AWF")) == 0  # always measured: no run would add it


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("list-reg", Baseline(policy="list-reg")),
        ("JustBF", Baseline(policy="list-reg")),
        ("saf, depth 1", Baseline(policy="saf, depth 1")),
        ("list(order=saf,depth=1)", Baseline(policy="saf, depth 1")),
        ("requested", Baseline(estimate="requested")),
        ("estimate=Runtime", Baseline(estimate="exact")),
        (
            "policy=saf, depth 1, estimate=exact",
            Baseline(policy="saf, depth 1", estimate="exact"),
        ),
        ("machine=Small", Baseline(machine="small")),
    ],
)
def test_names_of_baselines(text, expected):
    study = make_grid(
        policies=("list-reg", "easy"), estimates=("exact", "requested"), machines=("small", "big")
    )
    labelled = Choice("saf, depth 1", "list(order=saf, depth=1)")
    more = Scenario(study.scenarios[0].workload, MachineSpec("small"), labelled, Choice("x", "x"))
    study = study.replace(scenarios=(*study.scenarios, more))
    assert Names(study).baseline(text) == expected


def test_labels_that_differ_by_case():
    study = make_grid(
        workloads=("KTH", "kth"),
        policies=("Easy", "easy", "Other"),
        estimates=("Exact", "exact"),
        machines=("BIG", "big"),
    )
    names = Names(study)
    for find, labels in (
        (names.workload, ("KTH", "kth")),
        (names.policy, ("Easy", "easy")),
        (names.estimate, ("Exact", "exact")),
        (names.machine, ("BIG", "big")),
    ):
        assert [find(label) for label in labels] == list(labels)
        assert find(f" {labels[1]} ") == labels[1]
    assert (names.workload("Kth"), names.policy("EASY"), names.policy("other")) == (
        "KTH",
        "Easy",
        "Other",
    )
    assert names.baseline("easy") == Baseline(policy="easy")


@pytest.mark.parametrize("text", ["", " , ", "policy=easy,policy=list-saf"])
def test_useless_baselines(text):
    with pytest.raises(InputError):
        Names(make_grid()).baseline(text)


def test_unknown_baselines():
    with pytest.raises(UnknownName, match="Did you mean list-saf"):
        Names(make_grid()).baseline("list-safe")
    with pytest.raises(UnknownName, match="estimate of the study"):
        Names(make_grid()).baseline("estimate=easy")


def test_an_empty_store():
    import polars as pl

    study = make_grid()
    results = StudyResults.of(study, pl.DataFrame(schema={"key": pl.String, "BSLD": pl.Float64}))
    assert len(results.missing()) == len(study.scenarios)
    assert results.cells("BSLD") == [None] * 4


def test_large_studies_are_tabled():
    """4,800 scenarios, 240 cells."""
    import polars as pl

    study = make_grid(
        workloads=[f"w{i}" for i in range(12)],
        policies=[f"p{i}" for i in range(20)],
        replicas=20,
    )
    keys = [scenario.key for scenario in study.scenarios]
    frame = pl.DataFrame({"key": keys, "BSLD": [float(i % 97 + 1) for i in range(len(keys))]})
    text = markdown_text([tabulate(StudyResults.of(study, frame), BSLD)])
    assert text.count("±") >= 240
