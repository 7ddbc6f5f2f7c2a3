"""What the policies and estimates of a study are, in words."""

from __future__ import annotations

from packwise import registry
from packwise.experiments.scenario import Choice
from packwise.experiments.study import Study
from packwise.predict.catalogue import meaning


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
    found = registry.estimate(choice.name, choice.source)
    words = meaning(found)
    return words if choice.source or not words else f"the scheduler believes {words}"
