from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from packwise.cli.study.compare import print_verdicts
from packwise.experiments.scenario import Choice
from packwise.experiments.study import Cells, PublishedRules, Tolerance
from packwise.experiments.tables.agreement import compare, rounded
from packwise.experiments.tables.agreement_text import (
    counted,
    explained,
    left_out,
    page,
    verdict_rows,
    verdicts_csv,
)
from packwise.experiments.tables.published import Kind, read_published
from packwise.model.errors import FormatError, InputError
from tests.experiments.grids import filled, make_grid

GRID = {"workloads": ("KTH-SP2", "CEA-Curie"), "policies": ("list-reg", "list-laf", "my saf")}


@pytest.fixture
def written(tmp_path: Path):
    def write(text: str) -> Path:
        path = tmp_path / "table.csv"
        path.write_text(text)
        return path

    return write


@pytest.fixture
def results():
    """list-reg 100; list-laf 150 with exact, 240 with requested; my saf 50 and 30."""
    given = {
        ("list-reg", "exact"): 100.0,
        ("list-laf", "exact"): 150.0,
        ("my saf", "exact"): 50.0,
        ("list-reg", "requested"): 200.0,
        ("list-laf", "requested"): 240.0,
        ("my saf", "requested"): 30.0,
    }
    study = make_grid(**GRID, estimates=("exact", "requested"))
    return filled(study, lambda labels: given[labels.policy, labels.estimate])


def near(*tolerances):
    return PublishedRules(tolerances=tolerances or (Tolerance(),))


def judged(results, path, *tolerances):
    verdicts = compare(results, read_published(path), near(*tolerances))
    return [(v.outcome.value, v.ours) for v in verdicts]


def test_change_against_a_policy(results, written):
    path = written(
        "table,metric,policy,estimate,trace,percent_change_vs_JustBF\n"
        "II,BSLD,LAF-JustBF,exact,KTH-SP2,50.4\n"
        "II,BSLD,LAF-JustBF,requested,CEA-CURIE,17\n"
        "II,BSLD,JustBF,requested,CEA-CURIE,0\n"
        "II,BSLD,My SAF,Runtime,kth-sp2,-50\n"
        "II,BSLD,SAF-JustBF,exact,KTH-SP2,-50\n"
        "II,BSLD,LAF-JustBF,exact,BW201911,10\n"
        "II,R2,LAF-JustBF,exact,KTH-SP2,10\n"
    )
    assert judged(results, path) == [
        ("agrees", pytest.approx(50)),
        ("differs", pytest.approx(20)),
        ("agrees", 0),
        ("agrees", pytest.approx(-50)),
        ("not in the study", None),
        ("not in the study", None),
        ("not in the study", None),
    ]


def test_per_cent_of_a_policy_and_uncertain_figures(results, written):
    path = written(
        "metric,policy,estimate,trace,percent_of_List_REG,certain\n"
        "BSLD,List-LAF,exact,KTH-SP2,150,yes\n"
        "BSLD,List-LAF,requested,KTH-SP2,12,no\n"
    )
    found = read_published(path)
    assert (found.kind, found.reference) == (Kind.SHARE, "List_REG")
    assert judged(results, path) == [
        ("agrees", pytest.approx(150)),
        ("uncertain", pytest.approx(120)),
    ]


def test_change_against_an_estimate(results, written):
    path = written(
        "metric,policy,predictor,trace,percent_change_vs_requested\n"
        "BSLD,JustBF,Runtime,KTH-SP2,-50\n"
        "BSLD,LAF-JustBF,Last2,KTH-SP2,-10\n"
    )
    assert judged(results, path) == [("agrees", -50), ("not in the study", None)]


def test_values(results, written):
    path = written("metric,policy,estimate,workload,value\nBSLD,JustBF,timelimit,KTH-SP2,203\n")
    assert judged(results, path) == [("agrees", 200)]


def test_points_are_of_percentages(written):
    """A utilization of 0.30 is not that of 0.95, though they are less than 1 apart."""
    results = filled(make_grid(**GRID), lambda labels: 0.95, "utilization")
    path = written(
        "metric,policy,trace,value\n"
        "utilization,JustBF,KTH-SP2,0.30\n"
        "utilization,JustBF,CEA-Curie,0.94\n"
    )
    published = read_published(path)
    results = type(results)(
        results.study.replace(metrics=("utilization",)), results.columns, results.there
    )
    rules = near(Tolerance(points=5))
    verdicts = compare(results, published, rules)
    assert [verdict.outcome.value for verdict in verdicts] == ["differs", "agrees"]
    assert verdicts[0].allowed == pytest.approx(0.006)
    study = results.study.replace(published=rules)
    text = page(type(results)(study, results.columns, results.there), published, verdicts)
    assert "Tolerance: 2 % of the published value.\n" in text
    assert "ours / published / difference." in text


def test_values_under_the_name_of_the_metric(results, written):
    path = written("metric,policy,estimate,trace,bsld\nBSLD,JustBF,exact,KTH-SP2,100\n")
    assert judged(results, path) == [("agrees", 100)]


def test_replicas_count_by_their_mean(written):
    """Changes +10 and +30 %: 20."""
    study = make_grid(**GRID, replicas=2)
    results = filled(
        study, lambda labels: 100.0 if labels.policy == "list-reg" else 110.0 + 20 * labels.replica
    )
    path = written("metric,policy,trace,percent_change_vs_JustBF\nBSLD,list-laf,KTH-SP2,20\n")
    assert judged(results, path) == [("agrees", pytest.approx(20))]


def test_not_run(written):
    study = make_grid(**GRID)
    path = written(
        "metric,policy,trace,percent_change_vs_JustBF\n"
        "BSLD,list-laf,KTH-SP2,20\n"
        "BSLD,list-laf,CEA-Curie,20\n"
    )
    without_baseline = filled(study, lambda labels: 1.0 if labels.policy != "list-reg" else None)
    assert judged(without_baseline, path) == [("not run", None)] * 2
    half = filled(study, lambda labels: 1.0 if labels.workload == "KTH-SP2" else None)
    assert judged(half, path) == [("differs", 0), ("not run", None)]


def test_the_last_tolerance_that_fits_counts(results, written):
    """Ours +20, published 30: 10 points off."""
    path = written(
        "metric,policy,estimate,trace,percent_change_vs_JustBF\n"
        "BSLD,LAF-JustBF,requested,KTH-SP2,30\n"
    )
    wide, narrow = Tolerance(points=10), Tolerance(points=9.9)
    laf = Tolerance(points=0, share=0.34, policy="list-l*", workload="KTH*", metric="BSLD")
    paper = Tolerance(points=0, share=0.34, policy="LAF*")
    other = Tolerance(points=50, policy="*saf")
    for tolerances, expected in (
        ((), "differs"),
        ((wide,), "agrees"),
        ((wide, narrow), "differs"),
        ((narrow, laf), "agrees"),
        ((narrow, paper), "agrees"),
        ((narrow, other), "differs"),
    ):
        assert judged(results, path, *tolerances)[0][0] == expected
    verdict = compare(results, read_published(path), near(laf))[0]
    assert (verdict.allowed, verdict.difference) == (pytest.approx(10.2), pytest.approx(-10))


@pytest.mark.parametrize(
    ("pattern", "allowed"),
    [
        ("exact*1.5", [50, 1, 1]),
        ("Exact*1.5", [50, 1, 1]),
        ("exact*1*", [50, 50, 1]),
        ("twice", [1, 1, 50]),
        ("double*2", [1, 1, 50]),
    ],
)
def test_a_pattern_that_is_a_name_is_no_pattern(written, pattern, allowed):
    study = make_grid(**GRID, estimates=("exact*1.5", "exact*11.5", "twice"))
    path = written(
        "metric,policy,trace,estimate,percent_change_vs_JustBF\n"
        "BSLD,list-laf,KTH-SP2,exact*1.5,0\n"
        "BSLD,list-laf,KTH-SP2,exact*11.5,0\n"
        "BSLD,list-laf,KTH-SP2,double*2,0\n"
    )
    twice = Choice("twice", "double*2")
    study = study.replace(
        scenarios=tuple(
            replace(s, estimate=twice) if s.estimate.label == "twice" else s
            for s in study.scenarios
        )
    )
    results = filled(study, lambda labels: 100.0)
    verdicts = compare(
        results, read_published(path), near(Tolerance(), Tolerance(points=50, estimate=pattern))
    )
    assert [verdict.allowed for verdict in verdicts] == allowed


def test_tolerances_of_labels_that_differ_by_case(written):
    results = filled(make_grid(policies=("list-reg", "Easy", "easy")), lambda labels: 100.0)
    path = written("metric,policy,trace,percent_change_vs_JustBF\nBSLD,easy,A,0\n")
    for pattern, allowed in (("easy", 50), ("Easy", 1), ("EASY", 50)):
        verdict = compare(
            results, read_published(path), near(Tolerance(), Tolerance(points=50, policy=pattern))
        )[0]
        assert verdict.point.policy == "easy"
        assert verdict.allowed == allowed


def test_an_estimate_is_needed_where_there_are_several(results, written):
    path = written("metric,policy,trace,value\nBSLD,JustBF,KTH-SP2,203\n")
    with pytest.raises(InputError, match=r"line 2.*several estimates.*Add a column 'estimate'"):
        judged(results, path)


def test_a_machine_is_needed_where_there_are_several(written):
    study = make_grid(**GRID, machines=("small", "large"))
    results = filled(study, lambda labels: 1.0 if labels.machine == "small" else 2.0)
    with pytest.raises(InputError, match="Add a column 'machine'"):
        judged(results, written("metric,policy,trace,value\nBSLD,JustBF,KTH-SP2,2\n"))
    path = written("metric,policy,trace,machine,value\nBSLD,JustBF,KTH-SP2,Large,2\n")
    assert judged(results, path) == [("agrees", 2)]


@pytest.fixture
def on_machines(written):
    """Published 1 on both; ours 1 on the small machine, 2 on the large one."""
    study = make_grid(**GRID, machines=("small", "large"))
    results = filled(study, lambda labels: 1.0 if labels.machine == "small" else 2.0)
    path = written(
        "metric,policy,trace,machine,value\n"
        "BSLD,JustBF,KTH-SP2,Small,1\n"
        "BSLD,JustBF,KTH-SP2,large,1\n"
        "BSLD,JustBF,KTH-SP2,huge,1\n"
    )
    published = read_published(path)
    return results, published, compare(results, published, near())


def test_machines_are_told_apart(on_machines):
    text = page(*on_machines)
    small, large = text.partition("## BSLD with exact run times on machine small\n")[2].split(
        "\n## "
    )
    assert "| JustBF | 1.0 / 1 / 0.0 |" in small
    assert large.startswith("BSLD with exact run times on machine large\n")
    assert "| JustBF | **2.0 / 1 / +1.0** |" in large
    assert [row["machine"] for row in verdict_rows(on_machines[2])] == ["small", "large", "huge"]
    assert left_out(on_machines[2]) == "Not in the study: machine huge."


def test_machines_on_the_terminal(on_machines, capsys):
    _, published, verdicts = on_machines
    print_verdicts(verdicts, published.kind, all_cells=True)
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["BSLD", "exact", "small", "1", "0", "0"] in lines
    assert ["BSLD", "exact", "large", "0", "1", "0"] in lines
    assert [
        "BSLD",
        "exact",
        "JustBF",
        "KTH-SP2",
        "small",
        "1.0",
        "1",
        "0.0",
        "0.02",
        "agrees",
    ] in lines
    assert [
        "BSLD",
        "exact",
        "JustBF",
        "KTH-SP2",
        "large",
        "2.0",
        "1",
        "+1.0",
        "0.02",
        "differs",
    ] in lines


def test_no_machines_on_the_terminal(comparison, capsys):
    _, published, verdicts = comparison
    print_verdicts(verdicts, published.kind, all_cells=True)
    assert "machine" not in capsys.readouterr().out


def test_no_machine_in_common(written):
    results = filled(make_grid(machines=("small", "large")), lambda labels: 1.0)
    path = written("metric,policy,trace,machine,value\nBSLD,easy,A,huge,2\n")
    with pytest.raises(InputError, match="machines: huge there, small, large in the study"):
        judged(results, path)


def test_names_that_a_terminal_would_obey(written, capsys):
    results = filled(make_grid(), lambda labels: 1.0)
    path = written(
        "metric,policy,trace,value\n"
        "BSLD,easy,A,2\n"
        "BSLD,\x1b[2J[bold]x,A,2\n"
        '"BS\x9bLD",easy,A,2\n'
        "BSLD,\x1b]0;easy,\x07B,2\n"
    )
    published = read_published(path)
    print_verdicts(compare(results, published, near()), published.kind, all_cells=True)
    out = capsys.readouterr().out
    assert out.replace("\n", "").isprintable()
    assert r"policies \x1b[2J[bold]x, \x1b]0;easy" in out


def test_nothing_in_common(results, written):
    path = written("metric,policy,estimate,trace,value\nBSLD,JustBF,exact,KTH-SP3,203\n")
    with pytest.raises(InputError, match=r"none of the 1 .*KTH-SP3 there, KTH-SP2, CEA-Curie in"):
        judged(results, path)


def test_an_unknown_reference(results, written):
    path = written(
        "metric,policy,estimate,trace,percent_of_FCFS_X\nBSLD,JustBF,exact,KTH-SP2,203\n"
    )
    with pytest.raises(InputError, match=r"relative to 'FCFS_X'.*Policies: list-reg"):
        judged(results, path)


HEAD = "metric,policy,estimate,trace,value\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "at least one published value"),
        (HEAD, "at least one published value"),
        ("metric,policy,value\nBSLD,easy,3\n", "line 1: expected a column 'trace or workload'"),
        ("policy,trace,value\neasy,KTH,3\n", "line 1: expected a column 'metric'"),
        ("metric,policy,trace\nBSLD,easy,KTH\n", "line 1: expected one column of published"),
        ("metric,policy,trace,value,percent_of_x\nB,e,K,1,2\n", "found value and percent_of_x"),
        (HEAD + "BSLD,easy,exact,KTH,3\nBSLD,easy,exact,CTC,3 %\n", "line 3: expected a number"),
        (HEAD + "BSLD,easy,exact,KTH,\n", "line 2: expected a number.*Leave out the row"),
        (HEAD + "BSLD,easy,exact,KTH,nan\n", "line 2: expected a number"),
        (HEAD + "BSLD,,exact,KTH,3\n", "line 2: expected a name in column 'policy'"),
        (HEAD + "BSLD,easy,exact,KTH\n", "line 2: expected 5 fields"),
        (
            HEAD + "BSLD,easy,exact,KTH,3\nBSLD,EASY,exact,kth,4\n",
            "line 3: expected one value.*found 4 here and 3 in line 2",
        ),
        ("metric,policy,trace,value,certain\nB,e,K,1,perhaps\n", "line 2: expected yes or no"),
    ],
)
def test_bad_files(written, text, message):
    with pytest.raises(FormatError, match=message):
        read_published(written(text))


def test_a_repeated_row_counts_once(written):
    path = written(HEAD + "BSLD,easy,exact,KTH,3\nBSLD,EASY,exact,kth,3\n")
    assert len(read_published(path).cells) == 1


@pytest.fixture
def comparison(results, written):
    path = written(
        "metric,policy,estimate,trace,percent_change_vs_JustBF,certain\n"
        "BSLD,LAF-JustBF,exact,KTH-SP2,50,yes\n"
        "BSLD,LAF-JustBF,exact,CEA-CURIE,70,yes\n"
        "BSLD,My SAF,exact,KTH-SP2,-5,no\n"
        "BSLD,My SAF,requested,KTH-SP2,-85,yes\n"
        "BSLD,CP,exact,KTH-SP2,-5,yes\n"
    )
    tolerances = (
        Tolerance(),
        Tolerance(
            share=0.15, workload="KTH-SP2", policy="my*", reason="another version of the log."
        ),
        Tolerance(
            share=0.15, workload="KTH-SP2", policy="list-laf", reason="another version of the log."
        ),
    )
    study = results.study.replace(published=near(*tolerances), description="Of a paper.")
    results = type(results)(study, results.columns, results.there)
    published = read_published(path)
    return results, published, compare(results, published, near(*tolerances))


def test_words(comparison):
    _, published, verdicts = comparison
    assert counted(verdicts, published.kind) == (
        "2 of 3 cells agree; 1 differs, by at most 20.0 points. "
        "1 uncertain in the source and not judged; 1 not in the study."
    )
    assert left_out(verdicts) == "Not in the study: policy CP."


def test_page(comparison):
    text = page(*comparison)
    assert "\n\nOf a paper.\n\n" in text
    assert "against JustBF (`list-reg` in the study) with the same estimate, in per cent" in text
    assert "Tolerance: 1 point or 2 % of the published value, whichever is larger." in text
    assert (
        "- workload KTH-SP2; policy my\\*, list-laf: 1 point or 15 % of the published value: "
        "another version of the log.\n" in text
    )
    assert "**2 of 3 cells agree;" in text
    assert "## BSLD with exact run times" in text
    assert "| policy | KTH-SP2 | CEA-Curie |" in text
    assert "| LAF-JustBF | 50.0 / 50 / 0.0 | **50.0 / 70 / -20.0** |" in text
    assert "| My SAF | *-50.0 / -5 / -45.0* |  |" in text
    assert "CP" not in text.partition("## ")[2]


def test_csv(comparison):
    lines = verdicts_csv(comparison[2]).splitlines()
    assert lines[0].startswith("metric,estimate,policy,workload,machine,ours,published,difference,")
    assert len(lines) == 6
    assert ",not in the study," in lines[-1]


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "kind", "reference", "cells", "uncertain"),
    [
        ("packing-and-fairness-table2", Kind.CHANGE, "JustBF", 480, False),
        ("packing-and-fairness-table3", Kind.CHANGE, "requested", 132, False),
        ("packing-and-fairness-table4", Kind.VALUE, None, 132, False),
        ("cp-vs-backfilling-table2", Kind.SHARE, "List_REG", 180, True),
    ],
)
def test_published_tables(shared, name, kind, reference, cells, uncertain):
    found = read_published(shared / "published" / f"{name}.csv")
    assert (found.kind, found.reference, len(found.cells)) == (kind, reference, cells)
    assert all(cell.certain for cell in found.cells) != uncertain


def test_a_tolerance_in_the_metrics_unit(written):
    results = filled(make_grid(**GRID), lambda labels: 0.06, "R2")
    path = written("metric,policy,trace,r2\nR2,JustBF,KTH-SP2,0.07\nR2,JustBF,CEA-Curie,0.08\n")
    results = type(results)(results.study.replace(metrics=("R2",)), results.columns, results.there)
    published = read_published(path)
    verdicts = compare(results, published, near(Tolerance(value=0.015)))
    assert [verdict.outcome.value for verdict in verdicts] == ["agrees", "differs"]
    study = results.study.replace(published=near(Tolerance(value=0.015)))
    text = page(type(results)(study, results.columns, results.there), published, verdicts)
    assert "Tolerance: 0.015 or 2 % of the published value, whichever is larger." in text


@pytest.mark.parametrize(
    ("value", "decimals", "shown"),
    [
        (97.48, (0,), 97),
        (97.48, (1, 0), 98),
        (-2.52, (0,), -3),
        (-2.5, (0,), -3),
        (2.5, (0,), 3),
        (1.005, (2,), 1.01),  # as a float it is a little less
        (-0.2023, (2,), -0.2),
        (105.4499, (1, 0), 105),
        (0.0, (2,), 0.0),
        (1e300, (12,), 1e300),
    ],
)
def test_rounded(value, decimals, shown):
    assert rounded(value, decimals) == pytest.approx(shown, abs=1e-12)


@pytest.fixture
def fine():
    """JustBF 100, LAF-JustBF 97.48 everywhere."""
    return filled(make_grid(**GRID), lambda labels: {"list-reg": 100.0}.get(labels.policy, 97.48))


@pytest.mark.parametrize(
    ("printed", "others", "rules", "outcome"),
    [
        ("97", "100", PublishedRules(), "agrees"),
        ("98", "100", PublishedRules(), "differs"),
        ("98", "100", PublishedRules(rounded=(1, 0)), "agrees"),
        ("97", "100", PublishedRules(rounded=(1, 0)), "differs"),
        ("97.5", "100", PublishedRules(), "agrees"),
        ("97", "100.0", PublishedRules(), "differs"),  # 97 stands for 97.0
        ("97.48", "100", PublishedRules(), "agrees"),
        ("97.49", "100", PublishedRules(), "differs"),
        ("98", "100", PublishedRules(tolerances=(Tolerance(policy="list-l*"),)), "agrees"),
        ("98", "100", PublishedRules(tolerances=(Tolerance(policy="list-r*"),)), "differs"),
        ("98", "100", PublishedRules(explained=(Cells(reason="why"),)), "differs, explained"),
        ("97", "100", PublishedRules(explained=(Cells(reason="why"),)), "agrees"),
        ("98", "100", PublishedRules(explained=(Cells(policy="my*", reason="y"),)), "differs"),
    ],
)
def test_a_cell_agrees_if_it_rounds_to_what_was_printed(
    fine, written, printed, others, rules, outcome
):
    path = written(
        "metric,policy,estimate,trace,percent_of_JustBF\n"
        f"BSLD,LAF-JustBF,exact,KTH-SP2,{printed}\n"
        f"BSLD,JustBF,exact,KTH-SP2,{others}\n"
    )
    found = compare(fine, read_published(path), rules)
    assert [one.outcome.value for one in found] == [outcome, "agrees"]


def test_what_is_explained_stands_apart(fine, written):
    rules = PublishedRules((1, 0), (), (Cells(policy="list-laf", reason="a_fault of theirs."),))
    path = written(
        "metric,policy,estimate,trace,percent_of_JustBF\n"
        "BSLD,LAF-JustBF,exact,KTH-SP2,91\n"
        "BSLD,JustBF,exact,KTH-SP2,100\n"
    )
    results = type(fine)(fine.study.replace(published=rules), fine.columns, fine.there)
    published = read_published(path)
    verdicts = compare(results, published, rules)
    assert (
        counted(verdicts, published.kind) == "1 of 2 cells agree; 1 known to differ, for a reason."
    )
    why = "† BSLD of LAF-JustBF with exact on KTH-SP2 (97.5, published 91): a_fault of theirs."
    assert explained(verdicts) == [why]
    text = page(results, published, verdicts)
    assert "when it is rounded to 0.1 and then to 1, as the table was." in text
    assert f"\n\n{why.replace('_', chr(92) + '_')}\n\n" in text
    assert "| 97.5 / 91 / +6.5 † |" in text
    assert ",as printed" not in verdicts_csv(verdicts)
    assert (
        verdicts_csv(verdicts)
        .splitlines()[1]
        .endswith(',,"differs, explained",a_fault of theirs.,2')
    )
