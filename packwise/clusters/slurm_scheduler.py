"""The settings of the scheduler in a ``slurm.conf``: those that the policy slurm follows, and which it does
not.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from packwise.model.errors import InputError
from packwise.model.slurm_settings import (
    ALIASES,
    FLAGS,
    NOT_FOLLOWED,
    SETTINGS,
    TYPES,
    check_setting,
)

#: What has no effect where passes take no time and nobody asks for anything meanwhile, or is the usual case.
_HARMLESS = frozenset(
    {"bf_yield_interval", "bf_yield_sleep", "bf_max_time", "bf_node_space_size", "bf_yield_rpc_cnt",
    "max_rpc_cnt",
     "sched_min_interval", "sched_max_job_start", "max_sched_time", "build_queue_timeout", "schedulertimeslice",
     "schedulerparameters", "prioritytype", "schedulertype", "prioritysitefactorplugin",
     "prioritysitefactorparameters", "priorityparameters"}
)  # fmt: skip


class SchedulerSettings:
    """What was found, by name in lower case; the last line of a setting counts, and in SchedulerParameters the
    first of a name.
    """

    def __init__(self) -> None:
        self._settings: dict[str, str] = {}
        self._parameters: dict[str, str] = {}
        self._unknown: dict[str, None] = {}

    @property
    def found(self) -> dict[str, str]:
        """All of them. There is one at least: that the machine has a Slurm."""
        told = {"schedulertype": "sched/backfill", **self._settings, **self._parameters}
        return {**told, NOT_FOLLOWED: ", ".join(self._unknown)} if self._unknown else told

    def take(self, path: str | os.PathLike[str], line: int, settings: Mapping[str, str]) -> None:
        """The settings of a line."""
        for key, value in settings.items():
            if key == "schedulerparameters":
                self._parameters = {}
                for part in filter(None, (part.strip() for part in value.split(","))):
                    name, _, text = part.partition("=")
                    self._one(path, line, self._parameters, name.strip(), text.strip(), first=True)
            elif key in TYPES:
                self._settings[key] = value
            elif key.startswith(("priority", "fairshare")):
                self._one(path, line, self._settings, key, value, first=False)

    def _one(
        self,
        path: str | os.PathLike[str],
        line: int,
        into: dict[str, str],
        key: str,
        text: str,
        *,
        first: bool,
    ) -> None:
        name = ALIASES.get(key.lower(), key.lower())
        if name == "priorityflags":
            flags = [flag.strip() for flag in text.split(",") if flag.strip()]
            self._unknown |= dict.fromkeys(one for one in flags if one.upper() not in FLAGS)
            text = ",".join(one for one in flags if one.upper() in FLAGS)
        if name not in SETTINGS:
            idle = (
                name in _HARMLESS
                or (name == "priorityusageresetperiod" and text.upper() == "NONE")
                or (name.startswith("priorityweight") and text == "0")
            )
            if not idle:
                self._unknown[key] = None
            return
        try:
            check_setting(name, text)
        except InputError as error:
            raise InputError(f"{path}, line {line}: {error}") from error
        if not (first and name in into):
            into[name] = text
