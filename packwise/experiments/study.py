"""The study: scenarios, what to measure, and what to compare with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from packwise.experiments.claim import Claim, Swept
from packwise.experiments.scenario import Labels, Scenario
from packwise.metrics.trimming import Trim


@dataclass(frozen=True)
class Baseline:
    """What a scenario is compared with: itself, with these axes set to these labels.

    ``Baseline(policy="list-reg")`` compares each policy with list-reg on the same workload, machine,
    estimate and replica; ``Baseline(estimate="requested")`` each estimate with the users' limits.
    """

    policy: str | None = None
    estimate: str | None = None
    machine: str | None = None

    def of(self, labels: Labels) -> Labels:
        """The labels of the scenario to compare with."""
        changes = {
            axis: label
            for axis in ("policy", "estimate", "machine")
            if (label := getattr(self, axis)) is not None
        }
        return labels._replace(**changes)

    def __str__(self) -> str:
        parts = [self.policy, self.estimate, self.machine]
        return " / ".join(part for part in parts if part is not None)


@dataclass(frozen=True, kw_only=True)
class Cells:
    """Which cells of a published table are meant, by patterns (* and ?), and the ``reason``."""

    workload: str = "*"
    policy: str = "*"
    estimate: str = "*"
    metric: str = "*"
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class Tolerance(Cells):
    """How far from a published value ours may be: ``points`` of percentages, or ``value`` in the metric's
    own unit where values are published, or ``share`` of the published value, if that is more.
    """

    points: float = 1.0
    share: float = 0.02
    value: float = 0.0


@dataclass(frozen=True)
class PublishedRules:
    """When ours agrees with a published value: if it rounds to what was printed, where there is no tolerance.

    ``rounded``: to how many decimals, one time after the other; by default to those of the table. Of the
    ``tolerances`` and of the ``explained``, cells that are known to differ, the last that matches counts.
    """

    rounded: tuple[int, ...] = ()
    tolerances: tuple[Tolerance, ...] = ()
    explained: tuple[Cells, ...] = ()


@dataclass(frozen=True)
class Study:
    """A grid of scenarios. ``file`` is where it was read from, None if it was made in memory.

    ``drop_unaffected``: metrics are without the jobs that no policy of a case made wait; ``trim``: without
    those that end first or last, but under the policies that are ``untrimmed``, by their labels. ``swept``
    tells, by label, which workloads differ by a number only.
    """

    name: str
    scenarios: tuple[Scenario, ...]
    metrics: tuple[str, ...]
    baseline: Baseline
    store: Path
    description: str = ""
    file: Path | None = None
    confidence: float = 0.95
    published: PublishedRules = PublishedRules()
    dask: Mapping[str, Any] = field(default_factory=dict)
    drop_unaffected: bool = False
    trim: Trim | None = None
    untrimmed: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    swept: Mapping[str, Swept] = field(default_factory=dict)

    @property
    def of_a_part(self) -> bool:
        """Whether metrics of jobs leave some jobs out."""
        return self.drop_unaffected or self.trim is not None

    @property
    def of_all_jobs(self) -> Study:
        """The same study, measured over all jobs."""
        return self.replace(drop_unaffected=False, trim=None, untrimmed=())

    def trim_of(self, policy: str) -> Trim | None:
        """What is left out of the runs of a policy, by its label."""
        return None if policy in self.untrimmed else self.trim

    def axis(self, name: str) -> list[str]:
        """The labels of an axis, each once, in the order of the study."""
        return list(dict.fromkeys(getattr(s.labels, name) for s in self.scenarios))

    def replace(self, **changes: Any) -> Study:
        return replace(self, **changes)
