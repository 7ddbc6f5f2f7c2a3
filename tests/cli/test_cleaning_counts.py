"""What is said of cleaning is said of the jobs that are replayed."""

from __future__ import annotations

from pathlib import Path

LOG = """\
; MaxProcs: 4
1   0 -1 10 2 -1 -1 2 20 -1 1 1 1 1 1 1 -1 -1
2 100 -1 90 2 -1 -1 2 20 -1 1 1 1 1 1 1 -1 -1
3 150 -1 30 2 -1 -1 2 20 -1 1 1 1 1 1 1 -1 -1
4 190 -1 10 9 -1 -1 9 20 -1 1 1 1 1 1 1 -1 -1
5 250 -1 25 2 -1 -1 2 20 -1 1 1 1 1 1 1 -1 -1
6 400 -1 10 2 -1 -1 2 20 -1 1 1 1 1 1 1 -1 -1
"""


def test_what_the_terminal_says(packwise, tmp_path: Path) -> None:
    path = tmp_path / "log.swf"
    path.write_text(LOG)
    answer = packwise("replay", path, "--until", 200, "--json").json
    assert answer["cleaning"]["jobs_read"] == 4
    assert answer["cleaning"]["cut"] == 2
    assert answer["rejected"] == answer["cleaning"]["dropped_wide"] == 1
    assert (
        "run time cut to the requested time: 2" in packwise("replay", path, "--until", 200).stdout
    )
    assert packwise("replay", path, "--from", 300, "--json").json["rejected"] == 0
    table = tmp_path / "log.csv"
    table.write_text(
        "job_id,submit,wait,start,end,runtime,requested_time,demand\n1,0,0,0,9,9,5,1\n2,9,0,9,18,9,5,1\n"
    )
    shown = packwise("replay", table, "--procs", 4, "--count", 1).stdout
    assert "run time cut to the requested time: 1" in shown
