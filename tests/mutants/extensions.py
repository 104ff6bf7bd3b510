"""The extensions whose mutants are run, and the tests that build small sites with them."""

from importlib import import_module

MODULES = (
    "changed_conf",
    "commit_dates",
    "compiled_templates",
    "confirmed_sections",
    "executed_page",
    "expected_errors",
    "folded_sections",
    "furo_mends",
    "json_files",
    "labeled_pictures",
    "light_pages",
    "names_across_pages",
    "one_navigation",
    "page_descriptions",
    "permalinks",
    "removed_pages",
    "self_contained",
    "stray_warnings",
    "typed_numbers",
    "unwritten_pages",
    "warned_pages",
)
"""Those that run in the process that builds, which is the test's own."""
TESTS = (
    "tests/extensions/test_declarations.py",
    *(f"tests/extensions/test_{name}.py" for name in MODULES),
    *(f"conf/extensions/{name}.py" for name in MODULES),
)
BROUGHT = ("myst_nb.sphinx_ext", "furo", "nbclient", "jupyter_client", "page_executor.extension")
"""What a build with them imports, once here for all forks."""


def imported() -> None:
    """Import the extensions: a mutant is put into what they define."""
    for name in (*MODULES, *BROUGHT):
        import_module(name)
