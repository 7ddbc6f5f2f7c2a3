"""Packwise: replay, optimise and run the job queue of an HPC cluster.

The public names load on first use, so that ``packwise --help`` does not wait for NumPy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from packwise.contract import check_policy
    from packwise.feasibility import check_schedule
    from packwise.metrics import summarize
    from packwise.model import Cluster, Decision, Policy, Run, Schedule, View, Workload
    from packwise.model.errors import PackwiseError
    from packwise.optimise.job_cost import job_cost
    from packwise.policies import ConservativePolicy, ListPolicy, order_key
    from packwise.predict import Exact, Predictor, Requested
    from packwise.side_by_side import compare
    from packwise.simulation import simulate
    from packwise.workloads.loading import load_workload
    from packwise.workloads.reading import read

__version__ = "0.1.0"

__all__ = [
    "Cluster",
    "ConservativePolicy",
    "Decision",
    "Exact",
    "ListPolicy",
    "PackwiseError",
    "Policy",
    "Predictor",
    "Requested",
    "Run",
    "Schedule",
    "View",
    "Workload",
    "check_policy",
    "check_schedule",
    "compare",
    "job_cost",
    "load_workload",
    "order_key",
    "read",
    "simulate",
    "summarize",
]

_HOMES = {
    "packwise.contract": ("check_policy",),
    "packwise.feasibility": ("check_schedule",),
    "packwise.metrics": ("summarize",),
    "packwise.model": ("Cluster", "Decision", "Policy", "Run", "Schedule", "View", "Workload"),
    "packwise.model.errors": ("PackwiseError",),
    "packwise.optimise.job_cost": ("job_cost",),
    "packwise.policies": ("ConservativePolicy", "ListPolicy", "order_key"),
    "packwise.predict": ("Exact", "Predictor", "Requested"),
    "packwise.side_by_side": ("compare",),
    "packwise.simulation": ("simulate",),
    "packwise.workloads.loading": ("load_workload",),
    "packwise.workloads.reading": ("read",),
}


def __getattr__(name: str) -> Any:
    for module, names in _HOMES.items():
        if name in names:
            value = getattr(import_module(module), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module 'packwise' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
