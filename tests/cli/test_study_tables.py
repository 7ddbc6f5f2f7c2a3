from __future__ import annotations

import csv
import io

import pytest

from packwise.cli.study.table import print_tables
from packwise.cli.terminal import note
from packwise.cli.terminal.failures import complain
from packwise.experiments.tables.tabulation import Block, Entry, Row, StudyTable
from packwise.metrics.catalogue import metric
from tests.lanes import broad

STUDY = """
name = "Small"
metrics = ["BSLD", "wait"]
estimates = ["exact", "requested"]
policies = ["list-reg", "easy"]
baseline = "list-reg"
store = "results"
replicas = 2

[[workload]]
label = "made up"
generate = { jobs = 80, procs = 16, load = 1.2, seed = 3 }

[published]
points = 5000
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A study that was run."""
    from typer.testing import CliRunner

    from packwise.cli.app import app

    folder = tmp_path_factory.mktemp("study")
    (folder / "study.toml").write_text(STUDY)
    done = CliRunner().invoke(app, ["study", "run", str(folder / "study.toml"), "-w", "1"])
    assert done.exit_code == 0, done.output
    return folder


@pytest.fixture
def study(folder):
    return folder / "study.toml"


def test_table(packwise, study):
    done = packwise("study", "table", study)
    assert done.status == 0
    assert "BSLD: change against list-reg" in done.stdout
    assert "wait: change against list-reg" in done.stdout
    assert "list-reg (baseline)" in done.stdout
    assert "95 % confidence interval over 2 replicas" in done.stdout


def test_table_as_csv_and_json(packwise, study):
    done = packwise("study", "table", study, "-m", "AWF", "--csv", "-")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [(row["policy"], row["estimate"], row["replicas"]) for row in rows] == [
        ("list-reg", "exact", "2"),
        ("easy", "exact", "2"),
        ("list-reg", "requested", "2"),
        ("easy", "requested", "2"),
    ]
    found = packwise("study", "table", study, "-m", "awf", "--json").json
    assert [cell["value"] for cell in found["cells"]] == [float(row["value"]) for row in rows]
    assert (found["baseline"], found["missing"]) == ({"policy": "list-reg"}, 0)


def test_table_to_files(packwise, study, tmp_path):
    latex, markdown = tmp_path / "t.tex", tmp_path / "t.md"
    done = packwise("study", "table", study, "--latex", latex, "--markdown", markdown)
    assert f"Wrote {latex}" in done.stdout.replace("\n", "")
    assert r"\toprule" in latex.read_text()
    assert markdown.read_text().startswith("## BSLD: change against list-reg")


def test_another_baseline(packwise, study):
    done = packwise("study", "table", study, "--baseline", "estimate=Requested", "-m", "BSLD")
    assert "BSLD: change against requested" in done.stdout
    refused = packwise("study", "table", study, "--baseline", "estimate=magic")
    assert refused.status == 2
    assert "unknown estimate of the study 'magic'" in refused.stderr


def test_a_metric_that_was_not_measured(packwise, study):
    done = packwise("study", "table", study, "-m", "FST_misses")
    assert done.status == 2
    assert "--metrics 'FST_misses'" in done.stderr
    mixed = packwise("study", "table", study, "-m", "BSLD,FST_misses")
    assert mixed.status == 0
    assert "FST_misses is not measured for 8 results" in mixed.stderr
    assert "FST_misses" not in mixed.stdout


def wide(rows, columns=1, name="wait"):
    entries = (Entry("1"),) * columns
    block = Block("", tuple(f"c{i}" for i in range(columns)), (Row("p", False, entries),) * rows)
    return StudyTable(metric(name), name, (block,), ())


@pytest.mark.parametrize(
    ("tables", "said"),
    broad(
        [
            ([wide(2000)], None),
            ([wide(2000), wide(3, name="BSLD")], "The first 2,000 of 2,003 cells"),
            ([wide(1999), wide(3, name="BSLD")], "The first 2,000 of 2,002 cells"),
            ([wide(1000, 3)], "The first 1,998 of 3,000 cells"),
        ]
    ),
)
def test_long_tables_say_how_much_is_shown(capsys, tables, said):
    print_tables(tables)
    out = capsys.readouterr().out
    assert said in out if said else "The first" not in out


def test_labels_that_a_terminal_would_obey(capsys):
    rows = tuple(Row(name, False, (Entry("1"),)) for name in ("\x1b[31mred", "[/bold]", "a\nb"))
    block = Block("t\x1b[2J", ("[/c]\x1b[1m",), rows)
    print_tables([StudyTable(metric("BSLD"), "against \x07", (block,), ())])
    out = capsys.readouterr().out
    assert out.replace("\n", "").isprintable()
    for shown in (r"\x1b[31mred", "[/bold]", r"a\nb", r"t\x1b[2J", r"[/c]\x1b[1m", r"\x07"):
        assert shown in out


def test_messages_that_a_terminal_would_obey(capsys):
    note("warning: \x1b[2J\nerror: no")
    complain("one \x1b[2J [/x]\ntwo")
    assert capsys.readouterr().err == (
        "warning: \\x1b[2J\\nerror: no\nerror: one \\x1b[2J [/x]\ntwo\n"
    )


def test_no_results(packwise, study, tmp_path):
    done = packwise("study", "table", study, "--store", tmp_path / "none")
    assert done.status == 2
    assert f"packwise study run {study}" in done.stderr.replace("\n", "")


def test_one_thing_on_stdout(packwise, study):
    done = packwise("study", "table", study, "--csv", "-", "--json")
    assert done.status == 2
    assert "stdout can take one" in done.stderr


def published(folder, *values):
    path = folder / "published.csv"
    lines = ["metric,policy,estimate,trace,percent_change_vs_JustBF", *values]
    path.write_text("\n".join(lines))
    return path


def test_compare(packwise, study, tmp_path):
    path = published(tmp_path, "BSLD,EASY,exact,Made up,0", "BSLD,CP,exact,Made up,1")
    done = packwise("study", "compare", study, "--published", path)
    assert done.status == 0
    assert "1 of 1 cells agree. 1 not in the study." in done.stdout
    assert "Not in the study: policy CP." in done.stdout
    assert "published" not in done.stdout.partition("1 of 1")[0]
    every = packwise("study", "compare", study, "--published", path, "--all")
    assert "published" in every.stdout.partition("1 of 1")[0]


def test_compare_exits_with_1_if_a_cell_differs(packwise, study, tmp_path):
    path = published(tmp_path, "BSLD,EASY,exact,made up,999999")
    page = tmp_path / "page.md"
    done = packwise("study", "compare", study, "--published", path, "--markdown", page)
    assert done.status == 1
    assert "0 of 1 cells agree; 1 differs" in done.stdout
    assert "# Small" in page.read_text()
    found = packwise("study", "compare", study, "--published", path, "--json")
    assert found.status == 1
    assert found.json["counts"]["differs"] == 1
    assert found.json["cells"][0]["verdict"] == "differs"


def test_compare_with_a_bad_file(packwise, study, tmp_path):
    path = published(tmp_path, "BSLD,EASY,exact,made up,many")
    done = packwise("study", "compare", study, "--published", path)
    assert done.status == 2
    assert "line 2: expected a number" in done.stderr.replace("\n", "")
