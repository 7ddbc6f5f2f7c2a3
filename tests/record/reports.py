"""The data in the pages of ``packwise report``: a digest for each section."""

from __future__ import annotations

import base64
import gzip
import json
import re
import shlex
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.docs.snippets import Shell
from tests.record.digests import digest

_DATA = re.compile(r'<script type="application/gzip" id="data-([^"]+)">([^<]*)</script>')
_SECTION = re.compile(r'<section id="([^"]+)".*?</section>', re.DOTALL)
_TAGS = re.compile(r"<[^>]*>")
#: Plotly itself is not ours, and where numbers come from has versions and the day.
_FOREIGN, _ORIGIN = "plotly", "provenance"


class Report(NamedTuple):
    """A workload that is made first, and the options of the report on it."""

    name: str
    made: str
    options: str

    @property
    def about(self) -> str:
        return f"report {self.name}"

    def lines(self) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            shell = Shell(Path(folder))
            shell.run(f"packwise workload generate {self.made}")
            log = shlex.split(self.made)[0]
            said = shell.run(f"packwise report {log} {self.options} --output page.html")
            assert shell.status == 0, said
            page = (Path(folder) / "page.html").read_text(encoding="utf-8")
        return [f"{self.about} {section} -> {came}" for section, came in _sections(page)]


REPORTS = (
    Report(
        "pool",
        "log.swf --jobs 300 --procs 64 --seed 3 --load 0.9",
        "--policies list-reg,easy,list-saf,packwise",
    ),
    Report(
        "deadlines",
        "log.swf --jobs 200 --procs 64 --seed 4 --load 0.9",
        "--policies dbf,cbf,easy --deadlines 'slack(share=40%)'",
    ),
    Report(
        "nodes",
        "jobs.csv --cluster eurora --jobs 200 --load 0.8 --seed 1",
        "--cluster eurora --policies easy,list-saf",
    ),
)


def _sections(page: str) -> Iterator[tuple[str, str]]:
    for name, text in _DATA.findall(page):
        content = gzip.decompress(base64.b64decode(text))
        if name == "figures":
            for section, value in _figures(json.loads(content)):
                yield f"data {section}", f"values={digest(value)}"
        elif name != _FOREIGN:
            yield f"data {name}", f"bytes={len(content)} values={digest(content)}"
    for match in _SECTION.finditer(page):
        if match[1] != _ORIGIN:
            words = " ".join(_TAGS.sub(" ", match[0]).split())
            yield f"words {match[1]}", f"words={len(words.split())} values={digest(words)}"


def _figures(told: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The parts of the figures; those of each case, and each of its charts, by themselves."""
    for key, value in told.items():
        if key != "cases":
            yield key, value
    for number, case in enumerate(told["cases"]):
        for key, value in case.items():
            if key == "charts":
                yield from ((f"case {number} chart {k}", one) for k, one in enumerate(value))
            else:
                yield f"case {number} {key}", value
