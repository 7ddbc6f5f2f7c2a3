"""Throw away compiled code that is older than any source file it may have been made from."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "packwise"


def main() -> None:
    newest = max(source.stat().st_mtime for source in PACKAGE.rglob("*.py"))
    compiled = [*PACKAGE.rglob("*.nbi"), *PACKAGE.rglob("*.nbc")]
    if any(file.stat().st_mtime < newest for file in compiled):
        for file in compiled:
            file.unlink()
        print("Sources have changed: the compile cache was cleared.")


if __name__ == "__main__":
    main()
