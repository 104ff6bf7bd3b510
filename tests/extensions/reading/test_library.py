"""The site carries the wheel of the library, and says how to install it where it is imported."""

import subprocess
import sys
from pathlib import Path

import pytest
from reading import library
from reading.downloads import needs
from reading.library import NAME, command
from sphinx.errors import ExtensionError

from tests.extensions.conftest import FRONT_MATTER, built
from tests.extensions.reading.conftest import PAGES, SETTINGS, Site

IMPORT = "```{code-cell} python\nif False:\n    import vtj\n```\n"


def test_the_wheel_of_the_site_installs_and_its_library_runs(site: Site, tmp_path: Path) -> None:
    wheel = site.folder / "html/downloads" / NAME
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index"]
    subprocess.run([*pip, "--disable-pip-version-check", "--target", tmp_path, wheel], check=True)
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "import torch, vtj\n"
        "assert vtj.check(torch.sin, torch.tensor([1.0, 2.0]))\n"
        "print(vtj.__file__)"
    )
    ran = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True)
    assert (ran.stdout, ran.stderr) == (f"{tmp_path / 'vtj/__init__.py'}\n", "")


def test_the_wheel_has_the_same_bytes_at_another_time(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    (tmp_path / "html/downloads").mkdir(parents=True)
    (tmp_path / "html/downloads/vtj-0.0.0-py3-none-any.whl").touch()  # what an older build left
    built(tmp_path, {"cards": PAGES["cards"]}, SETTINGS | {"folded_sections": {}, "page_data": {}})
    (again,) = (tmp_path / "html/downloads").glob("*.whl")
    assert again.read_bytes() == (site.folder / "html/downloads" / NAME).read_bytes()


def test_a_page_says_it_once_and_leads_to_the_file(tmp_path: Path) -> None:
    pages = {
        "deep/page": f"{FRONT_MATTER}# Page\n\nA word.\n\n{IMPORT}\n{IMPORT}\n",
        "asks": f"{FRONT_MATTER}# Asks\n\n```{{get-library}}\n```\n\n{IMPORT}",
        "none": f"{FRONT_MATTER}# None\n\n```{{code-cell}} python\nx = 'import vtj'\n```\n",
    }
    built(tmp_path, pages, SETTINGS | {"folded_sections": {}, "page_data": {}})
    site = Site(tmp_path, [])
    for page, before in {"deep/page": "div.cell", "asks": "h1"}.items():
        (said,) = site.soup(page).select("p.get-library")
        (link,) = said.select("a")
        assert said.text == f"vtj is the library of this site: pip install {NAME} (the file)."
        assert (tmp_path / "html" / page).parent.joinpath(str(link["href"])).is_file()
        assert site.soup(page).select(f"{before} + p.get-library")
    assert not site.soup("none").select("p.get-library")


@pytest.mark.parametrize("address", ["https://example.org/vtj", "https://example.org/vtj/"])
def test_a_published_site_is_installed_from_in_one_line(address: str) -> None:
    source = "https://example.org/source"
    line = f"pip install https://example.org/vtj/downloads/{NAME}"
    assert command(address) == line
    said = f"Needs the library of this site, `vtj`: `{line}`. Its source: {source}"
    assert needs(["import vtj"], address, source) == said
    assert needs(["import vtj_site"], address, source).endswith(f"library. Its source: {source}")


BACKEND = "[build-system]\nrequires = []\nbuild-backend = 'hatchling.build'\n"


@pytest.mark.parametrize(
    ("project", "said"),
    [
        pytest.param("", r"found \[\]: (?s:.*)project.version", id="it cannot be made"),
        pytest.param("name = 'vtj'\nversion = '99'\n", "found .*vtj-99-", id="another version"),
    ],
)
def test_a_wheel_that_is_not_the_one_that_pages_name_fails_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, project: str, said: str
) -> None:
    """Rejected by reading.finish."""
    (tmp_path / "pyproject.toml").write_text(f"{BACKEND}[project]\n{project}", encoding="utf-8")
    (tmp_path / "vtj").mkdir()
    (tmp_path / "vtj/__init__.py").touch()
    monkeypatch.setattr(library, "ROOT", tmp_path)
    settings = SETTINGS | {"folded_sections": {}, "page_data": {}}
    with pytest.raises(ExtensionError, match=f"expected the wheel {NAME}, {said}"):
        built(tmp_path, {"cards": PAGES["cards"]}, settings)
