"""What the predictors that learn have in common: their names and parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from packwise.model.errors import InputError, UnknownName
from packwise.model.workload import Workload
from packwise.predict.correctors import CORRECTORS, Corrector

if TYPE_CHECKING:
    from packwise.engine.expectation import Expectation, Kernel


@dataclass(frozen=True)
class LearningPredictor:
    """A predictor that learns from completed jobs.

    ``corrector``: the new estimate of a job that outlives its own. ``updates``: whether waiting jobs are
    estimated again when others have ended, or keep the estimate of their submission.
    """

    corrector: Corrector = field(default=Corrector(), kw_only=True)
    updates: bool = field(default=True, kw_only=True)
    #: Parameters that are part of ``base_name``.
    named: ClassVar[tuple[str, ...]] = ()
    #: The compiled part that it consists of: see ``packwise.warm_up``.
    part: ClassVar[str] = ""
    #: Whether it can say itself how long a job that has outlived its estimate will run (corrector=own).
    corrects: ClassVar[bool] = False

    @property
    def parts(self) -> tuple[str, ...]:
        """What of Packwise it needs compiled."""
        own = (self.part,) if self.part else ()
        return own if self.corrector.quantile is None else (*own, "corrections")

    @property
    def base_name(self) -> str:
        """The name without parameters."""
        raise NotImplementedError

    @property
    def name(self) -> str:
        """The name with those parameters that differ from their defaults."""
        told = []
        for parameter in fields(self):
            value = getattr(self, parameter.name)
            if parameter.name in self.named or value == parameter.default:
                continue
            if parameter.name == "updates":
                told.append("update=round" if value else "update=submission")
            elif isinstance(value, Corrector):
                told.append(f"corrector={value.name}")
            else:
                told.append(f"{parameter.name}={value}")
        return f"{self.base_name}({','.join(told)})" if told else self.base_name

    @classmethod
    def parameters(cls) -> tuple[str, ...]:
        """The names of its parameters, as written in parentheses."""
        told = [p.name for p in fields(cls) if p.name not in cls.named and p.name != "updates"]
        return (*sorted(told, key="corrector".__eq__), "update")

    def with_parameters(self, values: Mapping[str, str]) -> Self:
        """The same predictor with parameters as written: ``{"corrector": "steps"}``."""
        changes: dict[str, Any] = {}
        for key, value in values.items():
            if key not in self.parameters():
                raise UnknownName(
                    f"parameter of estimate '{self.base_name}'", key, self.parameters()
                )
            if key == "corrector":
                changes[key] = Corrector(value)
            elif key == "update":
                if value not in ("round", "submission"):
                    raise InputError(
                        f"estimate '{self.base_name}': update should be 'round' (waiting jobs are "
                        f"estimated again) or 'submission' (once and for all), found '{value}'."
                    )
                changes["updates"] = value == "round"
            elif isinstance(getattr(self, key), str):
                changes[key] = value
            else:
                changes[key] = self._number(key, value)
        found = replace(self, **changes)
        found._check_corrector()
        return found

    def _number(self, key: str, value: str) -> float | int:
        whole = isinstance(getattr(self, key), int)
        share = value.endswith("%") and not whole
        try:
            return int(value) if whole else float(value.removesuffix("%")) / (100 if share else 1)
        except ValueError:
            kind = "whole number" if whole else "number or percentage"
            raise InputError(
                f"estimate '{self.base_name}': {key} should be a {kind}, found '{value}'."
            ) from None

    def _check(self, key: str, least: float, most: float) -> None:
        """Refuse a parameter outside its range, or not a number."""
        value = getattr(self, key)
        if isinstance(value, bool) or not least <= value <= most:
            raise InputError(
                f"estimate '{self.base_name}': {key} should be between {least:g} and {most:g}, "
                f"found {value}."
            )

    def _check_corrector(self) -> None:
        if self.corrector.name == "own" and not self.corrects:
            raise InputError(
                f"estimate '{self.name}': {self.base_name} has no corrector of its own. Choose another: "
                f"{', '.join(name for name in CORRECTORS if name != 'own')}."
            )

    def kernel(self, workload: Workload) -> Kernel:
        """What the engine calls, with fresh memory for one replay."""
        raise NotImplementedError

    def expect(self, workload: Workload) -> Expectation:
        """What one replay works with."""
        from packwise.engine.expectation import Expectation

        self._check_corrector()
        return Expectation(
            self.name,
            workload.requested_time,
            self.kernel(workload),
            updates=self.updates,
            correction=self.corrector.code,
            corrector=self.corrector.kernel(workload),
        )
