"""Templates are compiled once, and again when they change."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from compiled_templates import keep

from tests.extensions.conftest import Build

PAGE = "# A page\n"


def settings(folder: Path, footer: str, builder: str = "html") -> dict[str, object]:
    """Say where a template is that ends each page in some words."""
    templates = folder / "templates"
    templates.mkdir(exist_ok=True)
    extend = '{% extends "!page.html" %}{% block footer %}' + footer + "{% endblock %}"
    (templates / "page.html").write_text(extend)
    return {"templates_path": [str(templates)], "nb_execution_mode": "off"}


def test_an_incremental_build_finds_what_the_last_one_compiled(
    build: Build, tmp_path: Path
) -> None:
    build("compiled_templates", config=settings(tmp_path, "first"), page=PAGE)
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "doctrees/templates").iterdir()}
    assert len(kept) > 1
    text = f"{PAGE}\nText.\n"
    build("compiled_templates", config=settings(tmp_path, "first"), fresh=False, page=text)
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    assert "first" in (tmp_path / "html/page.html").read_text()


def test_a_changed_template_is_compiled_again(build: Build, tmp_path: Path) -> None:
    build("compiled_templates", config=settings(tmp_path, "first"), page=PAGE)
    build("compiled_templates", config=settings(tmp_path, "second"), fresh=False, page=PAGE)
    written = (tmp_path / "html/page.html").read_text()
    assert "second" in written
    assert "first" not in written


def test_a_builder_without_templates_is_left_alone(tmp_path: Path) -> None:
    application: Any = SimpleNamespace(builder=object(), doctreedir=tmp_path)
    keep(application)
    assert list(tmp_path.iterdir()) == []
