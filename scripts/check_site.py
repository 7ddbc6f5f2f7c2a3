"""Every link, picture, script and style of the built site leads somewhere; else the build fails.

The site generator looks at links between Markdown files, and not at pictures, the navigation, what snippets
bring along, or plain HTML. So the pages are read as a browser would read them.

    python scripts/check_site.py site
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from posixpath import normpath
from urllib.parse import unquote, urlsplit

#: It is shown at any address, so its links begin at the root of the site.
NOT_FOUND = "404.html"


@dataclass
class Page(HTMLParser):
    """What a page refers to, as (line, address), and the names in it that others may refer to."""

    found: list[tuple[int, str]] = field(default_factory=list)
    names: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value is None:
                continue
            if name in ("id", "name"):
                self.names.add(value)
            elif name in ("href", "src"):
                self.found.append((self.getpos()[0], value.strip()))


def read_pages(site: Path) -> dict[str, Page]:
    """By path from the root of the site."""
    pages = {}
    for path in sorted(site.rglob("*.html")):
        page = Page()
        page.feed(path.read_text("utf-8"))
        pages[path.relative_to(site).as_posix()] = page
    return pages


def broken(site: Path) -> Iterator[str]:
    """One line for each reference that leads nowhere."""
    pages = read_pages(site)
    files = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    for place, page in pages.items():
        if place == NOT_FOUND:
            continue
        for line, address in page.found:
            reason = _reason(place, address, pages, files)
            if reason:
                yield f"{place}, line {line}: '{address}' {reason}"


def _reason(place: str, address: str, pages: dict[str, Page], files: set[str]) -> str:
    """Why an address does not lead anywhere; empty if it does, or leaves the site."""
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        return ""
    if parts.path.startswith("/"):
        return "begins at the root of the server: the site may lie deeper"
    folder = place.rpartition("/")[0]
    target = normpath(f"{folder}/{unquote(parts.path)}".lstrip("/")) if parts.path else place
    if target.startswith(".."):
        return "leads out of the site"
    if parts.path and target not in files:
        target = "index.html" if target == "." else f"{target}/index.html"
    if target not in files:
        return "leads nowhere"
    name = unquote(parts.fragment)
    if name and target in pages and name not in pages[target].names:
        return f"names a place that {target} does not have"
    return ""


def main(site: Path) -> int:
    """The exit status: 1 if something is broken, 2 if there is no site."""
    if not (site / "index.html").is_file():
        print(
            f"error: {site}: expected a built site with an index.html. Run: make docs",
            file=sys.stderr,
        )
        return 2
    wrong = list(broken(site))
    for line in wrong:
        print(f"error: {line}", file=sys.stderr)
    print(f"{len(read_pages(site))} pages, {len(wrong)} broken references")
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python scripts/check_site.py FOLDER")
    sys.exit(main(Path(sys.argv[1])))
