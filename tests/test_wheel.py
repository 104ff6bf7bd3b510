"""What `pip install vtj` brings: the library, nothing of the site, and torch and NumPy alone.

What shows results is imported when it is asked for, as it takes as long as all the rest.
"""

import os
import subprocess
import sys
from email.parser import Parser
from pathlib import Path
from zipfile import ZipFile

import pytest
from hatchling.build import build_wheel

import vtj

ROOT = Path(__file__).parents[1]
IMPORTED = """
import sys
sys.path.insert(0, sys.argv[1])
import numpy, torch
before = set(sys.modules)
import vtj
new = [name for name in sys.modules.keys() - before if getattr(sys.modules[name], "__file__", "")]
packages = {name.partition(".")[0] for name in new}
print(vtj.__file__, *sorted(packages - {*sys.stdlib_module_names, "numpy", "torch"}))
print([name for name in ("sympy", "vtj.show") if name in sys.modules])
vtj.formula
print([name for name in ("sympy", "vtj.show") if name in sys.modules])
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    before = Path.cwd()
    os.chdir(ROOT)  # where a build backend is called, as its standard says
    try:
        return ZipFile(folder / build_wheel(str(folder)))
    finally:
        os.chdir(before)


def test_it_holds_the_modules_of_the_library_and_nothing_else(wheel: ZipFile) -> None:
    names = [name for name in wheel.namelist() if ".dist-info/" not in name]
    modules = {path.relative_to(ROOT / "src").as_posix() for path in ROOT.glob("src/vtj/**/*.py")}
    shown = {"vtj/show/steps.css", "vtj/show/steps.js"}  # what a notebook gets with a graph
    assert set(names) == modules | shown | {"vtj/py.typed"}


def test_it_asks_for_torch_and_numpy_alone(wheel: ZipFile) -> None:
    (metadata,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
    asked = Parser().parsestr(wheel.read(metadata).decode()).get_all("Requires-Dist", [])
    assert {needed.partition(">")[0] for needed in asked} == {"numpy", "torch"}


def test_it_imports_nothing_but_torch_and_numpy(wheel: ZipFile, tmp_path: Path) -> None:
    wheel.extractall(tmp_path)
    command = [sys.executable, "-I", "-c", IMPORTED, str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines() == [f"{tmp_path / 'vtj/__init__.py'} vtj", "[]", "['vtj.show']"]


def test_every_public_name_is_there_and_another_is_refused() -> None:
    assert all(getattr(vtj, name) is not None for name in vtj.__all__)
    with pytest.raises(AttributeError, match="module 'vtj' has no attribute 'grad'"):
        vtj.grad  # noqa: B018
