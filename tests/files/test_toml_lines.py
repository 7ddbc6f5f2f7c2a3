"""Every key of a TOML document is found on its line."""

from __future__ import annotations

import tomllib
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packwise.files.toml_lines import key_lines

DOCUMENT = '''\
# name = "not this one"
name = "a # not a comment"   # a comment with "quotes" and [brackets]
description = """
not_a_key = 1
[not.a.table] \\""" still inside
"""
path = 'C:\\no "escape"'
raw = \'\'\'
it's """fine""" here
also_not_a_key = 2\'\'\'
policies = [        # one per line
    "easy",         # ]
    # "commented",
    "list(order=saf,depth=4)", "fcfs",
    [1, [2,
      3]],
]
when = 1979-05-27 07:32:00
a.b . "c.d" = 5
"quoted key" = { x = 1, y.z = [1, 2], "w" = {} }
empty = []

[[workload]]
archive = "KTH-SP2"
procs = 100

[workload.generate]
jobs = 5

  [[ workload ]]  # the second
generate = { jobs = 1, procs = 2 }

[[workload.part]]
x = 1
[[workload.part]]
x = 2

[published.limits]
points = 1.0
[published]
share = 0.02
'''


def test_a_document():
    lines = key_lines(DOCUMENT)
    expected = {
        ("name",): 2,
        ("description",): 3,
        ("path",): 7,
        ("raw",): 8,
        ("policies",): 11,
        ("policies", 0): 12,
        ("policies", 1): 14,
        ("policies", 2): 14,
        ("policies", 3): 15,
        ("policies", 3, 0): 15,
        ("policies", 3, 1): 15,
        ("policies", 3, 1, 0): 15,
        ("policies", 3, 1, 1): 16,
        ("when",): 18,
        ("a",): 19,
        ("a", "b"): 19,
        ("a", "b", "c.d"): 19,
        ("quoted key",): 20,
        ("quoted key", "x"): 20,
        ("quoted key", "y"): 20,
        ("quoted key", "y", "z"): 20,
        ("quoted key", "y", "z", 0): 20,
        ("quoted key", "y", "z", 1): 20,
        ("quoted key", "w"): 20,
        ("empty",): 21,
        ("workload",): 23,
        ("workload", 0): 23,
        ("workload", 0, "archive"): 24,
        ("workload", 0, "procs"): 25,
        ("workload", 0, "generate"): 27,
        ("workload", 0, "generate", "jobs"): 28,
        ("workload", 1): 30,
        ("workload", 1, "generate"): 31,
        ("workload", 1, "generate", "jobs"): 31,
        ("workload", 1, "generate", "procs"): 31,
        ("workload", 1, "part"): 33,
        ("workload", 1, "part", 0): 33,
        ("workload", 1, "part", 0, "x"): 34,
        ("workload", 1, "part", 1): 35,
        ("workload", 1, "part", 1, "x"): 36,
        ("published",): 40,
        ("published", "limits"): 38,
        ("published", "limits", "points"): 39,
        ("published", "share"): 41,
    }
    assert lines == expected
    assert set(lines) == set(places(tomllib.loads(DOCUMENT)))
    assert key_lines(DOCUMENT.replace("\n", "\r\n")) == expected


@pytest.mark.parametrize(
    "value",
    [
        '"""a"""""', '""""a"""', "''''a''''", '""""""', "''''''", '""', "''", r'"\\"', r'"\""',
        r'"""\"""\\"""', '"""a\\\n   b"""', "[ ]", "[\n#]\n]", "{}", "[{a = 1}, {}]", "-inf", "1e5",
    ],
)  # fmt: skip
def test_values_end_where_they_end(value):
    text = f"first = {value}\n\nlast = 1"
    tomllib.loads(text)
    lines = key_lines(text)
    assert lines["first",] == 1
    assert lines["last",] == 3 + value.count("\n")


def test_escaped_keys():
    text = '"\\u00e9\\t" = 1\n"a\\"b".c = 2\n'
    assert key_lines(text) == {("é\t",): 1, ('a"b',): 2, ('a"b', "c"): 2}


def test_nothing_to_find():
    assert key_lines("") == {}
    assert key_lines("\n# only = 'a comment'") == {}


# ---- Random documents --------------------------------------------------------------------------------

bare = st.text("abcXYZ019_-", min_size=1, max_size=6)
texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=12)
plain = st.one_of(
    st.integers(-(10**6), 10**6),
    st.booleans(),
    st.floats(),
    texts,
    st.just(date(2024, 2, 29)),
)
values = st.recursive(
    plain,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(bare, inner, max_size=3),
    max_leaves=6,
)
flat = st.dictionaries(bare, values, max_size=4)
documents = st.tuples(
    flat, st.dictionaries(bare, flat | st.lists(flat, min_size=1, max_size=3), max_size=4)
)
gaps = st.lists(
    st.sampled_from(["", "  ", "# x = 1", "\t# [a]", "# '''", '# """']), min_size=1, max_size=5
)


def written(value, gap):
    """A value as TOML; lists over several lines, with comments."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        quotes = '"""\n' if len(value) % 2 else '"'
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f"{quotes}{escaped}{quotes.strip()}"
    if isinstance(value, list):
        breaks = "\n" + "\n".join(gap) + "\n"
        return "[" + breaks + "".join(f"{written(one, gap)} ,{breaks}" for one in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k} = {written(v, gap)}" for k, v in value.items()) + "}"
    return str(value)


def pairs(table, gap):
    return [f"{key} = {written(value, gap)}" for key, value in table.items()]


def places(value, place=()):
    """Every place of a parsed document."""
    inside = []
    if isinstance(value, dict):
        inside = value.items()
    elif isinstance(value, list):
        inside = enumerate(value)
    for key, one in inside:
        yield (*place, key)
        yield from places(one, (*place, key))


@given(documents, gaps)
def test_every_key_has_a_line_that_shows_it(document, gap):
    top, tables = document
    rows = pairs(top, gap)
    for name, table in tables.items():
        if name in top:
            continue
        header = f"[[{name}]]" if isinstance(table, list) else f'["{name}"]'
        for one in table if isinstance(table, list) else [table]:
            rows += [*gap, header, *pairs(one, gap)]
    text = "\n".join(rows)
    parsed = tomllib.loads(text)
    lines = key_lines(text)
    assert set(lines) == set(places(parsed))
    shown = text.split("\n")
    for place, line in lines.items():
        if isinstance(place[-1], str):
            assert place[-1] in shown[line - 1]
