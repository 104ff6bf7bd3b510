"""Spares a build MyST-NB's own ways to run pages: they import ZeroMQ and SQLAlchemy."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

_PACKAGE = "myst_nb.core.execute"
_CLIENTS = {
    "cache": "NotebookClientCache",
    "direct": "NotebookClientDirect",
    "inline": "NotebookClientInline",
}


class Later:
    """Stands for a class, which is imported when the first object of it is made."""

    def __init__(self, module: str, name: str) -> None:
        self._module = module
        self._name = name

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Make the object."""
        return getattr(importlib.import_module(self._module), self._name)(*arguments, **keywords)


def import_myst_nb() -> None:
    """Import MyST-NB's package of clients without the clients, if it is not imported yet."""
    if _PACKAGE in sys.modules:
        return
    stand_ins = {f"{_PACKAGE}.{module}": name for module, name in _CLIENTS.items()}
    for module, name in stand_ins.items():
        sys.modules[module] = ModuleType(module)
        setattr(sys.modules[module], name, Later(module, name))
    importlib.import_module(_PACKAGE)
    for module in stand_ins:
        del sys.modules[module]
