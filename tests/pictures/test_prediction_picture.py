"""The picture of predictions: written whole, the same bytes for the same runs, for any number of runs."""

from __future__ import annotations

import numpy as np
import pytest

from packwise import Cluster, Exact, ListPolicy, Requested, Workload, simulate
from packwise.model.errors import InputError
from packwise.pictures.prediction import plot_predictions
from tests.ink import drawn_figures, panel_ink
from tests.lanes import broad

JOBS = Workload.of([(0, 3, 40, 40), (10, 4, 20, 90), (20, 1, 300, 500), (60, 2, 10, 10)])


def runs(*estimates):
    return [simulate(JOBS, Cluster.pool(4), ListPolicy(), one) for one in estimates]


@pytest.mark.slow
def test_the_same_bytes_each_time(tmp_path):
    files = [tmp_path / f"{name}.svg" for name in "ab"]
    for file in files:
        plot_predictions(runs(Requested(), Exact(0.5)), file, [None, 0.9])
    first, second = (file.read_bytes() for file in files)
    assert first == second


@pytest.mark.parametrize("count", broad([1, 4]))
def test_any_number_of_panels(tmp_path, count):
    estimates = [Exact(k) for k in (1, 0.5, 2, 0.1, 3, 4, 5, 6)]
    with drawn_figures() as figures:
        plot_predictions(runs(*estimates[:count]), tmp_path / "p.png")
    (figure,) = figures
    assert len(figure.axes) == 2 * count + 1
    for axes, covered in zip(figure.axes[0::2], panel_ink(figure)[0::2], strict=False):
        if axes.get_label() != "<colorbar>":
            assert covered > 5_000
            assert jobs_in(axes) == len(JOBS)


def jobs_in(axes):
    """The sum over the cells of a panel: each job is in one."""
    (mesh,) = (one for one in axes.collections if one.get_array() is not None)
    return float(np.nansum(mesh.get_array()))


def test_how_many_end_within_their_estimate(tmp_path):
    """Half of the run time covers nobody; twice the run time, where the limit allows it, all."""
    with drawn_figures() as figures:
        plot_predictions(runs(Exact(0.5), Exact(2)), tmp_path / "p.png")
    short, long = figures[0].axes[1], figures[0].axes[3]
    ends = [
        [float(path.vertices[:, 0].max()) for one in axes.collections for path in one.get_paths()]
        for axes in (short, long)
    ]
    assert set(ends[0]) == {0.0}
    assert set(ends[1]) == {100.0}
    covered = panel_ink(figures[0])
    assert covered[3] > 10 * covered[1]


def test_one_job_of_one_second(tmp_path):
    run = simulate(Workload.of([(0, 1, 1, 1)]), Cluster.pool(1), ListPolicy(), Exact())
    with drawn_figures() as figures:
        plot_predictions([run], tmp_path / "p.png")
    assert jobs_in(figures[0].axes[0]) == 1
    assert panel_ink(figures[0])[0] > 100


def test_refusals(tmp_path):
    with pytest.raises(InputError, match="one run at least"):
        plot_predictions([], tmp_path / "p.png")
    with pytest.raises(InputError, match=r"should end in \.png"):
        plot_predictions(runs(Exact()), tmp_path / "p.bmp")
