import pytest

from tests.extensions.conftest import Build

CONFIG = {"confirmed_sections_pages": ["pa*"], "confirmed_sections_oracle": "decimal"}
PAGE = """
# Page

```{code-cell} python
class Tensor:
    def backward(self): ...
    def confirm(self, *values, **named): ...
```

## The case

```{code-cell} python
y = Tensor()
y.backward()
grad = 2
```

```{code-cell} python
J = 3
```

```{code-cell} python
import decimal
example = Tensor()
```

```{code-cell} python
Tensor().confirm(y=y, grad=grad, jacobian=J + J)
```

## Nothing to confirm

```{code-cell} python
print("no case")
```
"""
CONFIRM = "Tensor().confirm(y=y, grad=grad, jacobian=J + J)"


def test_a_confirmed_section_passes(build: Build) -> None:
    assert build("confirmed_sections", config=CONFIG, page=PAGE) == ""


@pytest.mark.parametrize(
    ("end", "message"),
    [
        ("y", "calls backward but its last cell does not confirm"),
        ("Tensor().confirm()", "must hand its values to confirm by name"),
        ("Tensor().confirm(y, grad=grad)", "must hand its values to confirm by name"),
        ("Tensor().confirm(y=1)", "confirms y=1: a typed value"),
        ("Tensor().confirm(y=Tensor)", "confirms y=Tensor, but none of its earlier cells binds"),
        ("z = 1\nTensor().confirm(y=z)", "confirms y=z, but none of its earlier cells binds z"),
        ("Tensor().confirm(y=example)", "confirms y=example, but none of its earlier cells"),
        ("(lambda: Tensor())().confirm", "calls backward but its last cell does not confirm"),
    ],
)
def test_what_is_not_confirmed_is_named(build: Build, end: str, message: str) -> None:
    warnings = build("confirmed_sections", config=CONFIG, page=PAGE.replace(CONFIRM, end))
    assert "page.md:14: WARNING: the section 'The case' " in warnings
    assert message in warnings


def test_a_module_that_the_section_imports_is_its_own(build: Build) -> None:
    page = PAGE.replace("J = 3", "import math\nJ = 3").replace("=J + J", "=math.floor(J)")
    assert build("confirmed_sections", config=CONFIG, page=page) == ""


def test_other_pages_may_do_without(build: Build) -> None:
    page = PAGE.replace(CONFIRM, "y")
    assert build("confirmed_sections", config=CONFIG, other=page) == ""


def test_a_page_without_cells_passes(build: Build) -> None:
    config = CONFIG | {"confirmed_sections_pages": ["*"]}
    assert build("confirmed_sections", config=config, page=PAGE) == ""


def test_a_cell_that_does_not_parse_is_the_executors_to_report(build: Build) -> None:
    page = PAGE.replace('print("no case")', "%pwd")
    assert build("confirmed_sections", config=CONFIG, page=page) == ""
