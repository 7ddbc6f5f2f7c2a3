"""Show that the tests have teeth: break functions drawn at random, and see which test notices.

python -m tests.teeth                        30 functions of all rooms
python -m tests.teeth --seed 7 --count 100   others
python -m tests.teeth --list                 what would be broken
python -m tests.teeth --only 4 --only 9      these of the list alone
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.teeth.draw import Drawn, draw
from tests.teeth.judged import judged, key
from tests.teeth.trial import Noticed, Trials

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "packwise"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=44, help="draws functions and breaks")
    parser.add_argument("--count", type=int, default=30, help="how many functions")
    parser.add_argument("--only", type=int, action="append", help="this one of the list")
    parser.add_argument("--list", action="store_true", help="break nothing, show what would be")
    parser.add_argument("--limit", type=float, default=150.0, help="processor seconds for each")
    given = parser.parse_args()
    drawn = list(enumerate(draw(ROOT / PACKAGE, given.seed, given.count), 1))
    chosen = [(number, one) for number, one in drawn if not given.only or number in given.only]
    if given.list:
        for number, one in chosen:
            print(_place(number, one))
        return 0
    with tempfile.TemporaryDirectory(prefix="teeth-") as folder:
        return _try_all(chosen, Trials(ROOT, PACKAGE, Path(folder), given.limit))


def _try_all(chosen: list[tuple[int, Drawn]], trials: Trials) -> int:
    """Try each, and say what came of it. 1 if something went unnoticed on which there is no verdict."""
    verdicts = judged()
    noticed = unjudged = 0
    for number, one in chosen:
        print(_place(number, one), flush=True)
        found = trials.attempt(one)
        verdict = verdicts.get(key(one), "")
        print(f"    {_what_came(found)}", flush=True)
        noticed += found.failure is not None
        if found.failure is None:
            unjudged += not verdict
            print(f"    judged: {verdict or 'not yet'}", flush=True)
    print(f"\n{noticed} of {len(chosen)} noticed; {unjudged} not noticed and not judged.")
    for test in sorted(trials.fail_anyway):
        print(f"Left out, as it fails where nothing is broken: {test}")
    return 1 if unjudged else 0


def _place(number: int, one: Drawn) -> str:
    return f"{number:3} {one}, line {one.broken.line} ({one.broken.kind})\n    {one.broken.shown}"


def _what_came(found: Noticed) -> str:
    if found.failure is not None:
        test, how = found.failure
        return f"noticed in {found.seconds:.0f} s: {test} {how}"
    ran = f"{found.files} test files" + (", all that reach it" if not found.used_up else "")
    return f"NOT NOTICED within {found.seconds:.0f} s by {ran}"


if __name__ == "__main__":
    sys.exit(main())
