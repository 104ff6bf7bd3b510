"""The package stands alone: it imports what its own metadata names, and nothing else."""

import re
import sys
import tomllib
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src/myst_nb_fork"


def undeclared(folder: Path) -> set[str]:
    """What a package imports that its metadata does not name."""
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = {re.split(r"[^\w-]", needed)[0] for needed in project["dependencies"]}
    named = {name.replace("-", "_").lower() for name in named} | {folder.name}
    text = "\n".join(file.read_text(encoding="utf-8") for file in folder.glob("*.py"))
    imported = set(re.findall(r"^ *(?:import|from) +(\w+)", text, re.MULTILINE))
    return {name for name in imported if name.lower() not in named} - sys.stdlib_module_names


def test_it_imports_what_its_metadata_names() -> None:
    assert undeclared(PACKAGE) == set()


@pytest.mark.parametrize(
    "line", ["import vtj", "from vtj_site import records", "import numpy.linalg"]
)
def test_what_it_may_not_import_is_found(tmp_path: Path, line: str) -> None:
    folder = tmp_path / "package"
    folder.mkdir()
    (folder / "pyproject.toml").write_text('[project]\ndependencies = ["myst-nb>=1"]\n')
    (folder / "module.py").write_text(f"import os\nimport myst_nb.core\n{line}\n")
    assert undeclared(folder) == {re.split(r"[ .]", line)[1]}
