"""What builds and pytest have printed: lines of real logs, and what they mean."""

import pytest

from tests.canary.findings import ANSWER, DEPENDENCY, NOISE, WORDING, Finding
from tests.canary.logs import of_build, of_noise, of_tests, passed

SCRIPT = "site-packages/torch/jit/_script.py:1491: FutureWarning: `torch.jit.script` is deprecated."
MESSAGES = {
    "an error in other words": (
        "docs/how-to/errors.md:1061: WARNING: the cell was to raise\n    UserWarning: Starting\n"
        "but raised\n    UserWarning: In a future release [gates.expected_errors]\n",
        [
            Finding(
                WORDING,
                "docs/how-to/errors.md:1061",
                "UserWarning: Starting",
                "UserWarning: In a future release",
            )
        ],
    ),
    "an error that does not come": (
        "docs/faq.md:7: WARNING: the cell was to raise\n    ValueError: no\nbut raised nothing "
        "[gates.expected_errors]\n",
        [Finding(ANSWER, "docs/faq.md:7", "ValueError: no", "nothing")],
    ),
    "torch's word to authors": (
        f"docs/faq.md:147: WARNING: the cell was to warn of nothing\nbut wrote\n    {SCRIPT}\n"
        "      warnings.warn( [gates.stray_warnings]\n",
        [Finding(NOISE, "docs/faq.md:147", "nothing", SCRIPT.partition(": ")[2])],
    ),
    "a cell that fails": (
        "docs/faq.md:9: WARNING: AssertionError\n    assert 1 == 2\n-----\n [myst_nb_fork]\n",
        [Finding(ANSWER, "docs/faq.md:9", "the build accepted it", "AssertionError")],
    ),
    "a release without a record": (
        "docs/explanation/history.md:33: WARNING: RecordError: torch 2.15.0 has no recorded row: "
        "run nox -s history\n    hold_today_against_the_record() [myst_nb_fork]\n",
        [
            Finding(
                NOISE,
                "docs/explanation/history.md:33",
                "",
                "RecordError: torch 2.15.0 has no recorded row: run nox -s history",
            )
        ],
    ),
    "a word that a case speaks against": (
        "docs/faq.md:30: WARNING: 'never': a case speaks against it [statements]\n",
        [
            Finding(
                ANSWER,
                "docs/faq.md:30",
                "the build accepted it",
                "'never': a case speaks against it",
            )
        ],
    ),
    "Sphinx's own": (
        "docs/faq.md:3: WARNING: undefined label: 'no-such-label' [ref.ref]\n"
        "WARNING: cannot cache unpickable configuration value [config.cache]\n",
        [
            Finding(
                DEPENDENCY,
                "docs/faq.md:3",
                "no message",
                "undefined label: 'no-such-label' [ref.ref]",
            ),
            Finding(
                DEPENDENCY,
                "config.cache",
                "no message",
                "cannot cache unpickable configuration value [config.cache]",
            ),
        ],
    ),
}
CRASH = """
Extension error!

Versions
========

Traceback
=========

      File "site-packages/sphinx/registry.py", line 546, in load_extension
        raise ExtensionError(
    sphinx.errors.ExtensionError: Could not import extension reading (exception: No module \
named 'sphinx_design.shared')


The full traceback has been saved in:
Not published: build/canary/site/html is as it was.
"""


@pytest.mark.parametrize("name", MESSAGES)
def test_a_message_of_the_build(name: str) -> None:
    messages, expected = MESSAGES[name]
    assert [*of_build("", messages, 1, known=set())] == expected


def test_a_cell_that_the_pages_themselves_have_told_of_is_not_told_twice() -> None:
    (messages, _), (refused, found) = (
        MESSAGES[n] for n in ("a cell that fails", "a word that a case speaks against")
    )
    assert [*of_build("", messages + refused, 1, known={"docs/faq.md"})] == found


def test_a_build_that_a_dependency_has_ended() -> None:
    (found,) = of_build(CRASH, "", 2, known=set())
    assert found.kind == DEPENDENCY
    assert found.place == "the build, in sphinx"
    assert found.now.endswith("(exception: No module named 'sphinx_design.shared')")


TESTS = """
=================================== FAILURES ===================================
[gw0] linux -- Python 3.11.7 python
E   assert 1.0 == 0.0 ± 1.0e-12
      comparison failed
tests/vtj/engines/test_symbolic.py:135: assert 1.0 == 0.0 ± 1.0e-12
[gw1] linux -- Python 3.11.7 python
site-packages/numpy/_core/numeric.py:400: TypeError: unexpected keyword argument
tests/vtj/test_bad_input.py:31: AssertionError: Regex pattern did not match.
=============================== warnings summary ===============================
site-packages/torch/jit/_script.py:1491
  site-packages/torch/jit/_script.py:1491: FutureWarning: `torch.jit.script` is deprecated.
=========================== short test summary info ============================
FAILED tests/vtj/engines/test_symbolic.py::test_a_kink[upper bound] - assert ...
FAILED tests/vtj/test_odd_input.py::test_numpy - TypeError: ...
FAILED tests/vtj/test_bad_input.py::test_error - AssertionError: ...
3 failed, 3750 passed, 2 skipped in 300.10s (0:05:00)
"""


def test_tests_that_fail() -> None:
    assert [(f.kind, f.place, f.was) for f in of_tests(TESTS)] == [
        (ANSWER, "tests/vtj/engines/test_symbolic.py:135", "test_a_kink[upper bound] passed"),
        (
            DEPENDENCY,
            "numpy, in tests/vtj/test_odd_input.py (numpy/_core/numeric.py:400)",
            "test_numpy passed",
        ),
        (WORDING, "tests/vtj/test_bad_input.py:31", "test_error passed"),
    ]
    assert passed(TESTS) == "3 failed, 3750 passed, 2 skipped"


def test_tests_that_could_not_be_collected() -> None:
    log = "ERROR tests/vtj/test_zoo.py - ImportError: no name\n1 error in 2.0s\n"
    (found,) = of_tests(log)
    assert (found.kind, found.place) == (ANSWER, "tests/vtj/test_zoo.py")
    assert passed(log) == "the tests did not run to their end"


def test_noise_is_what_packages_tell_their_callers() -> None:
    log = f"{SCRIPT}\n  warnings.warn(\nx.py:3: UserWarning: look\n"
    assert [finding.now for finding in of_noise(log)] == [SCRIPT.partition(": ")[2]]
