"""The settings of Slurm that its schedule depends on: their names, what they mean, and how they are written.

Those of ``SchedulerParameters`` stand beside the ``Priority...`` ones: names are unique, and cases of letters
do not count. Times are kept in seconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from packwise.model.clock_text import clock_duration
from packwise.model.errors import InputError, shortened

DAY = 86400
#: What a number may be at most; Slurm itself keeps most of them in 32 bits.
MOST = 2**32 - 1


class Setting(NamedTuple):
    """``unit``: seconds of one of it, where it is a time; ``kind``: number, duration (Slurm's 7-0 as well),
    switch (there or not), choice (yes or no), flags, or amounts (name:number/name:number). ``never``: -1 means
    not at all.
    """

    name: str
    default: int | str
    meaning: str
    kind: str = "number"
    unit: int = 1
    least: int = 0
    never: bool = False


_ALL = (
    Setting("bf_interval", 30, "seconds between backfill passes; -1: none", least=1, never=True),
    Setting("bf_window", 1440, "minutes into the future that a backfill pass plans", unit=60, least=1),
    Setting("bf_resolution", 60, "seconds to which planned starts and ends are rounded down", least=1),
    Setting("bf_max_job_test", 500, "jobs that a backfill pass looks at", least=1),
    Setting("bf_max_job_user", 0, "jobs of one user that it looks at; 0: any number"),
    Setting("bf_max_job_part", 0, "jobs of one partition that it looks at; 0: any number"),
    Setting("bf_max_job_start", 0, "jobs that it starts; 0: any number"),
    Setting("bf_min_age_reserve", 0, "seconds that a job has to have waited to get a reservation"),
    Setting("bf_min_prio_reserve", 0, "priority that a job has to have to get a reservation"),
    Setting(
        "bf_window_linear", 0,
        "seconds by which the steps grow in which a pass looks into the future; 0: they double",
    ),
    Setting(
        "bf_continue", 0,
        "a pass goes on after others had the locks: always so here, where passes take no time", "switch",
    ),
    Setting("default_queue_depth", 100, "jobs that the main pass looks at when a job comes or ends", least=1),
    Setting("sched_interval", 60, "seconds between main passes over the whole queue; -1: none", least=1,
    never=True), Setting("batch_sched_delay", 3, "seconds between main passes that new jobs cause"), Setting(
        "completing", 1,
        "seconds from a job's end until its nodes are given to others; about 1 where it was measured",
    ),
    Setting("phase", 0, "seconds since the passes' clocks last beat together, when the log begins"),
    Setting("PriorityWeightAge", 0, "weight of the time that a job has waited"),
    Setting("PriorityWeightFairshare", 0, "weight of how little its user has had of his share"),
    Setting("PriorityWeightJobSize", 0, "weight of the share of the machine that it asks for"),
    Setting("PriorityWeightPartition", 0, "weight of its partition's PriorityJobFactor"),
    Setting("PriorityWeightQOS", 0, "weight of its QOS (see qos)"),
    Setting("PriorityMaxAge", 7 * DAY, "the wait beyond which age counts no more", "duration", 60, 1),
    Setting("PriorityDecayHalfLife", 7 * DAY, "in which usage is half forgotten; 0: never", "duration", 60),
    Setting("PriorityCalcPeriod", 300, "how often priorities are counted anew", "duration", 60, 1),
    Setting("PriorityFavorSmall", 0, "whether small jobs are favoured, not large ones", "choice"),
    Setting("PriorityFlags", "", "NO_FAIR_TREE and SMALL_RELATIVE_TO_TIME are followed", "flags"),
    Setting("FairShareDampeningFactor", 1, "of the classic fair share (NO_FAIR_TREE)", least=1),
    Setting("qos", "", "priorities of QOS, which slurm.conf does not tell: high:100/normal:10", "amounts"),
    Setting("shares", "", "shares of accounts and users where not equal: physics:20/alice:2", "amounts"),
)  # fmt: skip

#: Every setting by its name in lower case.
SETTINGS: Mapping[str, Setting] = {setting.name.lower(): setting for setting in _ALL}
#: Other names, of older versions.
ALIASES: Mapping[str, str] = {"max_job_bf": "bf_max_job_test"}
FLAGS = ("FAIR_TREE", "NO_FAIR_TREE", "SMALL_RELATIVE_TO_TIME")
#: Of a slurm.conf, besides: which scheduler and priorities it has, and the names of what is not followed.
TYPES = ("schedulertype", "prioritytype")
NOT_FOLLOWED = "not followed"
_LONG = ("UNLIMITED", "INFINITE")


class SlurmSettings(NamedTuple):
    """Settings that differ from Slurm's own defaults, by name in lower case, as text."""

    given: Mapping[str, str]

    def changed(self, more: Mapping[str, str]) -> SlurmSettings:
        """With some of them replaced."""
        return SlurmSettings({**self.given, **more})

    def number(self, name: str) -> int:
        """A number, or a time in seconds."""
        setting = SETTINGS[name.lower()]
        text = self.given.get(name.lower())
        if setting.name.startswith("PriorityWeight") and self._first_come:
            return 0
        if text is None:
            default = setting.default
            assert isinstance(default, int)
            return default * setting.unit if setting.kind == "number" else default
        return _number(setting, text)

    @property
    def _first_come(self) -> bool:
        return self.given.get("prioritytype", "").lower() == "priority/basic"

    @property
    def backfills(self) -> bool:
        """Whether there are backfill passes."""
        built_in = self.given.get("schedulertype", "").lower() == "sched/builtin"
        return not built_in and self.number("bf_interval") > 0

    def flags(self) -> frozenset[str]:
        """The PriorityFlags."""
        return frozenset(_words(self.given.get("priorityflags", "")))

    def amounts(self, name: str) -> dict[str, int]:
        """Numbers by name, as of ``qos`` and ``shares``."""
        return dict(_amounts(SETTINGS[name], self.given.get(name, "")))


def check_setting(name: str, text: str) -> None:
    """InputError if a setting cannot have this value."""
    setting = SETTINGS[name.lower()]
    if setting.kind == "amounts":
        list(_amounts(setting, text))
    elif setting.kind == "flags":
        for word in _words(text):
            if word not in FLAGS:
                raise _refusal(setting, f"some of {', '.join(FLAGS)}", text)
    else:
        _number(setting, text)


def _number(setting: Setting, text: str) -> int:
    word = text.strip()
    if setting.kind == "switch":
        return 1
    if setting.kind == "choice":
        if word.upper() not in ("YES", "NO", "1", "0", "TRUE", "FALSE"):
            raise _refusal(setting, "YES or NO", text)
        return int(word.upper() in ("YES", "1", "TRUE"))
    if setting.kind == "duration" and word.upper() in _LONG:
        return MOST * 60
    if word == "-1" and setting.never:
        return -1
    if word.isascii() and word.isdigit() and len(word) < 12:
        number = int(word)
        if not setting.least <= number <= MOST:
            raise _refusal(setting, f"a number from {setting.least} to {MOST}", text)
        return number * setting.unit
    if setting.kind == "duration":
        seconds = 60 * int(word) if _is_whole(word) else clock_duration(word)
        if seconds is not None and setting.least <= seconds <= MOST * 60:
            return seconds
        raise _refusal(setting, "minutes, or a time such as 7-0 or 1-12:00:00", text)
    raise _refusal(setting, f"a whole number of {setting.least} or more", text)


def _is_whole(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10


def _words(text: str) -> list[str]:
    return [word.strip().upper() for word in text.replace("/", ",").split(",") if word.strip()]


def _amounts(setting: Setting, text: str) -> Iterator[tuple[str, int]]:
    for part in filter(None, (part.strip() for part in text.split("/"))):
        name, _, amount = part.rpartition(":")
        if not name or not (amount.isascii() and amount.isdigit() and len(amount) < 11):
            raise _refusal(setting, "name:number/name:number", text)
        yield name, int(amount)


def _refusal(setting: Setting, expected: str, found: str) -> InputError:
    return InputError(
        f"setting {setting.name} ({setting.meaning}): expected {expected}, found '{shortened(found)}'."
    )
