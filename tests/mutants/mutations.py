"""mutmut's mutants of a module, each as the code of the function that it changes."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import CodeType

import libcst
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation.file_mutation import Mutation, create_mutations

from tests.mutants.codes import changed
from tests.mutants.mutant import Mutant

ROOT = Path(__file__).parents[2]
Written = Callable[[], tuple[str, CodeType] | None]
"""Returns where the function stands that a mutant changes, and its code; None for no code."""


def mutants(file: Path) -> Iterator[tuple[Mutant, Written]]:
    """Yield the mutants of a module, and what writes each: that takes long, and is for the drawn.

    Args:
        file: of the module.
    """
    text = file.read_text(encoding="utf-8")
    name = file.relative_to(ROOT).as_posix()
    module, mutations, *_ = create_mutations(str(file), text)
    positions = MetadataWrapper(module, unsafe_skip_copy=True).resolve(PositionProvider)
    for mutation in mutations:
        if mutation.contained_by_top_level_function is not None:
            line = positions[mutation.original_node].start.line
            mutant = described(module, mutation, name, line, text)
            yield mutant, partial(written, module, mutation, text, file)


def written(
    module: libcst.Module, mutation: Mutation, text: str, file: Path
) -> tuple[str, CodeType] | None:
    """Return where the function stands that a mutant changes, and its code with the mutant."""
    mutated = module.deep_replace(mutation.original_node, mutation.mutated_node)
    assert isinstance(mutated, libcst.Module)
    return changed(text, mutated.code, file)


def described(module: libcst.Module, mutation: Mutation, name: str, line: int, text: str) -> Mutant:
    """Say what a mutant changes, and where in the module."""
    before, after = (
        " ".join(module.code_for_node(node).split())
        for node in (mutation.original_node, mutation.mutated_node)
    )
    return Mutant(name, line, "library", text.splitlines()[line - 1].strip(), before, after)
