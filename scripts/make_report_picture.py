"""Make docs/images/report.png: the top of the report of the built-in demo workload.

    python scripts/make_report_picture.py [CHROMIUM]

Needs Playwright (pip install playwright) and a Chromium: Playwright's own, or the one at CHROMIUM.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "images" / "report.png"
WIDTH, HEIGHT = 1280, 1000


def main() -> None:
    chromium = sys.argv[1] if len(sys.argv) > 1 else None
    with TemporaryDirectory() as name:
        subprocess.run([sys.executable, "-m", "packwise", "demo"], cwd=name, check=True)
        PICTURE.write_bytes(screenshot(Path(name) / "demo" / "report.html", chromium))
    print(f"Wrote {PICTURE} ({PICTURE.stat().st_size / 1e3:.0f} kB)")


def screenshot(page: Path, chromium: str | None) -> bytes:
    """The part of the page that is seen first, as a PNG."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        tab = browser.new_page(
            viewport={"width": WIDTH, "height": HEIGHT},
            color_scheme="light",
            reduced_motion="reduce",
        )
        tab.goto(page.as_uri())
        tab.wait_for_selector("#charts svg")
        taken: bytes = tab.screenshot()
        browser.close()
    return taken


if __name__ == "__main__":
    main()
