"""A page whose values a torch has changed: named with its line, what held and what is now."""

import re
from pathlib import Path

import pytest
import torch

from tests.canary.findings import ANSWER, NOISE, WORDING
from tests.canary.pages import AGREED, of_page
from tests.docs import shown
from tests.mutants.forks import in_fork

HEAD = "# Page\n\n```{code-cell} python\nimport torch\nimport warnings\n"
RELU = "x = torch.tensor([0.0, 2.0], requires_grad=True)\ntorch.relu(x).sum().backward()\n"
RAISES = ":tags: [raises-exception]\n:raises: 'RuntimeError: grad can be created'\n"
CONFIRM = """
from vtj.examples.scalar_output import total
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.sum()
y.backward()
total().confirm(y=y, grad=2 * x.grad, jacobian=torch.ones(2), product=torch.ones(2))
"""

# A page's cell with another torch: its options, its code, and what is found.
CHANGED = {
    "an assert of a value": (
        "",
        f"{RELU}assert x.grad.tolist() == [0.0, 1.0]",
        [(ANSWER, 11, "x.grad.tolist() == [0.0, 1.0]", "x.grad.tolist() is [1.0, 1.0]")],
    ),
    "an assert of two tensors": (
        "",
        f"{RELU}assert x.grad.equal(torch.tensor([0.0, 1.0]))",
        [(ANSWER, 11, "x.grad.equal(.*)", r"x.grad is tensor\(\[1., 1.\]\); torch.tensor.*")],
    ),
    "what nothing checks": (
        "",
        f"{RELU}x.grad",
        [(ANSWER, 9, r"tensor\(\[0., 1.\]\)", r"tensor\(\[1., 1.\]\)")],
    ),
    "what the oracle does not confirm": (
        "",
        CONFIRM,
        [(ANSWER, 14, AGREED, r"x.grad\[0\]: the page 2, by hand 1(.|\n)*")],
    ),
    "an error in other words": (
        RAISES,
        "torch.ones(2, requires_grad=True).backward()",
        [(WORDING, 11, "RuntimeError: grad can be created", "RuntimeError: grad can be impl.*")],
    ),
    "an error that does not come": (
        RAISES,
        "torch.ones((), requires_grad=True).backward()",
        [(ANSWER, 11, "RuntimeError: grad can be created", "nothing raised.*")],
    ),
    "what is no longer there": (
        "",
        "torch.no_such_function(1)",
        [(ANSWER, 9, "the cell ran", "AttributeError: module 'torch' has no attribute.*")],
    ),
    "a warning to readers": (
        "",
        "warnings.warn('the slope at 0 will change')",
        [(WORDING, 9, "nothing", "UserWarning: the slope at 0 will change")],
    ),
    "a warning to authors": (
        "",
        "warnings.warn('f is deprecated', FutureWarning)",
        [(NOISE, 9, "nothing", "FutureWarning: f is deprecated")],
    ),
    "what is as it was": ("", f"{RELU}assert x.grad[1] == 1.0\nx.grad.shape", []),
}


@pytest.mark.parametrize("name", CHANGED)
def test_a_change_is_named_with_its_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options, code, expected = CHANGED[name]
    page = tmp_path / "page.md"
    page.write_text(f"{HEAD}```\n\n```{{code-cell}} python\n{options}{code}\n```\n", "utf-8")
    monkeypatch.setattr(shown, "DOCS", tmp_path)
    monkeypatch.setattr(shown, "FOLDER", tmp_path / "shown")
    if (not options and not expected[:1]) or name == "what nothing checks":
        shown.write(page)

    def planted() -> list[tuple[str, ...]]:
        torch.relu = lambda x: torch.where(x >= 0, x, 0.0)  # the slope is 1 at 0
        return [*map(tuple, of_page(page))]

    found = in_fork(planted)
    assert [(kind, place) for kind, place, _, _ in found] == [
        (kind, f"page.md:{line}") for kind, line, _, _ in expected
    ]
    for (_, _, was, now), (_, _, before, after) in zip(found, expected, strict=True):
        assert was == before or re.fullmatch(before, was)
        assert re.fullmatch(after, now) or now == after
