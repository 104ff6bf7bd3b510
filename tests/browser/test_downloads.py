"""What a reader takes along: notebooks that are whole, scripts that run."""

import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urljoin

import nbformat
from bs4 import BeautifulSoup
from reading.downloads import needs

RUNNER = Path(__file__).with_name("run_scripts.py")


def test_a_page_that_runs_offers_its_notebook_and_its_script(
    site: Path, page_path: str, soup: BeautifulSoup
) -> None:
    page = site / page_path
    links = [str(link["href"]) for link in soup.select(".versions-line a[download]")]
    assert bool(links) == bool(soup.select("div.cell"))
    for link in links:
        assert Path(urljoin(page.as_uri(), link).removeprefix("file://")).is_file()


def test_notebooks_are_valid_executed_and_name_no_file_of_the_builder(site: Path) -> None:
    notebooks = sorted((site / "downloads").rglob("*.ipynb"))
    assert notebooks
    for file in notebooks:
        notebook = nbformat.read(file, as_version=4)  # type: ignore[no-untyped-call]
        nbformat.validate(notebook)
        code = [cell for cell in notebook.cells if cell.cell_type == "code"]
        assert code
        assert all(cell.execution_count for cell in code), file
        text = file.read_text(encoding="utf-8")
        assert "site-packages" not in text, file
        assert str(Path(sys.prefix)) not in text, file
        prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
        assert not re.search(r"\{[\w-]+\}`|^:::|^\(.*\)=$", prose, re.MULTILINE), file


def test_every_script_runs_from_its_first_line_to_its_last(site: Path) -> None:
    scripts = sorted(map(str, (site / "downloads").rglob("*.py")))
    run = subprocess.run([sys.executable, RUNNER, *scripts], capture_output=True, text=True)
    assert run.stdout == ""
    assert run.returncode == 0, run.stderr


def test_a_script_that_does_not_say_what_it_needs_is_named(tmp_path: Path) -> None:
    silent, honest = tmp_path / "silent.py", tmp_path / "honest.py"
    silent.write_text("import vtj.show\n", encoding="utf-8")
    said = needs(["import vtj"], "", "")
    honest.write_text(f"# %% [markdown]\n# {said}\n\nimport vtj.show\n", encoding="utf-8")
    run = subprocess.run([sys.executable, RUNNER, silent, honest], capture_output=True, text=True)
    assert f"{silent}\n" in run.stdout
    assert "ModuleNotFoundError" in run.stdout
    assert "honest.py" not in run.stdout
    assert run.returncode == 1
