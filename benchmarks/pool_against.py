"""Is a pool as fast as in another checkout? ``python -m benchmarks.pool_against CHECKOUT --traces FOLDER``

Both replay the same logs in turn, each in a process of its own, several times; the fastest of each counts.
Prints for each log and policy the seconds of both and their ratio.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
REPLAYS = (
    ("KTH-SP2", "easy", 15),
    ("KTH-SP2", "list-reg", 15),
    ("KTH-SP2", "cbf", 15),
    ("KTH-SP2", "packwise", 3),
    ("SDSC-BLUE", "easy", 15),
    ("SDSC-BLUE", "list-reg", 15),
    ("SDSC-BLUE", "cbf", 15),
)
MEASURE = """
import json, sys
from packwise import load_workload, registry, simulate
found = []
for log, name, times in json.loads(sys.argv[2]):
    loaded = load_workload(f"{sys.argv[1]}/{log}.swf.gz")
    policy = registry.policy(name)
    seconds = [simulate(loaded.workload, loaded.cluster, policy).seconds for _ in range(times + 1)]
    found.append(min(seconds[1:]))
print(json.dumps(found))
"""


def measured(checkout: Path, traces: Path) -> list[float]:
    """Seconds of the engine for each replay."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(traces), json.dumps(REPLAYS)],
        env={**os.environ, "PYTHONPATH": str(checkout)},
        cwd=checkout,
        check=True,
        capture_output=True,
        text=True,
    )
    seconds: list[float] = json.loads(done.stdout)
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path, help="another checkout of Packwise")
    parser.add_argument("--traces", type=Path, required=True, help="folder with the logs")
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    best: dict[Path, list[float]] = {}
    for _ in range(options.turns):
        for checkout in (options.checkout.resolve(), HERE):
            seconds = measured(checkout, options.traces.resolve())
            before = best.get(checkout, seconds)
            best[checkout] = [min(pair) for pair in zip(before, seconds, strict=True)]
    there, here = best[options.checkout.resolve()], best[HERE]
    for (log, name, _), old, new in zip(REPLAYS, there, here, strict=True):
        print(
            f"{log:10} {name:9} {1e3 * old:9.2f} ms {1e3 * new:9.2f} ms {100 * (new / old - 1):+6.1f} %"
        )


if __name__ == "__main__":
    main()
