"""name(key=value, ...): one parser, and those who use it say the same of the same mistake."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packwise.model.errors import InputError, UnknownName
from packwise.model.specification import specification, split_names
from packwise.registry import estimate, policy
from packwise.workloads.deadlines import parse_rules


def parsed(text: str, known=("a", "b", "c"), last=None):
    return specification("thing", text, "x(a=1)").parameters(known, owner="x", last=last)


@pytest.mark.parametrize(
    ("text", "name", "inside"),
    [
        ("x", "x", None),
        (" x ", "x", None),
        ("x()", "x", ""),
        ("x( )", "x", " "),
        ("x (a=1) ", "x", "a=1"),
        ("x(a=f(1,2))", "x", "a=f(1,2)"),
        ("exact*1.5", "exact*1.5", None),
        ("", "", None),
        ("(a=1)", "", "a=1"),
        ("x\n(a=1)", "x", "a=1"),
    ],
)
def test_taken_apart(text, name, inside):
    found = specification("thing", text, "x(a=1)")
    assert (found.name, found.inside) == (name, inside)


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("x()", {}),
        ("x(  )", {}),
        ("x(a=1)", {"a": "1"}),
        ("x( A = 1 , b= 2 )", {"a": "1", "b": "2"}),
        ("x(a=1=2)", {"a": "1=2"}),
        ("x(a=f(1,b=2),b=3)", {"a": "f(1,b=2)", "b": "3"}),
        ("x(a=((1)),b=())", {"a": "((1))", "b": "()"}),
        ("x(a=\"1\",b='2')", {"a": '"1"', "b": "'2'"}),
        ("x(a=é λ)", {"a": "é λ"}),
        (f"x(a={'9' * 5000})", {"a": "9" * 5000}),
    ],
)
def test_parameters(text, pairs):
    assert parsed(text) == pairs


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("x(c=a,b.csv)", {"c": "a,b.csv"}),
        ("x(a=1,c=log (1).csv, b=2)", {"a": "1", "c": "log (1).csv, b=2"}),
        ("x(c=odd (.csv)", {"c": "odd (.csv"}),
        ("x(c=odd ).csv)", {"c": "odd ).csv"}),
    ],
)
def test_the_last_one_takes_the_rest(text, pairs):
    assert parsed(text, last="c") == pairs


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x(", "thing 'x(': a parenthesis is missing. Quote it: 'x(a=1)'."),
        ("x)", "a parenthesis is missing. Quote it"),
        ("x(a=1", "a parenthesis is missing. Quote it"),
        ("x(a=1))", "'a=1)': a parenthesis is missing."),
        ("x(a=(1)", "'a=(1': a parenthesis is missing."),
        ("x((a=1))", "unknown parameter of x '(a'. Did you mean a?"),
        ("x(a=1)(b=2)", "'a=1)(b=2': a parenthesis is missing."),
        ("x(a=1)y", "expected nothing behind the last parenthesis, found 'y'."),
        ("x(a)", "expected parameter=value, found 'a'. Parameters of x: a, b, c."),
        ("x(a=)", "expected parameter=value, found 'a='."),
        ("x(=1)", "expected parameter=value, found '=1'."),
        ("x(=)", "expected parameter=value, found '='."),
        ("x(,a=1)", "expected parameter=value, found ''."),
        ("x(a=1,,b=2)", "expected parameter=value, found ''."),
        ("x(a=1,)", "expected a parameter after the last comma."),
        ("x(,)", "expected parameter=value, found ''."),
        ("x(a=1,a=2)", "parameter 'a' is given twice. Keep one."),
        ("x(a=1,A=2)", "parameter 'a' is given twice. Keep one."),
        ("x(d=1)", "unknown parameter of x 'd'. Known: a, b, c."),
        ("x('a'=1)", "unknown parameter of x ''a''. Known: a, b, c."),
        (f"x({'d' * 100_000}=1)", f"unknown parameter of x '{'d' * 100}...'."),
        (f"x({'a=1,' * 50_000}", f"thing 'x({'a=1,' * 24}a=...': a parenthesis is missing."),
        (f"x({'(' * 50_000})", "expected parameter=value, found '(((("),
    ],
)  # fmt: skip
def test_refused(text, words):
    with pytest.raises(InputError) as caught:
        parsed(text)
    assert words in str(caught.value)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    ("read", "name", "key"),
    [
        (policy, "list", "depth"),
        (policy, "packwise", "budget"),
        (policy, "cbf", "compress"),
        (estimate, "last2", "corrector"),
        (estimate, "hierarchy", "decay"),
        (parse_rules, "slack", "share"),
        (parse_rules, "week", "day"),
    ],
)
@pytest.mark.parametrize(
    ("inside", "words"),
    [
        ("({key}=1", "a parenthesis is missing. Quote it: '"),
        ("({key}=1)x", "expected nothing behind the last parenthesis, found 'x'"),
        ("({key})", "expected parameter=value, found '{key}'. Parameters"),
        ("({key}=)", "expected parameter=value, found '{key}='."),
        ("({key}=1,)", "expected a parameter after the last comma."),
        ("({key}=1,{key}=2)", "parameter '{key}' is given twice. Keep one."),
        ("(nonsense=1)", "unknown parameter"),
    ],
)
def test_everybody_says_the_same(read, name, key, inside, words):
    with pytest.raises(InputError) as caught:
        read(name + inside.format(key=key))
    assert words.format(key=key) in str(caught.value)


@pytest.mark.parametrize("read", [policy, estimate, parse_rules])
@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "()",
        "(a=1)",
        "x" * 100_000,
        "nothing(a=1)",
        "é",
        "list-saf2",
        "a\x00b",
        "((((",
        "))))",
    ],
)
def test_names_that_are_none(read, text):
    with pytest.raises(InputError) as caught:
        read(text)
    assert len(str(caught.value)) < 500


@given(st.text(alphabet="abx=,() '\"%.1é\n", max_size=30))
def test_any_text_is_taken_apart_or_refused(text):
    for read in (parsed, policy, estimate, parse_rules):
        with suppress(InputError):
            assert read(text) is not None


@given(
    st.dictionaries(
        st.sampled_from("abc"), st.text(alphabet="xyz=%.", min_size=1, max_size=9), min_size=1
    )
)
def test_what_is_written_is_read(pairs):
    assert parsed(f"x({','.join(f'{key}={value}' for key, value in pairs.items())})") == pairs


def test_lists_of_names():
    assert split_names("easy, list(order=saf,depth=4) ,cbf,") == [
        "easy",
        "list(order=saf,depth=4)",
        "cbf",
    ]
    assert split_names(" , ,") == []
    assert split_names("a(b(c,d),e),f") == ["a(b(c,d),e)", "f"]
    assert len(split_names("easy," * 10_000)) == 10_000


def test_what_takes_none():
    with pytest.raises(InputError, match="'x' takes no parameters"):
        specification("thing", "x(a=1)", "").refuse_parameters("x")
    specification("thing", "x( )", "").refuse_parameters("x")
    with pytest.raises(UnknownName):
        parsed("x(nope=1)")
