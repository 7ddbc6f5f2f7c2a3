"""What is measured, and what it must reach on a machine with two cores."""

from __future__ import annotations

from typing import NamedTuple


class Replay(NamedTuple):
    """A replay of a real trace: at most ``seconds``, or at least ``rate`` million jobs a second."""

    trace: str
    policy: str
    estimate: str
    seconds: float | None = None
    rate: float | None = None
    procs: int | None = None

    @property
    def target(self) -> str:
        return f"{self.seconds:g} s" if self.seconds else f"{self.rate:g} million jobs/s"


REPLAYS = (
    Replay("KTH-SP2", "easy", "requested", rate=2.5),
    Replay("SDSC-BLUE", "easy", "requested", rate=2.0),
    Replay("HPC2N-2002-2.2-cln", "easy", "requested", rate=1.0),
    Replay("KTH-SP2", "list-reg", "exact", seconds=0.03),
    Replay("CTC-SP2", "list-reg", "exact", seconds=0.15),
    Replay("SDSC-BLUE", "list-reg", "exact", seconds=0.3),
    Replay("CEA-Curie", "list-reg", "exact", seconds=0.9, procs=93312),
    Replay("KTH-SP2", "list-reg", "requested", seconds=0.05),
    Replay("CTC-SP2", "list-reg", "requested", seconds=0.6),
    Replay("SDSC-BLUE", "list-reg", "requested", seconds=0.9),
    Replay("CEA-Curie", "list-reg", "requested", seconds=6, procs=93312),
    Replay("CEA-Curie", "list-laf", "requested", seconds=30, procs=93312),
)


class Prediction(NamedTuple):
    """JustBF with a predictor: at most ``seconds``, or ``ratio`` times the time with requested limits."""

    trace: str
    estimate: str
    seconds: float | None = None
    ratio: float | None = None

    @property
    def target(self) -> str:
        if self.seconds is not None:
            return f"{self.seconds:g} s"
        return "" if self.ratio is None else f"{self.ratio:g} x requested"


PREDICTIONS = (
    Prediction("SDSC-BLUE", "last2", ratio=3),
    Prediction("SDSC-BLUE", "hierarchy", ratio=3),
    Prediction("SDSC-BLUE", "sp-2%", ratio=3),
    Prediction("KTH-SP2", "cvh", seconds=5),
    Prediction("SDSC-BLUE", "cvh"),
    Prediction("SDSC-BLUE", "data-driven"),
    Prediction("SDSC-BLUE", "knn"),
    Prediction("KTH-SP2", "gbm"),
)

READ_TRACE = "RICC-2010-2"
READ_SECONDS = 1.5
READ_MEGABYTES = 500
STEP_MICROSECONDS = 30
