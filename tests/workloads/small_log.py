"""A log of three jobs with something in every field, and the tables that a log can become."""

from __future__ import annotations

import pytest

SUFFIXES = pytest.mark.parametrize("suffix", ["csv", "parquet"])

LOG = """\
; Version: 2.2
; Computer: "quoted", with commas, é and a very long name
; MaxProcs: 8
; UnixStartTime: 843480031
; TimeZoneString: Europe/Stockholm
; Queue: 3 long jobs
7  0  5 40 2 12.25 512.5 2  60 -1   1 11 21 31 3 2 -1 -1
8 10  0 10 4 -1    -1    4  20 1e-3 0 12 22 32 4 1  7 30.5
9 10 -1 70 3 -1    -1   -1  60 -1   5 11 21 33 3 2 -1 -1
"""
