"""The probe: what a site allows, and why not."""

from __future__ import annotations

import os
import pwd
import re
from collections.abc import Mapping
from typing import NamedTuple

from packwise.adapters.slurm.commands import Command, Runner, SlurmError, run

MODES = ("advise", "steer")
#: Measured with these; older ones lack what we use.
_OLDEST = (20, 11)
_ADMINS = ("operator", "administrator")


class Site(NamedTuple):
    """A site: its name, version, who we are there, and what forbids each mode, in words."""

    cluster: str
    version: str
    account: str
    rank: str
    forbids: Mapping[str, tuple[str, ...]]
    warnings: tuple[str, ...]
    settings: Mapping[str, str]

    def allows(self, mode: str) -> bool:
        return not self.forbids[mode]


def probe(settings: Mapping[str, str], ask: Runner = run, account: str | None = None) -> Site:
    """Look at the settings of a site, and at our rank there."""
    account = account or _ours()
    version = settings.get("slurm_version", "")
    rank = _rank(settings, ask, account)
    steer = [*_version(version), *_to_write(rank, account)]
    if settings.get("prioritytype", "") != "priority/multifactor":
        steer.append(
            f"PriorityType is {settings.get('prioritytype', 'not told')}, which ignores the SiteFactor that "
            "steering writes. It needs priority/multifactor."
        )
    plugin = settings.get("prioritysitefactorplugin", "site_factor/none")
    if plugin not in ("site_factor/none", "none"):
        steer.append(
            f"PrioritySiteFactorPlugin is {plugin}: the site sets SiteFactor itself, and would overwrite ours."
        )
    if settings.get("schedulertype", "") not in ("sched/backfill", "sched/builtin"):
        steer.append(
            f"SchedulerType is {settings.get('schedulertype', 'not told')}; known are backfill and builtin."
        )
    return Site(
        settings.get("clustername", "slurm"),
        version,
        account,
        rank,
        {"advise": (), "steer": tuple(steer)},
        tuple(_warnings(settings, rank)),
        dict(settings),
    )


def _ours() -> str:
    """The account that Slurm sees: that of the process, whatever the environment calls it."""
    uid = os.geteuid()
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:  # of a container, say, which knows no names
        return str(uid)


def _version(text: str) -> list[str]:
    found = re.match(r"(\d+)\.(\d+)", text)
    if found is None:
        return [f"its version '{text}' is none that is known."]
    if (int(found[1]), int(found[2])) < _OLDEST:
        oldest = ".".join(f"{part:02}" for part in _OLDEST)
        return [f"it is Slurm {text}; writing needs {oldest} or newer."]
    return []


def _rank(settings: Mapping[str, str], ask: Runner, account: str) -> str:
    """root, SlurmUser, Administrator, Operator or none."""
    if os.geteuid() == 0:
        return "root"
    owner = settings.get("slurmuser", "")
    if owner.partition("(")[0] == account:
        return "SlurmUser"
    if "slurmdbd" not in settings.get("accountingstoragetype", ""):
        return "none"
    command = Command(("sacctmgr", "-n", "-P", "show", "user", account, "format=AdminLevel"))
    try:
        answer = ask(command)
    except SlurmError:
        return "none"
    said = answer.out.strip().splitlines()
    level = said[0].strip() if said else ""
    return level if level.lower() in _ADMINS else "none"


def _to_write(rank: str, account: str) -> list[str]:
    if rank != "none":
        return []
    return [
        f"account '{account}' may not change jobs. Let an administrator say: sacctmgr modify user "
        f"{account} set AdminLevel=Operator (without slurmdbd only SlurmUser and root may)."
    ]


def _warnings(settings: Mapping[str, str], rank: str) -> list[str]:
    found = []
    private = settings.get("privatedata", "none").lower()
    hidden = [word for word in ("jobs", "nodes", "reservations") if word in private]
    if hidden and rank == "none":
        found.append(
            f"PrivateData hides {', '.join(hidden)} of others from this account: plans will be wrong. Read as "
            "an Operator."
        )
    if settings.get("preempttype", "preempt/none") != "preempt/none":
        found.append("jobs can be preempted here; plans take running jobs to run on.")
    if settings.get("federationparameters") or settings.get("federation"):
        found.append("this cluster is in a federation; jobs of other clusters are not seen.")
    return found
