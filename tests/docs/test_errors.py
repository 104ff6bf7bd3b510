"""Every message and every trap has its section; none vanishes silently."""

import re
from pathlib import Path

import pytest

from tests.docs.page_cells import cells_of
from vtj_site.records.history import questions, spans

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "errors.md"
TEXT = PAGE.read_text(encoding="utf-8")

MESSAGES = [
    "grad can be implicitly created only for scalar outputs",
    "grad can be implicitly created only for real scalar outputs but got torch.complex64",
    "Mismatch in shape: grad_output[0] has a shape of torch.Size([4]) and output[0] has a shape",
    "For complex Tensors, both grad_output and output are required to have the same dtype.",
    "gradients can be either Tensors or None, but got float",
    "gradients can be either Tensors or None, but got float64",
    "'float' object is not iterable",
    "iteration over a 0-d array",
    "got 2 tensors and 1 gradients",
    "Trying to backward through the graph a second time (or directly access saved tensors",
    "one of the variables needed for gradient computation has been modified by an inplace",
    "element 0 of tensors does not require grad and does not have a grad_fn",
    "element 1 of tensors does not require grad and does not have a grad_fn",
    "The differentiated Tensor at index 0 appears to not have been used in the graph.",
    "`inputs` argument to `backward()` cannot be empty.",
    "can't retain_grad on Tensor that has requires_grad=False",
    "invalid gradient at index 0 - expected device cpu but got meta",
    "Cannot copy out of meta tensor; no data!",
    "Only Tensors of floating point and complex dtype can require gradients",
    "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing",
    "backward() called inside a functorch transform.",
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed.",
    "Using backward() with create_graph=True will create a reference cycle",
    "`grad_variables` is deprecated. Use `grad_tensors` instead.",
    "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0",
    "Boolean value of Tensor with more than one value is ambiguous",
    "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly.",
    "a leaf Variable that requires grad is being used in an in-place operation.",
    "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
]
SECTIONS = re.split(r"^\((?=error-|trap-)", TEXT, flags=re.MULTILINE)[1:]
ERRORS = [section for section in SECTIONS if section.startswith("error-")]
TRAPS = [section for section in SECTIONS if section.startswith("trap-")]
OLD = re.findall(r"```\{error-message\}\n:until: (\S+)\n(.*)\n```", TEXT)


@pytest.mark.parametrize("message", MESSAGES)
def test_a_cell_raises_the_message(message: str) -> None:
    raised = [str(cell.options.get("raises", "")).partition(": ")[2] for cell in cells_of(PAGE)]
    assert any(text.startswith(message) for text in raised)


def test_the_number_of_errors_and_traps() -> None:
    assert len(ERRORS) == 33
    assert len(TRAPS) == 9


@pytest.mark.parametrize("section", ERRORS, ids=lambda section: section.partition(")")[0])
def test_an_error_has_its_message_its_cell_and_a_fix(section: str) -> None:
    assert "```{error-message}" in section
    kinds = ["raises" in body for body in re.findall(r"```\{code-cell\}.*?```", section, re.DOTALL)]
    assert kinds[0]
    assert not kinds[-1]


@pytest.mark.parametrize("section", TRAPS, ids=lambda section: section.partition(")")[0])
def test_a_trap_is_shown_and_avoided(section: str) -> None:
    assert section.count("```{code-cell}") == 2


@pytest.mark.parametrize(("until", "pattern"), OLD)
def test_an_old_wording_is_the_recorded_one(until: str, pattern: str) -> None:
    fixed = r".*".join(map(re.escape, pattern.split("{…}")))
    ends = [
        [int(part) for part in span.last.split(".")]
        for question in questions()
        for span in spans(question)
        if re.fullmatch(fixed, span.answer, re.DOTALL)
    ]
    assert max(ends) == [int(part) for part in until.split(".")]


def test_there_are_old_wordings() -> None:
    assert len(OLD) == 10
