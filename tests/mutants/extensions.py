"""The extensions, and the tests that build small sites with them."""

from importlib import import_module
from pathlib import Path

from tests.mutants import elsewhere

FOLDER = Path(__file__).parents[2] / "conf/extensions"
TESTS = tuple(
    file.relative_to(FOLDER.parents[1]).as_posix()
    for file in (
        *sorted((FOLDER.parents[1] / "tests/extensions").rglob("test_*.py")),
        *sorted(FOLDER.rglob("*.py")),
    )
)
_EXECUTOR = FOLDER.parents[1] / "tests/myst_nb_fork"
EXECUTOR_TESTS = tuple(
    file.relative_to(FOLDER.parents[1]).as_posix()
    for file in sorted(_EXECUTOR.glob("test_*.py"))
    if file.stem not in {"test_bench", "test_kernels_comparison", "test_live_builds"}
)
"""Those left out start builds in processes that no mutant gets to."""
BROUGHT = (
    "myst_nb.sphinx_ext",
    "furo",
    "nbclient",
    "jupyter_client",
    "jupytext",
    "myst_nb_fork.extension",
)
"""What a build with them imports, once here for all forks."""


def imported() -> None:
    """Import the extensions: a mutant is put into what they define."""
    for file in sorted(FOLDER.rglob("*.py")):
        name = ".".join(file.relative_to(FOLDER).with_suffix("").parts)
        if not name.startswith("myst_nb_fork"):
            import_module(name.removesuffix(".__init__"))
    for name in BROUGHT:
        import_module(name)


def executor_ready() -> None:
    """Import all of `myst_nb_fork`, and get ready for what it runs in other processes."""
    for name in BROUGHT:
        import_module(name)
    for file in sorted((FOLDER / "myst_nb_fork").glob("*.py")):
        import_module(f"myst_nb_fork.{file.stem}")
    elsewhere.ready()
