"""Pictures of runs: written whole, the same bytes for the same runs, refused suffixes."""

from __future__ import annotations

import pytest

from packwise import Cluster, ListPolicy, Workload, simulate
from packwise.model.errors import InputError
from packwise.pictures.comparison import plot_comparison
from packwise.pictures.replay import plot_replay

JOBS = Workload.of([(0, 3, 40, 40), (10, 4, 20, 90), (20, 1, 300, 500), (60, 2, 10, 10)])


@pytest.fixture
def runs():
    policies = (ListPolicy(name="a"), ListPolicy(name="b", depth=1))
    return [simulate(JOBS, Cluster.pool(4), policy) for policy in policies]


@pytest.mark.parametrize(
    ("suffix", "magic"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")]
)
def test_formats_and_determinism(runs, tmp_path, suffix, magic):
    files = [tmp_path / f"{name}.{suffix}" for name in "abcd"]
    plot_comparison(runs, 0, files[0])
    plot_comparison(runs, 0, files[1])
    plot_replay(runs[0], files[2])
    plot_replay(runs[0], files[3])
    content = [file.read_bytes() for file in files]
    assert all(one.startswith(magic) for one in content)
    assert content[0] == content[1]
    assert content[2] == content[3]
    assert len(list(tmp_path.iterdir())) == 4


def test_refusals(runs, tmp_path):
    with pytest.raises(InputError, match=r"should end in \.png, \.svg or \.pdf"):
        plot_replay(runs[0], tmp_path / "picture.bmp")
    with pytest.raises(InputError, match="one of the 2 runs, found 2"):
        plot_comparison(runs, 2, tmp_path / "picture.png")
