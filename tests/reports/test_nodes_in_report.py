"""Nodes in a report: rows, maps, charts and words; and as a reader meets them."""

from __future__ import annotations

import numpy as np
import pytest

from packwise.clusters.finding import find_cluster
from packwise.model import Cluster, NodeGroup, Outage, Workload
from packwise.registry import policy
from packwise.reports.figures import compute
from packwise.reports.material import Replayed
from packwise.reports.nodes.node_map import NONE, OUT, use_of
from packwise.reports.nodes.rows import rows_of
from packwise.reports.static_figures import write_figures
from packwise.simulation import simulate
from packwise.workloads.accelerated import generate_accelerated
from tests.ink import read_png
from tests.reports.browsing import eventually
from tests.reports.materials import make_case, make_material

SMALL = Cluster(
    "small",
    (
        NodeGroup("cpu", 6, {"cores": 4, "memory": 8192}),
        NodeGroup("gpu", 2, {"cores": 4, "memory": 8192, "gpus": 2}),
    ),
    outages=(Outage((0, 1), 3600, 86400),),
)
POLICIES = ("easy", "list-saf")


def nodes_case(**changes):
    jobs = generate_accelerated(150, SMALL, 3, load=1.2)
    return make_case(POLICIES, workload=jobs, cluster=SMALL, machine="small", **changes)


def test_as_many_rows_as_an_eye_can_tell_apart():
    rows = rows_of(find_cluster("eurora"))
    assert len(rows.names) == 64
    assert (rows.groups, rows.first) == (("mic", "gpu"), (0, 32))
    rows = rows_of(find_cluster("kit-fh2"))
    assert len(rows.names) <= 128
    assert rows.names[0] == "thin-1 to 10"
    assert rows.names[rows.first[1]] == "fat-1 to 10"
    assert rows.names[-1] == "fat-21"
    assert (np.diff(rows.of) >= 0).all()
    many = Cluster("many", tuple(NodeGroup(f"g{k}", 1, {"cores": 1}) for k in range(200)))
    assert len(rows_of(many).names) == 200  # nodes of two groups are never in one row


def test_a_map_by_hand():
    two = Cluster(
        "two",
        (NodeGroup("a", 1, {"cores": 4}), NodeGroup("b", 2, {"cores": 2, "gpus": 1})),
        outages=(Outage((2,), 0, 100),),
    )
    jobs = Workload.of([(0, 4, 50, 50)]).replace(
        units=np.array([1]), per_unit={"cores": np.array([4]), "gpus": np.array([0])}
    )
    run = simulate(jobs, two, policy("easy"))
    use = use_of("easy", Replayed(jobs, two, run.schedule), np.array([0, 25, 50, 75, 125]))
    assert list(use.percent) == ["cores"], "of what nobody asks for there is no map"
    assert use.percent["cores"].tolist() == [[100, 100, 0, 0], [0] * 4, [OUT] * 3 + [0]]
    gpu = jobs.replace(
        per_unit={"cores": np.array([2]), "gpus": np.array([1])}, demand=np.array([2])
    )
    run = simulate(gpu, two, policy("easy"))
    use = use_of("easy", Replayed(gpu, two, run.schedule), np.array([0, 100]))
    assert use.percent["gpus"].tolist() == [[NONE], [50], [OUT]]


def test_the_figures_of_a_case_on_nodes():
    figures = compute(make_material(nodes_case()))
    assert figures.nodes
    (found,) = figures.cases
    resources, stranded = found.node_charts
    assert [panel.title for panel in resources.panels] == ["cores", "memory", "gpus"]
    assert [series.label for series in stranded.panels[0].series] == list(POLICIES)
    assert max(stranded.panels[0].series[0].y) > 0
    assert "cores that are free while jobs wait" in found.notes[-2]
    assert OUT in found.node_map.runs[0].percent["cores"][:2]


def test_a_pool_has_none_of_it(tmp_path, drawing_only):
    material = make_material(make_case(POLICIES, jobs=50))
    figures = compute(material)
    assert not figures.nodes
    assert figures.cases[0].node_map is None
    assert all(chart.empty for chart in figures.cases[0].node_charts)
    drawing_only()
    written = write_figures(material, tmp_path, ("png",), figures=figures)
    assert {"table.png", "gantt-easy.png"} <= {path.name for path in written}
    assert not any("nodes" in path.name or "stranded" in path.name for path in written)


def test_what_outages_have_cut_short_is_said_to_be_missing():
    assert "no chart" in compute(make_material(nodes_case())).cases[0].notes[-1]
    pool = compute(make_material(make_case())).cases[0].notes
    assert not any("no chart" in words for words in pool)


@pytest.mark.slow
def test_still_pictures(tmp_path, drawing_only):
    drawing_only("nodes-easy", "resources", "stranded")
    written = write_figures(make_material(nodes_case()), tmp_path, ("png",))
    names = {path.stem for path in written}
    assert {"resources", "stranded", "nodes-easy", "nodes-list-saf"} <= names
    pixels = read_png(tmp_path / "nodes-easy.png")
    assert (pixels == (0xC2, 0x3D, 0x1F)).all(axis=2).mean() > 0.002, "what is out is red"
    assert (pixels == (0x0B, 0x4A, 0x8F)).all(axis=2).mean() > 0.002, "what is in use is blue"


@pytest.fixture(scope="module")
def page(opened):
    return opened(make_material(make_case(jobs=200), nodes_case()))


def heat(page):
    return page.locator("#node-map .plot .heatmaplayer image").count()


def drawn(page):
    image = page.locator("#node-map .plot .heatmaplayer image").first
    return image.evaluate("(one) => one.href.baseVal")


def test_the_map_is_drawn_and_changes(page):
    assert page.locator("#node-map .nothing").count() == 1  # the first case is a pool
    assert page.locator("#stranded .nothing").count() == 1
    page.select_option("#case", index=1)
    eventually(page, lambda: heat(page), 2)  # what is used, and what is out
    assert page.locator("#resources .plot .scatterlayer .trace").count() == 3 * len(POLICIES)
    assert page.locator("#stranded .plot .scatterlayer .trace").count() == len(POLICIES)
    assert page.locator("#node-policy option").all_text_contents() == list(POLICIES)
    assert page.locator("#node-resource option").all_text_contents() == ["cores", "memory", "gpus"]
    before = drawn(page)
    page.select_option("#node-resource", label="gpus")
    eventually(page, lambda: drawn(page) != before, True)
    other = drawn(page)
    page.select_option("#node-policy", label="list-saf")
    eventually(page, lambda: drawn(page) != other, True)
    assert "Red: out of service" in page.locator("#node-map .caption").text_content()
    page.select_option("#case", index=0)
    eventually(page, lambda: page.locator("#node-map .nothing").count(), 1)
    assert page.faults == []
