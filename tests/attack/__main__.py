"""Attack the product with random cases.

python -m tests.attack                          2,000 cases, as CI does
python -m tests.attack --cases 100000 --seed 7  a night's worth
python -m tests.attack --only replays --keep    one front; who broke is kept, and tried for ever
python -m tests.attack --repeat replays:1234    one case again
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor

from tests.attack.fronts import SHARES, Drawn, draw
from tests.attack.kept import keep, kept
from tests.attack.trial import Outcome, attempt

_SHOWN = 20


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=2_000, help="how many, over all fronts")
    parser.add_argument("--seed", type=int, default=1, help="the first seed of each front")
    parser.add_argument("--only", action="append", choices=sorted(SHARES), help="this front")
    parser.add_argument("--repeat", action="append", metavar="FRONT:SEED", help="this case alone")
    parser.add_argument("--keep", action="store_true", help="keep the cases that broke the product")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    given = parser.parse_args()
    if given.repeat:
        cases = [Drawn.parse(text) for text in given.repeat]
    else:
        cases = [*kept(), *draw(given.cases, given.seed, given.only)]
    broken = _attack(cases, given.processes)
    for drawn, faults in broken[:_SHOWN]:
        print(f"\n{drawn}\n" + "\n".join(faults))
    if given.keep:
        for drawn, faults in broken:
            keep(drawn, faults[0])
    tried, failed = Counter(d.front for d in cases), Counter(o.drawn.front for o in broken)
    print(f"\n{'front':16}{'cases':>9}{'broken':>9}")
    for front, count in tried.items():
        print(f"{front:16}{count:>9,}{failed[front]:>9,}")
    return 1 if broken else 0


def _attack(cases: list[Drawn], processes: int) -> list[Outcome]:
    """Try all cases; who broke the product is returned, in the order of the cases."""
    broken = []
    # Processes of their own, not copies of this one: compiled code and threads do not survive a fork.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context) as pool:
        for done, outcome in enumerate(pool.map(attempt, cases, chunksize=8), 1):
            if outcome.faults:
                broken.append(outcome)
            if done % 1_000 == 0 or done == len(cases):
                print(f"{done:,} of {len(cases):,} tried, {len(broken):,} broken", file=sys.stderr)
    return broken


if __name__ == "__main__":
    sys.exit(main())
