"""The table of rows on behavior holds each that a report may have."""

import pkgutil
from importlib import import_module

import vtj.oracle
from vtj.oracle.behavior import Behavior
from vtj_site.figures.behaviors import BEHAVIORS, behaviors


def test_no_behavior_is_left_out() -> None:
    modules = (
        import_module(f"vtj.oracle.{one.name}") for one in pkgutil.iter_modules(vtj.oracle.__path__)
    )
    names = {
        one.name for module in modules for one in vars(module).values() if isinstance(one, Behavior)
    }
    assert {one.name for one in BEHAVIORS} == names
    assert all(f"<code>{name}</code>" in behaviors().html for name in names)
