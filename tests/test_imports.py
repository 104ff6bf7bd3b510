import subprocess
import sys

import pytest

import vtj


def test_what_shows_results_is_imported_when_it_is_asked_for() -> None:
    code = (
        "import sys, torch; import vtj\n"
        "print([name for name in ('sympy', 'vtj.show', 'vtj_site') if name in sys.modules])\n"
        "vtj.formula\n"
        "print('vtj.show' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines() == ["[]", "True"]


def test_every_public_name_is_there() -> None:
    assert all(getattr(vtj, name) is not None for name in vtj.__all__)


def test_another_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="module 'vtj' has no attribute 'grad'"):
        vtj.grad  # noqa: B018
