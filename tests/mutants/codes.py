"""The code of functions: where it stands, and which function a changed text changes."""

from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import Any


def place(code: CodeType) -> str:
    """Say where code stands: its file, its line and its name."""
    return f"{code.co_filename}:{code.co_firstlineno}:{code.co_qualname}"


def codes(code: CodeType) -> Iterator[CodeType]:
    """Yield code and all that is defined in it."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from codes(inner)


def outermost(text: str, file: Path) -> list[CodeType]:
    """Return the code of the functions and methods of a module, none that stands in another."""
    every = codes(compile(text, str(file), "exec"))
    return [code for code in every if "<locals>" not in code.co_qualname and code.co_flags & 1]


def changed(text: str, mutated: str, file: Path) -> tuple[str, CodeType] | None:
    """Return where the function stands that a mutant changes, and its code then.

    It is None for what changes no code, say the default of an argument, for what is no Python, and
    for what uses other names of the scope around it, which a living function cannot be given.

    Args:
        text: of the module.
        mutated: the same with the mutant.
        file: of the module.
    """
    try:
        pairs = zip(outermost(text, file), outermost(mutated, file), strict=True)
        before, after = next((a, b) for a, b in pairs if meaning(a) != meaning(b))
        return (place(before), after) if before.co_freevars == after.co_freevars else None
    except (StopIteration, SyntaxError, ValueError):
        return None


def meaning(code: CodeType) -> tuple[Any, ...]:
    """Return what code does, wherever it stands."""
    constants = [
        meaning(part) if isinstance(part, CodeType) else (type(part), repr(part))
        for part in code.co_consts
    ]
    return code.co_code, constants, code.co_names, code.co_varnames, code.co_freevars
