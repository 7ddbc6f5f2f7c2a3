"""Reports in a browser, where one is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from packwise.reports import static_figures
from packwise.reports.material import Material
from packwise.reports.page.writing import write_report
from tests.reports.browsing import PATIENCE


@pytest.fixture
def drawing_only(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """drawing_only(*names): of all figures only the files of these are written; each takes long."""

    def choose(*names: str) -> None:
        for kind in ("draw_chart", "draw_gantt", "draw_heat", "draw_node_map"):
            draw = getattr(static_figures, kind)

            def chosen(*given: Any, draw: Callable[..., None] = draw) -> None:
                if given[-1].stem in names:
                    draw(*given)

            monkeypatch.setattr(static_figures, kind, chosen)

    return choose


@pytest.fixture(scope="module")
def opened(browser: Any, tmp_path_factory: Any) -> Iterator[Callable[..., Any]]:
    """opened(material, **context): the report in a page that keeps what went wrong in ``faults``.

    ``ready=False`` does not wait for more than the page's load event.
    """
    contexts = []

    def open_page(material: Material, script: str = "", ready: bool = True, **options: Any) -> Any:
        path = Path(tmp_path_factory.mktemp("report")) / "report.html"
        write_report(material, path)
        context = browser.new_context(**({"viewport": {"width": 1200, "height": 900}} | options))
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.faults = []
        page.on("console", lambda message: page.faults.append(message.text))
        page.on("pageerror", lambda error: page.faults.append(str(error)))
        page.on("dialog", lambda dialog: (page.faults.append("dialog"), dialog.dismiss()))
        page.on(
            "request",
            lambda request: request.url.startswith("http") and page.faults.append(request.url),
        )
        if script:
            page.add_init_script(script)
        page.goto(path.as_uri())
        if ready and not script:
            page.wait_for_selector("html[data-ready]")
        return page

    yield open_page
    for context in contexts:
        context.close()
