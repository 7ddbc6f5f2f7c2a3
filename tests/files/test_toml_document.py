"""What no person writes into a TOML file is refused before anybody looks at it."""

from __future__ import annotations

from pathlib import Path

import pytest

from packwise.clusters.finding import find_cluster
from packwise.energy.scenario_file import read_scenario
from packwise.model.errors import FormatError

DIGITS = "a number of thousands of digits"
NESTED = "nested more than 32 levels deep"


@pytest.mark.parametrize(
    ("value", "found", "line"),
    [
        ("9" * 5_000, DIGITS, 3),
        ("0x" + "f" * 5_000, DIGITS, 3),
        ("[" * 3_000, NESTED, None),
        ("[" * 100 + "]" * 100, NESTED, None),
        ("{a=" * 3_000, NESTED, None),
    ],
)
def test_numbers_and_nesting(tmp_path: Path, value: str, found: str, line: int | None) -> None:
    for table, read in (("group", lambda path: find_cluster(str(path))), ("price", read_scenario)):
        path = tmp_path / "site.toml"
        path.write_text(f'name = "x"\n[{table}]\ncount = {value}\n')
        with pytest.raises(FormatError, match=found) as caught:
            read(path)
        assert caught.value.line == line


def test_dotted_keys_nest_too(tmp_path: Path) -> None:
    path = tmp_path / "site.toml"
    path.write_text("group." + "a." * 2_000 + "b = 1\n")
    with pytest.raises(FormatError, match=NESTED):
        find_cluster(str(path))


def test_a_long_value_is_shown_in_part(tmp_path: Path) -> None:
    path = tmp_path / "site.toml"
    path.write_text(f"[[group]]\nname = [{', '.join(['1'] * 10_000)}]\ncount = 1\ncores = 1\n")
    with pytest.raises(FormatError) as caught:
        find_cluster(str(path))
    assert len(str(caught.value)) < 1_000
