"""The tool itself: breaks are small and Python, draws repeat, and the test of a toy notices."""

from __future__ import annotations

import ast
import signal
import time
from pathlib import Path

import pytest

from tests.teeth.breaks import breaks_of, pick
from tests.teeth.draw import draw
from tests.teeth.judged import judged
from tests.teeth.reach import Reach
from tests.teeth.trial import Trials, _failure

ROOT = Path(__file__).resolve().parents[2]
MIDDLE = '''\
"""Numbers in the middle."""

LOW = 3


def middle(numbers):
    """Those between the ends: 3 < x < 9."""
    found = []
    for x in numbers:
        if x <= LOW or not x < (  # not above
            9
        ):
            continue
        found.append(x)
    return sorted(found)


def untested(x: int = 5):
    if x:
        raise ValueError(f"{x + 1} is one more")
    return x
'''
TOY = {
    "toy/__init__.py": "from toy.room.middle import middle\n",
    "toy/room/__init__.py": "",
    "toy/room/middle.py": MIDDLE,
    "toy/room/kernels/fast.py": "def twice(x):\n    return 2 * x\n",
    "toy/above.py": "from toy import middle\n\ndef first(x):\n    return middle(x)[0]\n",
    "tests/test_above.py": "from toy.above import first\n\ndef test_it():\n    assert first([5]) == 5\n",
    "tests/room/test_middle.py": "from toy.room.middle import middle\n\n"
    "def test_anyway():\n    assert middle([]) is None\n\n"
    "def test_it():\n    assert middle([3, 9, 8, 4]) == [4, 8]\n",
    "tests/test_other.py": "def test_it():\n    pass\n",
}


@pytest.fixture
def toy(tmp_path):
    for name, text in TOY.items():
        path = tmp_path / "toy" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return tmp_path / "toy"


def function(text, name):
    return next(n for n in ast.walk(ast.parse(text)) if getattr(n, "name", "") == name)


def test_breaks_by_hand():
    text = MIDDLE.encode()
    found = {
        (b.line, text[b.begin : b.end], b.after) for b in breaks_of(text, function(text, "middle"))
    }
    condition = b"x <= LOW or not x < (  # not above\n            9\n        )"
    assert found == {
        (10, b"<=", b"<"),
        (10, b"or", b"and"),
        (10, b"not ", b""),
        (10, b"<", b"<="),
        (10, condition, b"not (" + condition + b")"),
        (11, b"9", b"10"),
        (11, b"9", b"8"),
        (13, b"continue", b"pass"),
        (14, b"found.append(x)", b"pass"),
        (15, b"", b", reverse=True"),
    }


@pytest.mark.parametrize(
    ("line", "broken"),
    [
        ("f(a, b, *c)", {"f(b, a, *c)", "pass"}),
        ("x = min(a, b)", {"x = max(a, b)"}),
        ("x = np.floor(a) // b", {"x = np.ceil(a) // b", "x = np.floor(a) * b"}),
        ("x = a is not b", {"x = a is b"}),
        ("x += -y", {"x -= -y", "x += y", "pass"}),
        ("x: int = 1.5", {"x: int = 3.0"}),
        ("x = 'é' + 'a'; y = True", {"x = 'é' + 'a'; y = False"}),
        ("x = sorted(n for n in a if n)", {"x = sorted(n for n in a if not (n))"}),
        (
            "x = sorted(reversed(a),)",
            {"x = sorted(list(a),)", "x = sorted(reversed(a),reverse=True)"},
        ),
        ("x = f'{a + 1}' 'b'; assert a > 1", set()),
    ],
)
def test_breaks_of_a_line(line, broken):
    text = f"def f():\n    {line}\n".encode()
    lines = {b.apply(text).decode() for b in breaks_of(text, function(text, "f"))}
    assert lines == {f"def f():\n    {after}\n" for after in broken}


@pytest.mark.slow
def test_a_break_is_python_and_changes_one_place():
    drawn = draw(ROOT / "packwise", 1, 25)
    assert len(drawn) == 25
    for one in drawn:
        text = (ROOT / one.path).read_bytes()
        broken = one.broken.apply(text)
        assert ast.dump(ast.parse(broken)) != ast.dump(ast.parse(text))
        assert broken.startswith(text[: one.broken.begin])
        assert broken.endswith(text[one.broken.end :])
        assert one.broken.end - one.broken.begin < len(text) / 2


def test_draws_repeat_and_reach_every_room(toy):
    drawn = draw(toy / "toy", 44, 3)
    assert [one.room for one in drawn] == ["", "room", "room/kernels"]
    assert draw(toy / "toy", 44, 3) == drawn
    assert {one.name for one in draw(toy / "toy", 44, 9)} == {
        "first",
        "middle",
        "untested",
        "twice",
    }
    assert len(draw(toy / "toy", 44, 2)) == 2
    seeds = {draw(toy / "toy", seed, 3)[1].broken.shown for seed in range(20)}
    assert len(seeds) > 3


def test_the_closest_tests_come_first(toy):
    middle = next(one for one in draw(toy / "toy", 44, 9) if one.name == "middle")
    assert Reach(toy, "toy").tests(middle) == ["tests/room/test_middle.py", "tests/test_above.py"]


@pytest.mark.slow
def test_the_test_of_a_toy_notices(toy, tmp_path):
    """And one that fails without a break, too, notices nothing."""
    drawn = {one.name: one for one in draw(toy / "toy", 44, 9)}
    folder = tmp_path / "copies"
    folder.mkdir()
    trials = Trials(toy, "toy", folder, 100)
    noticed = trials.attempt(drawn["middle"])
    assert noticed.failure == ("tests/room/test_middle.py::test_it", "fails")
    assert trials.fail_anyway == {"tests/room/test_middle.py::test_anyway"}
    unnoticed = trials.attempt(drawn["untested"])
    assert (unnoticed.failure, unnoticed.files, unnoticed.used_up) == (None, 2, False)
    assert (toy / "toy/room/middle.py").read_text("utf-8") == MIDDLE


def test_what_hangs_or_breaks_down_is_noticed():
    begun = [{"begins": "a", "seconds": 2.0, "clock": time.time() - 1_000}]
    just = [{**begun[0], "clock": time.time()}]
    cut = -signal.SIGXCPU
    assert _failure(begun, cut, 100, "f") == ("a", "does not end")
    assert _failure(begun, cut, 30, "f") is None  # it had little time
    compiling = [*begun, {"compiles": True, "seconds": 90.0, "clock": 0.0}]
    assert _failure(compiling, cut, 300, "f") is None
    assert _failure(compiling, cut, 303, "f") == ("a", "does not end")
    assert _failure([*begun, {"ends": "a", "seconds": 3.0}], cut, 100, "f") is None
    assert _failure(begun, None, 30, "f") == ("a", "does not end")  # it waits
    assert _failure(just, None, 30, "f") is None
    assert _failure(begun, -signal.SIGSEGV, 100, "f") == ("a", "breaks down")
    assert _failure([], 4, 100, "f") == ("f", "breaks down")  # a conftest that cannot be imported
    assert _failure([*begun, {"failed": "a"}], 1, 100, "f") == ("a", "fails")
    assert _failure([*begun, {"ends": "a", "seconds": 3.0}], 0, 100, "f") is None


def test_nothing_to_break():
    text = b"def f(self):\n    return self.x\n"
    assert pick(text, function(text, "f"), "1") is None


def test_verdicts(tmp_path):
    path = tmp_path / "judged.txt"
    path.write_text(
        "# how\na.py::f | x < 1 → x <= 1\n  x is\n  odd\n\nb.py::g | 2 → 3\n  why\n", "utf-8"
    )
    assert judged(path) == {"a.py::f | x < 1 → x <= 1": "x is odd", "b.py::g | 2 → 3": "why"}
    assert all(judged().values())
