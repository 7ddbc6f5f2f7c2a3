"""Whatever is in a study file: a study, or an error that says what is wrong."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from packwise.experiments.study import Study
from packwise.experiments.study_file import example_study, read_study
from packwise.model.errors import PackwiseError
from tests.draws import draws

VALID = """\
name = "Fuzz"
description = '''
two
lines'''
metrics = ["BSLD", "AF", "P1.5SF"]
baseline = { policy = "easy", estimate = "exact", machine = "x1" }
estimates = [
    "exact",
    "exact*1.5",
]
policies = ["easy", "list(order=saf,depth=4)", "my.py:mine"]
replicas = 2
seed = 1
shake = "60s"
confidence = 0.95
store = "kept"
drop_unaffected = true
trim = "1%"
untrimmed = ["mine"]

[[workload]]
generate = { jobs = 50, procs = 8, load = 0.9, users = 4, seed = 1 }
label = "made"
from = "1d"
until = 864000
first = 0
count = 10
drop_queues = [0]
round_demand = 4
scale_load = [1.0, 1.2]
missing_limit = "drop"
drop_partitions = [1]
drop_unallocated = true
deadlines = ["slack(queue=1)", "morning(queue=2,share=50%)"]
deadline_share = [0.2, 0.4]
impossible_deadlines = "count"

[[workload]]
file = "log.swf"
procs = 100

[[workload]]
archive = "KTH-SP2"
replicas = 5

[[machine]]
factor = 1
[[machine]]
label = "large"
procs = 128

[[policy]]
name = "list"
label = "{order} {depth}"
order = ["saf", "laf"]
depth = [1, "unlimited"]

[published]
points = 1.0
[[published.tolerance]]
workload = "KTH*"
metric = ["AF", "P*"]
share = 0.15
reason = "a reason"
[[published.explained]]
policy = "easy"
reason = "a reason"

[[claim]]
says = "a claim"
source = "section 1"
metric = "deadline_misses"
part_of = "deadline_jobs"
policy = "easy"
against = "mine"
at_least = 0.0
at_most = 1.5
only = ["made", "KTH*"]
except = "log"
unfiltered = true
[[claim]]
says = "another"
metric = "AF"
policy = "easy"
flat = 0.1
only = "made"
[[claim]]
says = "and a third"
metric = "P1.5SF"
policy = "easy"
largest = "made x1"

[dask]
queue = "q"
"""
assert VALID.isascii()

letters = st.sampled_from([*"\"'[]{}=,.#\n\\\t :*()-_09azA", "\0", "é", "\u2028", "\ufeff", "\r"])
places = st.integers(0, len(VALID))
lines = st.integers(0, VALID.count("\n"))
values = st.sampled_from(
    [
        "0", "-1", "1", "7", "3.5", "nan", "-inf", "1e308", "1e999", "9" * 30, "9" * 400, "true", "false",
        '""', '" "', '"x"', '"a\\u0000b"', '"\\n"', f'"{"x" * 300}"', f'"{"y/" * 2000}"', '"easy"', '"list()"',
        '"list("', '"list(depth=99999999999999999999)"', '"list(order=/)"', '"list(depth==)"', '"my.py:"',
        '"my.py:other"', '":"', '"os:path"', '".:x"', '"exact*1e-320"', '"exact*0x1"', '"lp_norm(1e5)"',
        f'"P{"9" * 350}SF"', '"wait_p101"', '"BSLD(0)"', '"{order}"', '"*"', '"["', "[]", "[[]]", "[1, 2]",
        '["a", "b"]', "{}", "{ x = 1 }", '{ name = "list" }', "[{}]", "[{ procs = 1 }, { factor = 2 }]",
        '{ policy = "easy" }', "1979-05-27", "07:32:00", "1979-05-27T07:32:00Z", "0x10", "'''\nx'''",
    ]
)  # fmt: skip
tables = ["workload", "machine", "policy", "claim", "dask"]
keys = [*sorted(set(re.findall(r"\b(\w+) =", VALID))), "falls", *tables]
edits = st.one_of(
    st.tuples(st.just("delete"), places, st.integers(1, 20)),
    st.tuples(st.just("insert"), places, st.text(letters, min_size=1, max_size=4)),
    st.tuples(st.just("copy"), places, st.integers(1, 200)),
    st.tuples(st.just("drop line"), lines, st.none()),
    st.tuples(st.just("copy line"), lines, lines),
    st.tuples(st.just("value"), st.sampled_from(keys), values),
    st.tuples(st.just("key"), st.sampled_from(keys), st.sampled_from(keys)),
    st.tuples(st.just("add"), st.sampled_from(keys), values),
)


def edited(text, edit):
    kind, where, what = edit
    lines = text.split("\n")
    if kind == "delete":
        return text[:where] + text[where + what :]
    if kind == "insert":
        return text[:where] + what + text[where:]
    if kind == "copy":
        return text[: where + what] + text[where:]
    if kind == "drop line":
        return "\n".join(lines[:where] + lines[where + 1 :])
    if kind == "copy line":
        return "\n".join([*lines[:where], *lines[what : what + 1], *lines[where:]])
    if kind == "key":
        return re.sub(rf"\b{where} =", f"{what} =", text, count=1)
    if kind == "add":
        return f"{where} = {what}\n{text}"
    return re.sub(rf"\b{where} = .*", lambda _: f"{where} = {what}", text, count=1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fuzz")
    job = "1 0 0 10 1 -1 -1 1 20 -1 1 1 1 1 1 1 -1 -1\n"
    (folder / "log.swf").write_text(f"; MaxProcs: 8\n{job}")
    (folder / "KTH-SP2.swf").write_text(f"; MaxProcs: 100\n{job}")
    (folder / "my.py").write_text("def mine(view): ...\nother = 5\n")
    return folder


def outcome(folder, content):
    file = folder / "s.toml"
    file.write_bytes(content)
    try:
        return read_study(file, traces=[folder])
    except PackwiseError as error:
        return error


def test_the_file_that_is_mutated_is_valid(folder):
    study = outcome(folder, VALID.encode())
    assert isinstance(study, Study)
    assert len(study.scenarios) == (2 * 2 * 2 + 2 + 5) * 2 * 2 * 7
    assert len(study.claims) == 3


@settings(max_examples=draws(400))
@given(st.lists(edits, min_size=1, max_size=4))
def test_mutations_end_in_a_study_or_an_error_with_a_line(folder, changes):
    text = VALID
    for change in changes:
        text = edited(text, change)
    found = outcome(folder, text.encode())
    if isinstance(found, PackwiseError):
        message = str(found)
        assert str(folder / "s.toml") in message
        number = re.search(r"\bline (\d+)", message)
        assert number or "expected a" in message
        assert "Traceback" not in message
    else:
        assert found.scenarios
        labels = [s.labels for s in found.scenarios]
        assert len(set(labels)) == len(labels)


@settings(max_examples=draws(200))
@given(st.binary(max_size=200))
def test_bytes(folder, content):
    outcome(folder, content)


@settings(max_examples=draws(200))
@given(st.integers(0, 10**6), st.binary(max_size=3))
def test_the_example_with_other_bytes(folder, place, replacement):
    content = example_study().encode()
    place %= len(content)
    outcome(folder, content[:place] + replacement + content[place + len(replacement) :])
