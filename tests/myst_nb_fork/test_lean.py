"""MyST-NB's own clients are imported when one is used, and not before."""

import sys
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from myst_nb_fork import lean
from myst_nb_fork.lean import Later, import_myst_nb

NAMES = {"cache": "Cache", "direct": "Direct", "inline": "Inline"}


def imported() -> dict[str, Any]:
    return {name: sys.modules[name] for name in list(sys.modules) if name.startswith(lean._PACKAGE)}


@pytest.fixture
def before_myst_nb(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As if MyST-NB's package of clients had not been imported yet."""
    import myst_nb.core.execute

    monkeypatch.setattr(myst_nb.core, "execute", myst_nb.core.execute)
    kept = imported()
    for name in kept:
        del sys.modules[name]
    yield
    for name in imported():
        del sys.modules[name]
    sys.modules.update(kept)


@pytest.mark.usefixtures("before_myst_nb")
def test_a_client_is_imported_when_one_is_made() -> None:
    import_myst_nb()
    package = sys.modules[lean._PACKAGE]
    assert not {f"{lean._PACKAGE}.{module}" for module in NAMES} & set(sys.modules)
    assert {name for name, value in vars(package).items() if isinstance(value, Later)} == {
        f"NotebookClient{name}" for name in NAMES.values()
    }
    for module, name in NAMES.items():
        with pytest.raises(TypeError, match=r"__init__\(\) missing 4 required"):
            getattr(package, f"NotebookClient{name}")()
        assert f"{lean._PACKAGE}.{module}" in sys.modules


def test_what_is_imported_already_stays() -> None:
    import myst_nb.core.execute

    before = imported()
    client = myst_nb.core.execute.NotebookClientDirect
    import_myst_nb()
    assert imported() == before
    assert myst_nb.core.execute.NotebookClientDirect is client


def test_arguments_are_handed_on() -> None:
    assert Later("fractions", "Fraction")(3, denominator=4) == Fraction(3, 4)
    later = Later("no.such.module", "Thing")
    with pytest.raises(ModuleNotFoundError):
        later()
