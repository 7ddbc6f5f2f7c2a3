"""A predictor and its twin, in one replay after the other."""

from __future__ import annotations

from packwise import Cluster, ListPolicy, Predictor, Workload, simulate


def replay_alike(jobs: Workload, estimate: Predictor, twin: Predictor) -> None:
    """Compiled and stepped: what is believed, when jobs start, and how often it was believed anew."""
    cluster, policy = Cluster.pool(16), ListPolicy()
    expected = simulate(jobs, cluster, policy, twin)
    for stepped in (False, True):
        run = simulate(jobs, cluster, policy, estimate, stepped=stepped)
        assert run.first_estimate.tolist() == expected.first_estimate.tolist()
        assert run.schedule.start.tolist() == expected.schedule.start.tolist()
        assert run.corrections.tolist() == expected.corrections.tolist()
