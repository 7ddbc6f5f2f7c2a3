"""Write what Packwise computes, and compare.

python -m tests.record compare               what is computed now, with the record that is kept
python -m tests.record compare A B           two records, or two files of times
python -m tests.record write                 the kept record, after a change that is meant
python -m tests.record write --to FILE --against TREE
                                             what the package of another checkout computes
python -m tests.record times --against TREE  how fast this is, beside another checkout
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import packwise
from tests.record import files, times, trees
from tests.record.facts import Question, answers, questions


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.record",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    write = commands.add_parser("write", help="find all facts, and write them")
    write.add_argument("--to", type=Path, default=files.KEPT, metavar="FILE")
    write.add_argument("--against", type=Path, metavar="TREE", help="another checkout")
    compare = commands.add_parser("compare", help="what is different: exit status 1 if anything is")
    compare.add_argument("file", type=Path, nargs="*", help="two files; none: kept, and now")
    for one in (write, compare):
        one.add_argument("--processes", type=int, default=2)
        one.add_argument("--only", default="", metavar="TEXT", help="questions with this in them")
    timed = commands.add_parser("times", help="processor times of some benchmarks")
    timed.add_argument("--to", type=Path, metavar="FILE", help="write them, too")
    timed.add_argument("--against", type=Path, metavar="TREE", help="another checkout, in turn")
    timed.add_argument("--rounds", type=int, default=15)
    timed.add_argument("--only", default="", metavar="TEXT", help="benchmarks with this in them")
    given = parser.parse_args()
    match given.command:
        case "write":
            return _write(given)
        case "times" if given.against is not None:
            times.against(given.against, given.rounds, given.only)
        case "times":
            times.alone(given.rounds, given.to, given.only)
        case _:
            return _compare(given)
    return 0


def _write(given: argparse.Namespace) -> int:
    to = given.to.resolve()
    if given.against is not None:
        told = ["--to", str(to), "--processes", str(given.processes), "--only", given.only]
        return trees.over(given.against, ["write", *told])
    print(f"over {Path(packwise.__file__).parent}", file=sys.stderr)
    # All at once: processes side by side would each compile what they need.
    subprocess.run([sys.executable, "-m", "packwise", "compile"], check=True, stdout=sys.stderr)
    rest = _not_asked(given.only) if to == files.KEPT else []
    files.write([*answers(_chosen(given.only), given.processes), *rest], to)
    return 0


def _compare(given: argparse.Namespace) -> int:
    match given.file:
        case [before, now]:
            records = files.read(before), files.read(now)
            if all(asked.startswith(times.KIND) for record in records for asked in record):
                print("\n".join(times.ratios(*records)))
                return 0
            found = files.differences(*records)
        case []:
            with tempfile.TemporaryDirectory() as folder:
                given.to, given.against = Path(folder) / "now.txt", None
                _write(given)
                found = files.differences(_kept(given.only), files.read(given.to))
        case _:
            raise SystemExit(f"compare: expected two files or none, found {len(given.file)}.")
    print("\n".join(found.words()))
    return 1 if found else 0


def _chosen(only: str) -> list[Question]:
    found = [one for one in questions() if only in one.about]
    if not found:
        raise SystemExit(
            f"--only {only}: expected a part of a line's beginning, such as 'replay workload=pool "
            "policy=easy', found none with it."
        )
    return found


def _not_asked(only: str) -> list[str]:
    """The lines of the kept record that stay where only some are found anew."""
    asked = _kept(only)
    rest = {} if not only else files.read(files.KEPT)
    return [f"{one}{files.ARROW}{came}" for one, came in rest.items() if one not in asked]


def _kept(only: str) -> dict[str, str]:
    """What is kept of what is asked for."""
    kept = files.read(files.KEPT)
    if not only:
        return kept
    chosen = tuple(f"{one.about} " for one in _chosen(only))
    return {asked: came for asked, came in kept.items() if f"{asked} ".startswith(chosen)}


if __name__ == "__main__":
    sys.exit(main())
