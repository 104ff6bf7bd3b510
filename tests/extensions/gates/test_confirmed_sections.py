"""A section that calls backward confirms what its own cells computed, or is named."""

import pytest
from gates.confirmed_sections import complaint
from gates.page import Cell, Section

NO_CONFIRM = (
    "calls backward but its last cell does not confirm: "
    "end it with `….confirm(…)` of what its own cells computed"
)
BACKWARD, IMPORT, BINDING = "y = Tensor()\ny.backward()\ngrad = 2", "import decimal\ne = 1", "J = 3"
CONFIRM = "Tensor().confirm(y=y, grad=grad, jacobian=J + J)"


def said(*cells: str, oracle: str = "decimal") -> str | None:
    """Return what is said of a section of cells."""
    made = [Cell(number, source, {}, [], 1) for number, source in enumerate(cells)]
    message = complaint(Section("The case", 1, made), oracle)
    return message and message.removeprefix("the section 'The case' ")


@pytest.mark.parametrize(
    ("end", "message"),
    [
        ("y", NO_CONFIRM),
        ("(lambda: Tensor())().confirm", NO_CONFIRM),
        ("(lambda: Tensor())()()", NO_CONFIRM),
        ("%pwd", NO_CONFIRM),
        ("Tensor().confirm()", "must hand its values to confirm by name"),
        ("Tensor().confirm(y, grad=grad)", "must hand its values to confirm by name"),
        ("Tensor().confirm(y=1)", "confirms y=1: a typed value, not one that its cells computed"),
        (
            "Tensor().confirm(y=y, grad=-2.5)",
            "confirms grad=-2.5: a typed value, not one that its cells computed",
        ),
        (
            "Tensor().confirm(y=Tensor)",
            "confirms y=Tensor, but none of its earlier cells binds Tensor",
        ),
        ("z = 1\nTensor().confirm(y=z)", "confirms y=z, but none of its earlier cells binds z"),
        (
            "Tensor().confirm(y=b + y + a)",
            "confirms y=b + y + a, but none of its earlier cells binds a, b",
        ),
        ("Tensor().confirm(y=e)", "confirms y=e, but none of its earlier cells binds e"),
        (
            "Tensor().confirm(y=y)\nTensor().confirm(y=0)",
            "confirms y=0: a typed value, not one that its cells computed",
        ),
    ],
)
def test_what_is_not_confirmed_is_said(end: str, message: str) -> None:
    assert said(BACKWARD, IMPORT, BINDING, end) == message


@pytest.mark.parametrize("call", ["y.backward(v)", "torch.autograd.grad(y, x)", "grad(y)"])
def test_whoever_differentiates_must_confirm(call: str) -> None:
    assert said("y = 1", call, "y") == NO_CONFIRM


def test_a_section_that_confirms_or_need_not_passes() -> None:
    assert said(BACKWARD, IMPORT, BINDING, CONFIRM) is None
    assert said("y.forward()", "backward", "y") is None
    assert said() is None


@pytest.mark.parametrize(
    ("binding", "value"),
    [
        ("import math", "math.floor(y)"),
        ("import os.path", "os.path.sep"),
        ("import os.path as places", "places.sep"),
        ("from math import floor", "floor(y)"),
        ("for row in y: first, (second, *rest) = row", "[row, second, rest]"),
        ("if (n := 3): pass", "n"),
        ("", "sys.last_value"),
        ("%pwd", "y"),
    ],
)
def test_what_the_section_binds_is_its_own(binding: str, value: str) -> None:
    assert said(BACKWARD, IMPORT, binding, f"Tensor().confirm(y={value})") is None


@pytest.mark.parametrize(
    "line",
    [
        "import decimal",
        "import math, decimal.more as d",
        "from decimal import a",
        "from decimal.more import a",
        "from a import decimal",
    ],
)
def test_what_a_cell_binds_that_imports_the_oracle_is_not(line: str) -> None:
    message = "confirms y=e, but none of its earlier cells binds e"
    assert said(BACKWARD, f"{line}\ne = 1", "Tensor().confirm(y=e)") == message


@pytest.mark.parametrize("oracle", ["", "decimals"])
def test_without_that_oracle_every_cell_counts(oracle: str) -> None:
    cells = (BACKWARD, f"{IMPORT}\nfrom math import pi", "Tensor().confirm(y=e + pi)")
    assert said(*cells, oracle=oracle) is None


@pytest.mark.parametrize(
    ("end", "message"),
    [
        ("assert grad == 2", None),
        ("torch.testing.assert_close(grad, y)", None),
        ("grad", "the question 'Predict: what?' has no assert"),
    ],
)
def test_a_question_holds_its_answer_by_an_assert(end: str, message: str | None) -> None:
    cell = Cell(0, f"{BACKWARD}\n{end}", {}, [], 1)
    assert complaint(Section("Predict: what?", 1, [cell]), "decimal") == message
