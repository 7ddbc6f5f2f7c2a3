"""Study files with mistakes: every message has the line, what was expected and found, and the remedy."""

from __future__ import annotations

import pytest

from packwise.experiments.study_file import adhoc_study, read_study
from packwise.model.errors import FormatError, InputError

HEAD = 'policies = ["easy"]\n'
WORKLOAD = "[[workload]]\ngenerate = { jobs = 50, procs = 16 }\n"


def refused(tmp_path, text, **options):
    """The message, without the folder."""
    file = tmp_path / "s.toml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError) as caught:
        read_study(file, **options)
    return str(caught.value).replace(f"{tmp_path}/", "")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("polices = ['easy']", "unknown key 'polices'. Did you mean policies"),
        ("clusters = 1", "unknown key 'clusters' here. Machines to try are [[machine]] tables."),
        ('"" = 1', "unknown key ''. Known: name,"),
        ("name = ''", "name should be text of one line"),
        (
            "name = 7",
            "name should be text of one line that is not empty (at most 1000 letters), found 7.",
        ),
        ("name = '''a\nb'''", "found 'a\\nb'."),
        ("description = false", "found false."),
        ("replicas = 'ten'", "replicas should be a whole number from 0 to 10,000, found 'ten'."),
        ("replicas = '10'", "found '10'. Write it without quotes."),
        ("replicas = true", "replicas should be a whole number from 0 to 10,000, found true."),
        ("replicas = 3.0", "found 3.0."),
        ("replicas = -1", "found -1."),
        ("replicas = 10001", "found 10001."),
        (f"replicas = {10**30}", "found a number of 19 digits or more."),
        ("replicas = 2024-01-01", "found the time 2024-01-01."),
        ("seed = [1]", "seed should be a whole number of 0 or more, found a list of 1."),
        (
            "shake = 'soon'",
            "shake should be a duration of 1 s or more: seconds, or a string such as",
        ),
        ("shake = 0", "found 0."),
        ("shake = '0s'", "found '0s'."),
        ("shake = nan", "found nan."),
        (
            "confidence = 95",
            "confidence should be a number between 0 and 1, found 95. For 95 % write 0.95.",
        ),
        ("confidence = nan", "found nan."),
        ("confidence = inf", "found inf."),
        ("confidence = true", "found true."),
        (f"confidence = {10**400}", "found a number of 19 digits or more."),
        ("store = ''", "store should be text"),
        (
            "metrics = 'AF'",
            """metrics should be a list of names, as in ["BSLD", "AF"]; found 'AF'.""",
        ),
        ("metrics = []", "metrics should have one element or more, found an empty list."),
        ("metrics = [1]", "each of metrics should be text of one line"),
        ("metrics = ['BSLT']", "unknown metric 'BSLT'. Did you mean BSLD"),
        (
            f"metrics = ['lp_norm({'9' * 400})']",
            "the order of lp_norm should be 1 or more, found inf.",
        ),
        ("metrics = ['AF', 'af']", "metric 'AF' is there twice. Remove one."),
        ("estimates = ['exakt']", "unknown estimate 'exakt'. Did you mean exact"),
        ("estimates = ['exact*two']", "expected a number after 'exact*'"),
        ("estimates = ['exact*nan']", "k should be a positive number"),
        ("estimates = []", "estimates should have one element or more"),
        (
            "estimates = ['exact', 'exact*1']",
            "estimate 'exact' is there twice, first at line 2. Remove one.",
        ),
        ("baseline = 3", "baseline should be a policy of the study, or a table such as"),
        (
            "baseline = 'esay'",
            "the baseline should be in the study: unknown policy 'esay'. Did you mean easy?",
        ),
        (
            "baseline = 'list-saf'",
            "the baseline should be in the study: unknown policy 'list-saf'. Known: easy.",
        ),
        ("baseline = {}", "baseline should set policy, estimate or machine, found an empty table."),
        ("baseline = { polcy = 'easy' }", "unknown key 'polcy'. Did you mean policy?"),
        ("baseline = { machine = 'big' }", "but the study has no [[machine]] tables."),
        ("baseline = { estimate = 'exact' }", "unknown estimate 'exact'. Known: requested."),
        (
            "workload = 3",
            "workload should be a repeated table, found 3. Write [[workload]], with two brackets",
        ),
        ("policy = 'easy'", "policy should be a repeated table, found 'easy'. Write [[policy]]"),
        ("machine = []", "machine should be a repeated table, found an empty list."),
        ("published = 1", "published should be a table, found 1."),
        ("dask = 1", "dask should be a table, found 1."),
    ],
)
def test_the_top(tmp_path, line, message):
    rest = WORKLOAD if "workload" not in line else ""
    found = refused(tmp_path, f"# a comment\n{line}\n{HEAD}{rest}")
    assert found.startswith("s.toml, line 2: ")
    assert message in found
    assert "\n" not in found


def test_seeds_and_replicas(tmp_path):
    generate = "generate = { jobs = 50, procs = 16, seeds = [1, 2] }"
    found = refused(tmp_path, f"replicas = 2\n{HEAD}[[workload]]\n{generate}\n")
    assert found.startswith("s.toml, line 3: give seeds or replicas, not both")


def test_an_absurd_grid(tmp_path):
    found = refused(
        tmp_path,
        f"replicas = 10_000\nestimates = ['exact', 'requested']\n{WORKLOAD}[[policy]]\nname = 'list'\n"
        f"depth = {list(range(100))}",
    )
    assert (
        "the study has 2,000,000 scenarios: 1 workloads, 1 machines, 2 estimates, 100 pol" in found
    )


def test_all_problems_at_once(tmp_path):
    found = refused(
        tmp_path,
        "replicas = 'ten'\npolices = ['easy']\nmetrics = [\n'BSLD',\n'AX']\n"
        "[[workload]]\nprocs = 5\n[[policy]]\nname = 'esay'\n",
    )
    assert [row.partition(":")[0].strip() for row in found.splitlines()] == [
        "s.toml", "line 1", "line 2", "line 5", "line 6", "line 9",
    ]  # fmt: skip
    assert found.startswith("s.toml: 5 problems.\n")
    many = "".join(f"key{i} = 1\n" for i in range(50))
    rows = refused(tmp_path, many + HEAD + WORKLOAD).splitlines()
    assert (len(rows), rows[0], rows[-1]) == (22, "s.toml: 50 problems.", "  ... and 30 more.")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "",
            "s.toml: expected a study, found an empty file. `packwise study init` writes an example.",
        ),
        ("# only a comment", "expected a study, found an empty file."),
        (
            "name = ten",
            "s.toml, line 1: expected TOML, found 'invalid value', column 8 in `name = ten`.",
        ),
        ("a = 1\nb = [1,\n", "s.toml, line 2: expected TOML, found"),
        ("a = 1\na = 2", "Keys may come once in a table"),
        ("[policy]\n[policy]", "has two brackets, as in [[policy]]"),
        ("a = " + "9" * 5000, "s.toml, line 1: expected a TOML file, found a number of thousands"),
        ("a = " + "[" * 5000, "nested more than 32 levels deep"),
        (
            b"a = 1\nb = '\xe9'",
            "s.toml, line 2: expected text in UTF-8, found the byte 0xe9. Save the file as UTF-8.",
        ),
        ("a = 1".encode("utf-16"), "s.toml, line 1: expected text in UTF-8"),
        (b"\x00\x00", "s.toml, line 1: expected TOML"),
    ],
)
def test_not_a_study(tmp_path, text, message):
    assert message in refused(tmp_path, text)
    file = tmp_path / "s.toml"
    with pytest.raises(FormatError):
        read_study(file)


def test_no_file(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_study(tmp_path / "nowhere.toml")
    with pytest.raises(InputError, match="is a folder"):
        read_study(tmp_path)


def test_nothing_in_it(tmp_path):
    found = refused(tmp_path, "name = 'x'")
    assert "a study needs a [[workload]], found none." in found
    assert 'a study needs policies, found none. Add policies = ["easy"].' in found


def test_problems_of_a_study_in_memory_have_no_lines(tmp_path):
    with pytest.raises(InputError) as caught:
        adhoc_study("x", [tmp_path / "no.swf"], policies=["esay", "easy", "easy"], store=tmp_path)
    assert str(caught.value).splitlines() == [
        "unknown policy 'esay'. Did you mean easy? `packwise policies` lists them all.",
        f"there is no file '{tmp_path / 'no.swf'}'. Check the path.",
        "policy 'easy' is there twice. Remove one.",
    ]
