"""Sensible breaks of a function: what a tired hand might write, each a change of its source in one place.

Places come from the syntax tree; the text around them stays byte for byte. What only speaks (messages that are
raised, formatted text, annotations) is left alone.
"""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

#: Where a break begins and ends in a source, and what stands there afterwards.
Change = tuple[int, int, bytes]
Function = ast.FunctionDef | ast.AsyncFunctionDef

_WIDTH = 100
_OPERATORS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.In: ("in", "not in"),
    ast.NotIn: (r"not\s+in", "in"),
    ast.Is: ("is", "is not"),
    ast.IsNot: (r"is\s+not", "is"),
    ast.And: ("and", "or"),
    ast.Or: ("or", "and"),
    ast.Add: (r"\+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: (r"\*", "+"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "//"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: (r"\|", "&"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
}
_PAIRS = (
    ("min", "max"),
    ("any", "all"),
    ("minimum", "maximum"),
    ("argmin", "argmax"),
    ("floor", "ceil"),
    ("nanmin", "nanmax"),
)
_OPPOSITES = {a: b for pair in _PAIRS for a, b in (pair, pair[::-1])}
#: Functions to which the order of their arguments is all one, or that Python itself would refuse otherwise.
_ANY_ORDER = {*_OPPOSITES, "isinstance", "issubclass", "getattr", "setattr", "hasattr", "cast"}


@dataclass(frozen=True)
class Break:
    """One change: of which kind, where, and the lines that it changes, before and after."""

    kind: str
    begin: int
    end: int
    after: bytes
    line: int
    shown: str

    def apply(self, source: bytes) -> bytes:
        return source[: self.begin] + self.after + source[self.end :]


class _Source:
    """A text whose places are found by the numbers of the syntax tree."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self._lines = [0, *(found.end() for found in re.finditer(rb"\n", text))]

    def begin(self, node: ast.AST) -> int:
        return self._lines[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]

    def end(self, node: ast.AST) -> int:
        return self._lines[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]

    def of(self, node: ast.AST) -> bytes:
        return self.text[self.begin(node) : self.end(node)]

    def line(self, place: int) -> int:
        return self.text.count(b"\n", 0, place) + 1

    def whole_lines(self, begin: int, end: int) -> tuple[int, int]:
        """The same place, from the beginning of its first line to the end of its last one."""
        last = self.text.find(b"\n", end)
        return self.text.rfind(b"\n", 0, begin) + 1, len(self.text) if last < 0 else last

    def between(self, left: ast.AST, right: ast.AST, pattern: str) -> tuple[int, int]:
        """Where an operator stands between its operands, whatever brackets and comments do."""
        begin = self.end(left)
        gap = self.text[begin : self.begin(right)]
        bare = re.sub(rb"#[^\n]*", lambda comment: b" " * len(comment[0]), gap)
        found = re.search(pattern.encode(), bare)
        assert found, f"expected {pattern} between two operands, found {gap!r}"
        return begin + found.start(), begin + found.end()


Rule = Callable[[ast.AST, _Source], Iterator[Change]]


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr | ast.List | ast.Tuple) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    )


def _swapped(left: ast.AST, kind: ast.AST, right: ast.AST, source: _Source) -> Iterator[Change]:
    if type(kind) in _OPERATORS:
        pattern, after = _OPERATORS[type(kind)]
        yield *source.between(left, right, pattern), after.encode()


def _comparison(node: ast.AST, source: _Source) -> Iterator[Change]:
    if isinstance(node, ast.Compare):
        for (left, right), kind in zip(
            pairwise((node.left, *node.comparators)), node.ops, strict=True
        ):
            yield from _swapped(left, kind, right, source)


def _and_or(node: ast.AST, source: _Source) -> Iterator[Change]:
    if isinstance(node, ast.BoolOp):
        for left, right in pairwise(node.values):
            yield from _swapped(left, node.op, right, source)


def _arithmetic(node: ast.AST, source: _Source) -> Iterator[Change]:
    if isinstance(node, ast.BinOp) and not (_is_text(node.left) or _is_text(node.right)):
        yield from _swapped(node.left, node.op, node.right, source)
    elif isinstance(node, ast.AugAssign) and not _is_text(node.value):
        yield from _swapped(node.target, node.op, node.value, source)


def _constant(node: ast.AST, source: _Source) -> Iterator[Change]:
    """Off by one; a fraction is doubled; yes is no; left is right."""
    if not isinstance(node, ast.Constant):
        return
    value = node.value
    after: list[object] = []
    if isinstance(value, bool):
        after = [not value]
    elif isinstance(value, int):
        after = [value + 1] if value < 2 else [value + 1, value - 1]
    elif isinstance(value, float):
        after = [value * 2 or 1.0]
    elif value in ("left", "right"):
        after = ['"right"' if value == "left" else '"left"']
    for one in after:
        yield source.begin(node), source.end(node), str(one).encode()


def _condition(node: ast.AST, source: _Source) -> Iterator[Change]:
    """A condition negated, or a negation left out."""
    tests: list[ast.expr] = []
    if isinstance(node, ast.If | ast.IfExp):
        tests = [node.test]
    elif isinstance(node, ast.comprehension):
        tests = node.ifs
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        sign = re.match(rb"not\s*|-\s*", source.of(node))
        if sign and not isinstance(node.operand, ast.Constant):
            yield source.begin(node), source.begin(node) + sign.end(), b""
    for test in tests:
        yield source.begin(test), source.end(test), b"not (" + source.of(test) + b")"


def _opposite(node: ast.AST, source: _Source) -> Iterator[Change]:
    """The largest for the smallest, all for any, and the like."""
    if isinstance(node, ast.Call):
        name, end = _name(node), source.end(node.func)
        if name in _OPPOSITES:
            yield end - len(name), end, _OPPOSITES[name].encode()


def _name(call: ast.Call) -> str:
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _order(node: ast.AST, source: _Source) -> Iterator[Change]:
    """What is sorted is sorted in reverse; what is reversed is not."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return
    if node.func.id == "reversed":
        yield source.begin(node.func), source.end(node.func), b"list"
    elif node.func.id == "sorted" and not _is_final(node):
        end = source.end(node) - 1
        inside = source.text[source.end(node.func) + 1 : end]
        comma = b"" if inside.rstrip().endswith(b",") else b", "
        yield end, end, comma + b"reverse=True"


def _is_final(call: ast.Call) -> bool:
    """Whether ``reverse`` cannot be added: it is there, or a lone generator has no brackets of its own."""
    if any(keyword.arg == "reverse" for keyword in call.keywords):
        return True
    return not call.keywords and isinstance(call.args[0], ast.GeneratorExp)


def _arguments(node: ast.AST, source: _Source) -> Iterator[Change]:
    """Two neighbouring arguments that are written alike change places."""
    if not isinstance(node, ast.Call) or _name(node) in _ANY_ORDER:
        return
    for one, two in pairwise(node.args):
        if type(one) is not type(two) or isinstance(one, ast.Starred):
            continue
        begin, end = source.begin(one), source.end(two)
        gap = source.text[source.end(one) : source.begin(two)]
        if source.of(one) != source.of(two):
            yield begin, end, source.of(two) + gap + source.of(one)


def _left_out(node: ast.AST, source: _Source) -> Iterator[Change]:
    """An early end, a call for its effect, or a step of a sum is left out."""
    if isinstance(node, ast.If) and not node.orelse:
        last = node.body[-1]
        if isinstance(last, ast.Return | ast.Continue | ast.Break):
            yield source.begin(last), source.end(last), b"pass"
    elif isinstance(node, ast.AugAssign) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    ):
        yield source.begin(node), source.end(node), b"pass"


def _branch(node: ast.AST, source: _Source) -> Iterator[Change]:
    """A branch does nothing."""
    if isinstance(node, ast.If):
        for branch in (node.body, node.orelse):
            if branch and not source.of(branch[0]).startswith((b"elif", b"pass")):
                yield source.begin(branch[0]), source.end(branch[-1]), b"pass"


_RULES: dict[str, Rule] = {
    "comparison": _comparison,
    "and, or": _and_or,
    "arithmetic": _arithmetic,
    "constant": _constant,
    "condition": _condition,
    "opposite": _opposite,
    "order": _order,
    "arguments": _arguments,
    "left out": _left_out,
    "branch": _branch,
}
_ONLY_SPEAKS = ast.JoinedStr | ast.Raise | ast.Assert | ast.arguments | ast.ClassDef


def _parts(function: Function) -> Iterator[ast.AST]:
    """All of a function that may be broken, the functions inside it too."""
    ahead: list[ast.AST] = [*function.body]
    while ahead:
        node = ahead.pop()
        if isinstance(node, _ONLY_SPEAKS):
            continue
        yield node
        spoken = {"annotation", "returns", "decorator_list"}
        for name, value in ast.iter_fields(node):
            if name not in spoken:
                values = value if isinstance(value, list) else [value]
                ahead.extend(part for part in values if isinstance(part, ast.AST))


def breaks_of(text: bytes, function: Function) -> list[Break]:
    """All breaks of a function, in the order in which they stand in its source."""
    source = _source(text)
    found: dict[Change, str] = {}
    for kind, change in _changes(source, function):
        found.setdefault(change, kind)
    return [_break(source, kind, change) for change, kind in sorted(found.items())]


def computes(text: bytes, function: Function) -> bool:
    """Whether there is something to break."""
    return any(True for _ in _changes(_source(text), function))


@lru_cache(maxsize=1)
def _source(text: bytes) -> _Source:
    return _Source(text)


def _changes(source: _Source, function: Function) -> Iterator[tuple[str, Change]]:
    for node in _parts(function):
        for kind, rule in _RULES.items():
            for change in rule(node, source):
                yield kind, change


def _break(source: _Source, kind: str, change: Change) -> Break:
    begin, end, after = change
    first, last = source.whole_lines(begin, end)
    now = source.text[first:begin] + after + source.text[end:last]
    shown = f"{_short(source.text[first:last])} → {_short(now)}"
    return Break(kind, begin, end, after, source.line(begin), shown)


def _short(lines: bytes) -> str:
    words = " ".join(lines.decode().split())
    return words if len(words) <= _WIDTH else f"{words[: _WIDTH - 1]}…"


def pick(text: bytes, function: Function, seed: str) -> Break | None:
    """One break, by a seed: a kind first, so that constants do not outnumber all others. None where there is
    nothing to break.
    """
    dice = random.Random(seed)
    found = breaks_of(text, function)
    while found:
        kind = dice.choice(sorted({one.kind for one in found}))
        chosen = dice.choice([one for one in found if one.kind == kind])
        if _is_another_program(text, chosen):
            return chosen
        found.remove(chosen)
    return None


def _is_another_program(text: bytes, chosen: Break) -> bool:
    """Whether a break is Python, and another program."""
    try:
        return ast.dump(ast.parse(chosen.apply(text))) != ast.dump(ast.parse(text))
    except SyntaxError:
        return False
