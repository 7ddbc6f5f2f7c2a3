"""What a name means in a study: one of its labels, or another name of what a label stands for."""

from __future__ import annotations

import re
from collections.abc import Iterable

from packwise.experiments.scenario import Choice
from packwise.experiments.study import Baseline, Study
from packwise.model.errors import InputError, UnknownName
from packwise.policies.catalogue import ALIASES

#: What papers call the estimates that every study has.
_ESTIMATES = {
    "runtime": "exact",
    "actual": "exact",
    "timelimit": "requested",
    "limit": "requested",
}
_SETTING = re.compile(r"(policy|estimate|machine)\s*=\s*(.+)", re.IGNORECASE | re.DOTALL)
#: Labels may have commas, so only those before a setting separate.
_COMMA = re.compile(r"\s*,\s*(?=(?:policy|estimate|machine)\s*=)", re.IGNORECASE)


class Names:
    """The names of a study's policies, estimates, workloads and machines.

    Case matters only where labels differ by nothing else.
    """

    def __init__(self, study: Study) -> None:
        self._study = study
        scenarios = study.scenarios
        policies = {id(s.policy): s.policy for s in scenarios}.values()
        self._policies = _by_usual_name(policies, ALIASES)
        estimates = {id(s.estimate): s.estimate for s in scenarios}.values()
        self._estimates = _by_usual_name(estimates, _ESTIMATES)
        self._labels = {
            axis: _by_spelling(study.axis(axis))
            for axis in ("policy", "estimate", "workload", "machine")
        }

    def policy(self, name: str) -> str | None:
        """The label of the policy that a name means; labels count first, then names and aliases."""
        return self._label("policy", name) or self._policies.get(_usual(name, ALIASES))

    def estimate(self, name: str) -> str | None:
        """The label of an estimate. 'Runtime' is exact, 'timelimit' requested."""
        return self._label("estimate", name) or self._estimates.get(_usual(name, _ESTIMATES))

    def workload(self, name: str) -> str | None:
        """The label of a workload."""
        return self._label("workload", name)

    def machine(self, name: str) -> str | None:
        """The label of a machine."""
        return self._label("machine", name)

    def baseline(self, text: str) -> Baseline:
        """From 'list-reg', 'estimate=requested' or 'policy=easy,machine=small'."""
        settings: dict[str, str] = {}
        for part in filter(None, _COMMA.split(text.strip())):
            found = _SETTING.fullmatch(part)
            axis, name = (found[1].lower(), found[2].strip()) if found else ("policy", part)
            label = getattr(self, axis)(name)
            if label is None and not found and (label := self.estimate(name)) is not None:
                axis = "estimate"
            if label is None:
                remedy = "--baseline takes a policy of the study, or policy=, estimate=, machine=."
                raise UnknownName(f"{axis} of the study", name, self._known(axis), remedy=remedy)
            if axis in settings:
                raise InputError(f"--baseline: {axis} is given twice in '{text}'. Keep one.")
            settings[axis] = label
        if not settings:
            raise InputError(
                "--baseline: expected a policy of the study, or estimate=NAME, machine=NAME; found "
                "nothing."
            )
        return Baseline(**settings)

    def _known(self, axis: str) -> list[str]:
        return self._study.axis(axis)

    def _label(self, axis: str, name: str) -> str | None:
        """The label that is spelled so, or else so but for the case."""
        exact, folded = self._labels[axis]
        return exact.get(name.strip()) or folded.get(name.strip().lower())


def _by_spelling(labels: list[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Labels as they are, and in lower case, where the first of several counts."""
    exact = {label.strip(): label for label in labels}
    return exact, {label.strip().lower(): label for label in reversed(labels)}


def _by_usual_name(choices: Iterable[Choice], aliases: dict[str, str]) -> dict[str, str]:
    """Labels by label and, after them, by the usual name; the first of several counts."""
    known: dict[str, str] = {}
    listed = list(choices)
    for one in listed:
        known.setdefault(one.label.strip().lower(), one.label)
    for one in listed:
        known.setdefault(_usual(one.name, aliases), one.label)
    return known


def _usual(name: str, aliases: dict[str, str]) -> str:
    text = re.sub(r"\s+", "", name.lower())
    return aliases.get(text, text)
