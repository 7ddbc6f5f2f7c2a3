"""What the policies and estimates of a study are, in words."""

from __future__ import annotations

from packwise import registry
from packwise.experiments.scenario import Choice
from packwise.experiments.study import Study
from packwise.predict import Exact


def glossary(study: Study) -> tuple[tuple[str, str], ...]:
    """(label, explanation) of each policy, then of each estimate."""
    policies = {scenario.policy.label: scenario.policy for scenario in study.scenarios}
    estimates = {scenario.estimate.label: scenario.estimate for scenario in study.scenarios}
    told = [(label, _policy(choice)) for label, choice in policies.items()]
    told += [(label, _estimate(choice)) for label, choice in estimates.items()]
    return tuple((label, words) for label, words in told if words)


def _policy(choice: Choice) -> str:
    words = registry.meaning(registry.policy(choice.name, choice.source))
    called = choice.name.replace("\\", "/").rpartition("/")[2]
    return words if called == choice.label or not words else f"{called}: {words}"


def _estimate(choice: Choice) -> str:
    found = registry.estimate(choice.name)
    if not isinstance(found, Exact):
        return "the scheduler believes the limits that users asked for"
    if found.factor == 1:
        return "the scheduler knows the true run times, which no real one does"
    return f"the scheduler believes {found.factor:g} times the true run time"
