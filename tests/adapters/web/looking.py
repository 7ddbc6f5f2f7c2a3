"""What a page shows, read off it."""

from __future__ import annotations


def rows(page):
    return page.locator("#jobs tbody tr[data-job]").evaluate_all(
        "rows => rows.map((row) => row.dataset.job)"
    )


def shown(page, selector):
    return page.locator(selector).inner_text()


def facts(page):
    return dict(
        page.locator("#facts div").evaluate_all(
            "all => all.map((one) => [one.children[0].textContent, one.children[1].textContent])"
        )
    )


def pixel(page, x, y):
    """The colour of a place of the chart."""
    found = page.evaluate(
        """([x, y]) => {
          const canvas = document.getElementById("gantt-canvas"), scale = devicePixelRatio;
          return [...canvas.getContext("2d").getImageData(x * scale, y * scale, 1, 1).data].slice(0, 3);
        }""",
        [x, y],
    )
    return "#" + "".join(f"{part:02x}" for part in found)


def place(page, seconds, node, share=0.5, nodes=4):
    """Where in the chart a moment (from now) on a node is."""
    wide = page.locator("#gantt-canvas").evaluate("canvas => canvas.clientWidth")
    tall = page.locator("#gantt-canvas").evaluate("canvas => canvas.clientHeight")
    gutter, ahead = (62 if wide < 560 else 104), float(page.locator("#horizon").input_value())
    x = gutter + (seconds + 0.06 * ahead) / (1.06 * ahead) * (wide - gutter)
    return x, 26 + (node + share) * (tall - 26) / nodes
