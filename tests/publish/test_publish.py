"""The zip of the site: complete, licensed, and the same from the same site."""

import hashlib
import importlib.util
import shutil
import zipfile
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import furo  # type: ignore[import-untyped]
import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def publish(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """The script as a module, with browsers that only say which they are."""
    spec = importlib.util.spec_from_file_location("publish", ROOT / "conf" / "publish.py")
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, said in {"chromium": "Chromium 123.4.5", "firefox-esr": "Firefox 67.8esr"}.items():
        (folder / name).write_text(f"#!/bin/sh\necho {said} built on nothing\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    return module


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path, Path]:
    """A small site as HTML and as Markdown, and where to publish it."""
    site, markdown = tmp_path / "html", tmp_path / "markdown"
    static = site / "_static"
    (static / "styles").mkdir(parents=True)
    (markdown / "how-to").mkdir(parents=True)
    (site / "index.html").write_text("<p>front</p>")
    (site / ".buildinfo").write_text("of no use to a reader")
    (static / "pygments.css").write_text("")
    (static / "stemmer.js").write_text("")
    (static / "explorer-functions.js").write_text("")
    shutil.copy(ROOT / "conf" / "static" / "site.css", static)
    theme = Path(furo.__file__).parent / "theme" / "furo" / "static" / "styles" / "furo.css"
    shutil.copy(theme, static / "styles")
    (markdown / "index.md").write_text("front")
    (markdown / "how-to" / "do.md").write_text("do")
    (markdown / "llms.txt").write_text("# list")
    return site, markdown, tmp_path / "published"


def published(publish: Any, folders: tuple[Path, Path, Path]) -> zipfile.ZipFile:
    return zipfile.ZipFile(publish.main([str(folder) for folder in folders]))


def test_the_zip_holds_the_site_its_markdown_and_its_papers(
    publish: Any, folders: tuple[Path, Path, Path]
) -> None:
    with published(publish, folders) as archive:
        names = {Path(name).relative_to("vtj-0.1.0").as_posix() for name in archive.namelist()}
    assert names == {
        "TESTED.txt",
        "THIRD-PARTY.txt",
        "_static/explorer-functions.js",
        "_static/pygments.css",
        "_static/site.css",
        "_static/stemmer.js",
        "_static/styles/furo.css",
        "how-to/do.md",
        "index.html",
        "index.md",
        "llms.txt",
    }


def test_the_same_site_gives_the_same_bytes(publish: Any, folders: tuple[Path, Path, Path]) -> None:
    digests = set()
    for _ in range(2):
        with published(publish, folders) as archive:
            assert archive.testzip() is None
            assert archive.filename is not None
            digests.add(hashlib.sha256(Path(archive.filename).read_bytes()).hexdigest())
    assert len(digests) == 1


def test_the_notices_name_every_project_whose_files_are_shipped(
    publish: Any, folders: tuple[Path, Path, Path]
) -> None:
    text = publish.notices(folders[0])
    for name in ("Pygments", "Sphinx", "furo"):
        assert f"\n{name} {distribution(name).version}\n" in text
    assert "SIL OPEN FONT LICENSE" in text
    assert "Luca Ongaro" in text  # MiniSearch lies among our own files
    assert "sphinx-copybutton" not in text
    assert "\nvtj " not in text


def test_a_file_of_unknown_origin_stops_the_publication(
    publish: Any, folders: tuple[Path, Path, Path]
) -> None:
    (folders[0] / "_static" / "stray.js").write_text("whose?")
    with pytest.raises(LookupError, match=r"_static/stray\.js: no installed package holds it"):
        published(publish, folders)


def test_a_project_without_a_license_stops_the_publication(
    publish: Any, folders: tuple[Path, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = publish.distribution("Pygments")

    class Bare:
        name = "Pygments"
        version = "0"
        files = tuple(path for path in real.files if ".dist-info" not in str(path))

    monkeypatch.setattr(
        publish, "distribution", lambda name: Bare if name == "Pygments" else distribution(name)
    )
    with pytest.raises(LookupError, match="Pygments: no license file"):
        publish.notices(folders[0])


def test_the_statement_says_where_it_was_tested_and_where_not(publish: Any) -> None:
    said = publish.tested()
    assert "Chromium 123.4.5" in said
    assert "Firefox 67.8esr" in said
    assert f"torch {distribution('torch').version}" in said
    assert "Not tested: Safari, screen readers themselves, Windows, macOS, GPUs." in said


@pytest.mark.parametrize("fault", ["lacks", "changes"])
def test_a_zip_that_is_not_the_tested_site_is_named(
    publish: Any, folders: tuple[Path, Path, Path], fault: str
) -> None:
    site = folders[0]
    target = publish.main([str(folder) for folder in folders])
    name = target.name.removesuffix("-site.zip")
    assert publish.different(site, target, name) == []
    changed = site / ("new.html" if fault == "lacks" else "index.html")
    changed.write_text("<p>another</p>")
    assert publish.different(site, target, name) == [changed.name]
