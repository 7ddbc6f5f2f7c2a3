"""A live command whose output nobody reads is told to stop: it gives everything back, and ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from packwise.files.streams import takes
from tests.adapters.unread import unread

ROOT = Path(__file__).resolve().parents[2]
#: Nothing here takes that long: it ends a test that would hang.
LONG = 120.0
#: A Slurm in memory; at the end, the site factors that are left go into a file. It tells when it is planning.
_PROGRAM = """
import sys, time
from pathlib import Path
from packwise.adapters.slurm import commands
from packwise.cli import main
from tests.adapters.fake_slurm import FakeJob, FakeSlurm

folder = Path(sys.argv.pop(1))
fake = FakeSlurm()
fake.now = int(time.time())
fake.submit(*(FakeJob(str(k), base=1000 - k) for k in range(1, 6)))
fake.jobs["5"].base = 2000
commands.subprocess = fake.as_subprocess()
try:
    main()
finally:
    (folder / "left").write_text(str([job.site for job in fake.jobs.values()]))
"""


def test_what_takes_a_line():
    for kind, so in (("full", False), ("closed", False), ("read", True)):
        with unread(kind) as writer:
            assert takes(writer) is so
    with open(os.devnull, "w") as nowhere:
        assert takes(nowhere.fileno())


@pytest.mark.kills
@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_steer_gives_back_though_nobody_reads_its_lines(tmp_path, sign):
    words = ["slurm", "steer", "--interval", "0.2", "-p", "easy", "--band", "3000"]
    with (
        unread("full") as mute,
        subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, str(tmp_path), *words, "--state", str(tmp_path)],
            stdout=mute,
            stderr=subprocess.DEVNULL,  # else it would wait with its first words, before it sets anything
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        ) as process,
    ):
        status = tmp_path / "status.json"
        for _ in range(int(10 * LONG)):
            if status.exists():  # written before a line of a round is printed
                break
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(0.1)
        with suppress(subprocess.TimeoutExpired):
            process.wait(1)  # it is about to print, and waits for a reader
        process.send_signal(sign)
        assert process.wait(LONG) == 0
    assert (tmp_path / "left").read_text() == str([0] * 5)
