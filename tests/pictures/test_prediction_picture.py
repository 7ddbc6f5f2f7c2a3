"""The picture of predictions: written whole, the same bytes for the same runs, for any number of runs."""

from __future__ import annotations

import pytest

from packwise import Cluster, Exact, ListPolicy, Requested, Workload, simulate
from packwise.model.errors import InputError
from packwise.pictures.prediction import plot_predictions

JOBS = Workload.of([(0, 3, 40, 40), (10, 4, 20, 90), (20, 1, 300, 500), (60, 2, 10, 10)])


def runs(*estimates):
    return [simulate(JOBS, Cluster.pool(4), ListPolicy(), one) for one in estimates]


@pytest.mark.parametrize(
    ("suffix", "magic"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")]
)
def test_formats_and_determinism(tmp_path, suffix, magic):
    files = [tmp_path / f"{name}.{suffix}" for name in "ab"]
    for file in files:
        plot_predictions(runs(Requested(), Exact(0.5)), file, [None, 0.9])
    first, second = (file.read_bytes() for file in files)
    assert first.startswith(magic)
    assert first == second


@pytest.mark.parametrize("count", [1, 3, 4, 8])
def test_any_number_of_panels(tmp_path, count):
    estimates = [Exact(k) for k in (1, 0.5, 2, 0.1, 3, 4, 5, 6)]
    plot_predictions(runs(*estimates[:count]), tmp_path / "p.png")
    assert (tmp_path / "p.png").stat().st_size > 10_000


def test_one_job_of_one_second(tmp_path):
    run = simulate(Workload.of([(0, 1, 1, 1)]), Cluster.pool(1), ListPolicy(), Exact())
    plot_predictions([run], tmp_path / "p.png")


def test_refusals(tmp_path):
    with pytest.raises(InputError, match="one run at least"):
        plot_predictions([], tmp_path / "p.png")
    with pytest.raises(InputError, match=r"should end in \.png"):
        plot_predictions(runs(Exact()), tmp_path / "p.bmp")
