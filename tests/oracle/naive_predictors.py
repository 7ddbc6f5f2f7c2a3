"""Naive twins of the compiled predictors and correctors: dictionaries and lists, to be checked by eye."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

from packwise.predict.correctors import Corrector
from tests.oracle.naive_scheduler import NaiveJob

GROWTH = [60, 300, 900, 1800, 3600, 7200, 18000, 36000, 72000, 180000, 360000]


class NaivePredictor:
    """What all have in common: answers rounded and cut to 1 s and the limit, and the corrector."""

    def __init__(self, workload: Any, corrector: str = "limit", updates: bool = True) -> None:
        self.workload = workload
        self.corrector = corrector
        self.updates = updates
        self.user = workload.user.tolist()
        self.first: dict[int, int] = {}
        self.corrections: dict[int, list[int]] = {}
        self.shares: dict[int, list[float]] = {}

    def estimate(self, job: NaiveJob, now: int) -> int:
        answer = self.answer(job, now)
        found = math.floor(min(max(answer, 1), job.limit) + 0.5)
        self.first.setdefault(job.number, found)
        return found

    def answer(self, job: NaiveJob, now: int) -> float:
        raise NotImplementedError

    def begin(self, job: NaiveJob, now: int) -> None:
        pass

    def learn(self, job: NaiveJob, now: int) -> None:
        self.shares.setdefault(self.user[job.number], []).append(job.runtime / job.limit)

    def corrected(self, job: NaiveJob, now: int) -> int:
        elapsed = now - job.start
        known = self.corrections.setdefault(job.number, [job.estimate])
        steps = len(known) - 1
        known.append(elapsed)
        if self.corrector == "limit" or (self.corrector == "steps" and steps == len(GROWTH)):
            answer: float = job.limit
        elif self.corrector == "steps":
            answer = known[0] + GROWTH[steps]
        elif self.corrector == "doubling":
            answer = 2 * elapsed
        elif self.corrector == "own":
            answer = self.what_is_left(job, elapsed)
        else:
            quantile = Corrector(self.corrector).quantile
            shares = self.shares.get(self.user[job.number], [])[-64:]
            longer = sorted(share for share in shares if share > elapsed / job.limit)
            answer = job.limit
            if len(longer) >= 3:
                answer = job.limit * longer[max(math.ceil(quantile * len(longer) - 1e-9), 1) - 1]
        least = elapsed + 1 + elapsed // 20
        return math.floor(min(max(answer, least), job.limit) + 0.5)

    def what_is_left(self, job: NaiveJob, elapsed: int) -> float:
        raise NotImplementedError


class NaiveLast2(NaivePredictor):
    def __init__(self, workload: Any, **options: Any) -> None:
        super().__init__(workload, **options)
        self.past: dict[int, list[int]] = {}

    def answer(self, job: NaiveJob, now: int) -> float:
        past = self.past.get(self.user[job.number], [])
        return (past[-1] + past[-2]) // 2 if len(past) >= 2 else job.limit

    def learn(self, job: NaiveJob, now: int) -> None:
        super().learn(job, now)
        self.past.setdefault(self.user[job.number], []).append(job.runtime)


class NaiveHierarchy(NaivePredictor):
    def __init__(self, workload: Any, **options: Any) -> None:
        super().__init__(workload, **options)
        self.past: dict[Any, list[int]] = {}

    def templates(self, job: NaiveJob) -> list[Any]:
        """Subsets of (application, user, limit, processors), largest binary number first."""
        parts = {
            8: self.workload.app[job.number].item(),
            4: self.user[job.number],
            2: job.limit,
            1: job.demand,
        }
        subsets = [s for k in (1, 2, 3, 4) for s in combinations(parts, k)]
        return [tuple((bit, parts[bit]) for bit in s) for s in sorted(subsets, key=sum)[::-1]]

    def answer(self, job: NaiveJob, now: int) -> float:
        for template in self.templates(job):
            if past := self.past.get(template):
                total = weight = 0.0
                for runtime in past:
                    total, weight = 0.8 * total + runtime, 0.8 * weight + 1
                return math.floor(total / weight + 0.5)
        return job.limit

    def learn(self, job: NaiveJob, now: int) -> None:
        super().learn(job, now)
        for template in self.templates(job):
            self.past.setdefault(template, []).append(job.runtime)


class NaiveSurvival(NaivePredictor):
    def __init__(self, workload: Any, percent: float, **options: Any) -> None:
        super().__init__(workload, **options)
        self.threshold = percent / 100
        self.past: dict[Any, list[int]] = {}

    def group(self, job: NaiveJob) -> Any:
        app = self.workload.app[job.number].item()
        return (app, self.user[job.number], job.limit, job.demand)

    def weights(self, job: NaiveJob) -> dict[int, float]:
        past = self.past.get(self.group(job), [])
        weights = {job.limit: 0.1 * job.limit} if past else {}
        for i, runtime in enumerate(past):
            if i:
                weights = {point: 0.9 * weight for point, weight in weights.items()}
            weights[runtime] = weights.get(runtime, 0.0) + runtime
        return weights

    def smallest(self, weights: dict[int, float], limit: int) -> int:
        for point in sorted(weights):
            upto = sum(w for p, w in weights.items() if p <= point)
            if upto / sum(weights.values()) > 1 - self.threshold:
                return point
        return max(weights, default=limit)

    def answer(self, job: NaiveJob, now: int) -> float:
        return self.smallest(self.weights(job), job.limit)

    def what_is_left(self, job: NaiveJob, elapsed: int) -> float:
        longer = {p: w for p, w in self.weights(job).items() if p > elapsed}
        return self.smallest(longer, job.limit)

    def learn(self, job: NaiveJob, now: int) -> None:
        super().learn(job, now)
        self.past.setdefault(self.group(job), []).append(job.runtime)


class NaiveCeiling(NaivePredictor):
    def __init__(self, workload: Any, **options: Any) -> None:
        super().__init__(workload, **options)
        self.past: dict[Any, list[float]] = {}

    def templates(self, job: NaiveJob) -> list[Any]:
        app, user = self.workload.app[job.number].item(), self.user[job.number]
        limit, demand = job.limit, job.demand
        return [(app, user, limit, demand), (user, limit, demand), (user, limit), (user,)]

    def answer(self, job: NaiveJob, now: int) -> float:
        for template in self.templates(job):
            if len(past := self.past.get(template, [])) >= 3:
                recent = sorted(past[-4:])
                high = recent[math.ceil(0.6 * len(recent)) - 1]
                return job.limit * min(max(1.05 * high, 0.5), 1)
        return job.limit

    def learn(self, job: NaiveJob, now: int) -> None:
        super().learn(job, now)
        for template in self.templates(job):
            self.past.setdefault(template, []).append(job.runtime / job.limit)


class NaiveRegression(NaivePredictor):
    """All terms written out, every sum from the first term to the last."""

    def __init__(self, workload: Any, **options: Any) -> None:
        super().__init__(workload, **options)
        self.running: list[NaiveJob] = []
        self.ended: list[tuple[NaiveJob, int]] = []
        self.terms: dict[int, list[float]] = {}
        size = 19 + 16 * 15 // 2 + 18
        self.weights = [0.0] * size
        self.scales = [1e-9] * size
        self.gradients = [1e-9] * size
        self.normaliser = 1e-9
        self.count = 1.0

    def describe(self, job: NaiveJob, now: int) -> list[float]:
        user = self.user[job.number]
        past = [(j, end) for j, end in self.ended if self.user[j.number] == user][::-1]
        running = [j for j in self.running if self.user[j.number] == user]
        since = [min(job.limit, now - j.submit) for j, _ in past[:3]]
        since += [job.limit] * (3 - len(since))
        two = 0.5 * (since[0] + since[1]) if len(past) >= 2 else since[0]
        three = 0.33 * (since[0] + since[1] + since[2]) if len(past) >= 3 else two
        day = 2 * math.pi * (job.submit % 86400) / 86400
        week = 2 * math.pi * (job.submit % 604800) / 604800
        x: list[float] = [1.0, *since, job.limit, two, three]
        if past:
            mean = sum(j.demand for j, _ in past) / len(past)
            x += [sum(j.runtime for j, _ in past) / len(past), now - past[0][1], job.demand / mean]
        else:
            x += [0.0, 0.0, 0.0]
        ages = [now - j.start for j in running]
        x += [sum(j.demand for j in running), sum(ages), len(running), max(ages, default=0)]
        x += [math.cos(day), math.sin(day), math.cos(week), math.sin(week), job.demand]
        pairs = [x[a] * x[b] for a in range(1, 17) for b in range(a + 1, 17)]
        return [float(value) for value in [*x, *pairs, *(x[a] * x[a] for a in range(1, 19))]]

    def form(self, terms: list[float]) -> float:
        total = 0.0
        for weight, term in zip(self.weights, terms, strict=True):
            total += weight * term
        return total

    def answer(self, job: NaiveJob, now: int) -> float:
        if job.number not in self.terms:
            self.terms[job.number] = self.describe(job, now)
        return math.floor(abs(self.form(self.terms[job.number])))

    def begin(self, job: NaiveJob, now: int) -> None:
        self.running.append(job)

    def learn(self, job: NaiveJob, now: int) -> None:
        super().learn(job, now)
        self.running.remove(job)
        self.ended.append((job, now))
        terms = self.terms[job.number]
        for i, term in enumerate(terms):
            if abs(term) > self.scales[i]:
                self.weights[i] *= self.scales[i] / abs(term)
                self.scales[i] = abs(term)
        added = 0.0
        for term, scale in zip(terms, self.scales, strict=True):
            added += term * term / (scale * scale)
        self.normaliser += added
        error = self.form(terms) - job.runtime
        importance = 1 + math.log(float(job.demand) * float(job.runtime))
        for i, term in enumerate(terms):
            slope = importance * (2 * term * error) if error > 0 else -importance * term
            slope = 0.0 if error == 0 else slope
            slope += 4e9 * self.weights[i]
            self.gradients[i] += slope * slope
            root = math.sqrt(self.normaliser * self.gradients[i] / self.count)
            self.weights[i] -= 5000 * slope / (root * self.scales[i])
        self.count += 2
