"""A module's mutants: each fork imports its package anew, with the fault in one module."""

import contextlib
import doctest
import importlib
import importlib.abc
import importlib.machinery
import io
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tests.mutants.forks import in_fork
from tests.mutants.mutant import Mutant, Outcome
from tests.mutants.source import Change, Source

ROOT = Path(__file__).parents[2]
Check = Callable[[], str | None]
Planter = Callable[[Source], Iterator[Change]]


class Planted(importlib.abc.Loader):
    """Loads one module from other text than that of its file.

    Args:
        name: of the module.
        file: it.
        text: what it is to hold.
    """

    def __init__(self, name: str, file: Path, text: str) -> None:
        self.name, self.file, self.text = name, file, text

    def find_spec(
        self, name: str, path: object = None, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Find this module alone."""
        if name != self.name:
            return None
        return importlib.machinery.ModuleSpec(name, self, origin=str(self.file))

    def exec_module(self, module: ModuleType) -> None:
        """Run the text."""
        module.__file__ = str(self.file)
        exec(compile(self.text, str(self.file), "exec"), module.__dict__)


def plant(name: str, file: Path, text: str) -> None:
    """Forget a module's package, and have the module hold other text at the next import."""
    package = name.rpartition(".")[0]
    for known in [known for known in sys.modules if f"{known}.".startswith(f"{package}.")]:
        del sys.modules[known]
    sys.meta_path.insert(0, Planted(name, file, text))  # type: ignore[arg-type]


def doctests(name: str) -> Check:
    """Return a check that runs a module's docstrings."""

    def check() -> str | None:
        with contextlib.redirect_stdout(io.StringIO()):
            failed = doctest.testmod(importlib.import_module(name)).failed
        return f"{failed} examples in docstrings fail" if failed else None

    return check


def tests(*files: str) -> Check:
    """Return a check that runs files of tests until one fails."""

    def check() -> str | None:
        quiet = ["-q", "-x", "-p", "no:cacheprovider", "-o", "addopts=--import-mode=importlib"]
        with contextlib.redirect_stdout(io.StringIO()):
            code = pytest.main([*quiet, *(str(ROOT / file) for file in files)])
        return f"{' '.join(files)} fail" if code else None

    return check


def judge(
    file: Path, planters: Iterable[Planter], checks: Iterable[Check], chosen: Callable[[], bool]
) -> Iterator[Outcome]:
    """Plant every fault of a module, and yield what became of each.

    Args:
        file: of the module.
        planters: yield its faults.
        checks: run one after the other until one complains.
        chosen: asked once for each fault; whether to plant it.

    Raises:
        AssertionError: When a check complains without a fault.
    """
    name = ".".join(file.relative_to(ROOT / "src").with_suffix("").parts)
    source = Source(file.read_text(encoding="utf-8"))

    def complaint(text: str) -> str | None:
        plant(name, file, text)
        try:
            importlib.import_module(name)
        except Exception as error:
            return f"check: {type(error).__name__}: {error}"
        for check in checks:
            if said := check():
                return said if said.startswith("shown: ") else f"check: {said}"
        return None

    said = in_fork(lambda: complaint(source.text))
    assert said is None, f"{name}: without a fault, it says {said}"
    for planter in planters:
        for change in planter(source):
            if chosen():
                mutated = change.applied(source.text)
                caught = in_fork(lambda mutated=mutated: complaint(mutated))
                yield Outcome(described(change, source, file), caught)


def described(change: Change, source: Source, file: Path) -> Mutant:
    """Say what a fault changes, and where in the module."""
    line = source.text.count("\n", 0, change.start)
    return Mutant(
        file.relative_to(ROOT).as_posix(),
        line + 1,
        change.kind,
        source.text.splitlines()[line].strip(),
        source.text[change.start : change.end],
        change.after,
    )
