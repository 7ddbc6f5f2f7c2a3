"""The systemd unit of a site: runs a mode as a service, and gives everything back whenever that ends."""

from __future__ import annotations

import re
from itertools import pairwise

from packwise.adapters.slurm.probe import MODES
from packwise.model.errors import InputError, UnknownName

_TEXT = """\
# packwise-{mode}.service: made by `packwise slurm unit {mode}`.
# Put it into /etc/systemd/system, then: systemctl daemon-reload && systemctl enable --now packwise-{mode}
[Unit]
Description=Packwise {mode}s the Slurm queue
Documentation=man:slurm.conf(5)
After=network-online.target slurmctld.service munge.service
Wants=network-online.target

[Service]
User={user}
{environment}ExecStart={program} slurm {mode}{options}
{give_back}Restart=on-failure
RestartSec=30
# SIGTERM gives everything back first; if that hangs, SIGKILL.
TimeoutStopSec=90
KillMode=mixed
StateDirectory=packwise
StateDirectoryMode=0750
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=read-only
PrivateTmp=yes
ProtectKernelTunables=yes
ProtectControlGroups=yes
RestrictSUIDSGID=yes
LockPersonality=yes
MemoryMax=4G
Nice=5
# What is compiled is kept here.
CacheDirectory=packwise
Environment=XDG_CACHE_HOME=/var/cache/packwise

[Install]
WantedBy=multi-user.target
"""
_SAFE = re.compile(r"[A-Za-z0-9_./@:=+,-]+")


def unit_text(
    mode: str, user: str, program: str, options: tuple[str, ...] = (), conf: str = ""
) -> str:
    """The unit that runs a mode as this user. ``options``: of its command; ``conf``: the slurm.conf, if it is
    not where Slurm looks.
    """
    if mode not in MODES:
        raise UnknownName("mode", mode, MODES)
    for what, text in (("user", user), ("program", program), ("SLURM_CONF", conf or "x")):
        if not _SAFE.fullmatch(text):
            raise InputError(f"a unit needs a plain {what}, found '{text}'.")
    for option in options:
        if not _SAFE.fullmatch(option):
            raise InputError(
                f"an option of a unit should be of letters, digits and _./@:=+,- found '{option}'. Write a "
                "packwise.toml for everything else."
            )
    told = "".join(f" {option}" for option in options)
    # Whatever it ends by, a crash and a kill among it.
    words = [word for option in options for word in option.split("=", 1)]
    passed_on = "".join(f" {name} {value}" for name, value in pairwise(words) if name == "--state")
    give_back = "" if mode == "advise" else f"ExecStopPost={program} slurm reset{passed_on}\n"
    return _TEXT.format(
        mode=mode,
        user=user,
        program=program,
        options=told,
        environment=f"Environment=SLURM_CONF={conf}\n" if conf else "",
        give_back=give_back,
    )
