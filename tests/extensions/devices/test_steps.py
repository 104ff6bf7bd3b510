"""Graphs on a page share one script and one style sheet; without a graph there are none."""

from pathlib import Path

import pytest
import torch

import vtj.show
from tests.extensions.conftest import built
from vtj.show import graph

SHOW = Path(vtj.show.__file__).parent
X = torch.tensor([1.0])
GRAPH = f"# Graph\n\n```{{raw}} html\n{graph(lambda x: 3 * x, X, X)._repr_html_()}\n```\n"
SETTINGS = {
    "extensions": ["myst_nb", "devices.steps"],
    "html_theme": "basic",
    "nb_execution_mode": "off",
}


@pytest.fixture(scope="module")
def html(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("steps")
    assert built(folder, {"graph": GRAPH, "plain": "# Plain\n"}, SETTINGS) == ""
    return folder / "html"


def test_a_page_with_a_graph_loads_what_a_notebook_holds(html: Path) -> None:
    page = (html / "graph.html").read_text(encoding="utf-8")
    assert "<vtj-steps>" in page
    assert "customElements.define" not in page
    for name in ("steps.js", "steps.css"):
        assert f"_static/{name}" in page
        held = (html / "_static" / name).read_text(encoding="utf-8")
        assert held == (SHOW / name).read_text(encoding="utf-8")


def test_a_page_without_one_does_not(html: Path) -> None:
    assert "steps." not in (html / "plain.html").read_text(encoding="utf-8")


def test_a_site_without_one_has_no_such_file(tmp_path: Path) -> None:
    assert built(tmp_path, {"plain": "# Plain\n"}, SETTINGS) == ""
    assert not (tmp_path / "html" / "_static" / "steps.js").exists()
