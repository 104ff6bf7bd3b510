"""A how-to opens with the answer, shows its check, and fails when torch or its author is wrong."""

import re
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.docs.page_cells import HIDDEN, PageCell, cells_of, changed
from tests.docs.reading import Reader

FOLDER = Path(__file__).parents[2] / "docs" / "how-to"
LISTS = (
    "index",
    "errors",
    "gradcheck-fails",
    "rarer-errors",
    "traps",
)  # to search in, in place of one answer
PAGES = sorted(path.stem for path in FOLDER.glob("*.md") if path.stem not in LISTS)
CHECKED = [*PAGES, "gradcheck-fails"]
CHECK = re.compile(r"\bassert\b|\.testing\.assert_")
LONGEST, WIDEST = 155, 85  # lines that a reader sees; columns without scrolling at 1440 pixels
MARK = re.compile(r"\{\w+\}(`+)(?:says\(\"(?P<word>[^\"]*)\".*?|(?P<text>[^`<]*).*?)\1", re.DOTALL)
FENCE = re.compile(r"(```|:::).*?^\1$", re.DOTALL | re.MULTILINE)
pytestmark = pytest.mark.filterwarnings(  # torch about itself, on the first forward derivative
    r"ignore:`torch\.jit\.script` is deprecated:DeprecationWarning"
)


# One mistake a reader could make on each page: what stands there, and what they wrote instead.
MISTAKES = {
    "accumulate": ("counted[part].sum() / counted.sum()", "torch.tensor(1 / 2)"),
    "change-v-with-hooks": ("v.clamp(max=10)", "v.clamp(max=20)"),
    "check-a-gradient": ("v @ weight, v.T @ x", "v @ weight, x.T @ v"),
    "check-a-kernel": ("(v.float() * normed).sum(0)", "(v.float() * normed).mean(0)"),
    "checkpoint": ("3 * x[0] ** 2", "4 * x[0] ** 2"),
    "combine-losses": ("len(part) / 8", "1 / 3"),
    "compile": ("compiled(x).backward(v)", "compiled(x).backward(-v)"),
    "complex-tensors": ("(z.abs() ** 2).sum()", "(z.abs() ** 3).sum()"),
    "data-parallel": ("in_two(mean, [3, 3])", "in_two(mean, [4, 2])"),
    "elementwise-derivatives": ("y = torch.sin(x)", "y = torch.sin(x).cumsum(0)"),
    "function-transforms": ("return v * 3 * x**2", "return v * 2 * x**2"),
    "full-jacobian": ("jacrev(torch.vmap(f))", "jacrev(lambda x: torch.vmap(f)(x).cumsum(0))"),
    "gradcheck-fails": ("5 * x[1]])", "6 * x[1]])"),
    "gradient-cache": ("encoder(part).backward(v)", "encoder(part).backward(-v)"),
    "gradient-penalty": ("gradients.norm(dim=1)", "gradients.norm()"),
    "inner-loops": ("w - lr * g for", "w - lr * g.detach() for"),
    "jvp-from-vjps": ("torch.func.jvp(f, (x,), (u,))", "torch.func.vjp(f, x)[0], u"),
    "mixed-precision": ("torch.tensor(65536.0)", "torch.tensor(1.0)"),
    "model-jacobians": ("(model, parameters, x)", "(model, parameters, -x)"),
    "no-sync": ("loss(model, last).backward()\n\n\ncame", "\n\ncame"),
    "module-hooks": ("layer(x).backward(v)", "layer(x).backward(-v)"),
    "one-class": ("one_hot(torch.tensor([2])", "one_hot(torch.tensor([1])"),
    "per-sample-gradients": ("functional_call(model, parameters, sample)", "model(sample)"),
    "pipeline": ("scale_grads=True", "scale_grads=False"),
    "second-derivatives": ("grad(gradient, x, u)", "grad(gradient, x, u * x)"),
    "set-the-gradient": ("y.backward(gradient=direction)", "y.backward(gradient=-direction)"),
    "sharded": ("- targets[rows]) ** 2).mean()", "- targets[rows]) ** 2).sum()"),
    "split-a-model": ("dist.send(received.grad", "dist.send(torch.ones_like(received)"),
    "straight-through": ("(hard - soft).detach()", "hard - soft"),
    "through-operations": ("x.argsort()", "x.argsort(descending=True)"),
    "through-a-solver": ("solve(A.T, v)", "solve(A, v)"),
    "twice-differentiable-function": ("return v * y", "return v * y * y"),
    "weight-samples": ("losses.backward(weights)", "losses.sum().backward()"),
    "where-nan": ("torch.where(x > 0, x, 1.0)", "x"),
    "wgan-signs": ("(real @ critic).mean().backward(mone)", "(real @ critic).mean().backward(one)"),
    "who-gets-a-gradient": ("discriminator(fake.detach())", "discriminator(fake)"),
    "zero-gradients": ("nn.init.constant_(model[0].bias, -10)", "pass"),
    "write-a-function": ("(v * x**ctx.power).sum(0)", "(v * x**ctx.power)[0]"),
}  # fmt: skip


@pytest.fixture(autouse=True)
def as_a_page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """What a page changes for its own process is put back."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("GLOO_SOCKET_IFNAME", "lo")
    torch.set_warn_always(True)
    yield
    torch.set_warn_always(False)


def lines_of(text: str) -> int:
    """Count the lines that a reader sees: prose as wide as code may be, and no blank ones."""
    shown = HIDDEN.sub("", text)
    code = [line for fence in FENCE.finditer(shown) for line in fence[0].splitlines()[1:-1]]
    prose = MARK.sub(lambda mark: mark["word"] or mark["text"], FENCE.sub("", shown))
    prose = re.sub(r"\]\([^)]*\)", "]", prose)
    paragraphs = re.split(r"\n\n|\n(?=[|*-])", prose)
    return len(code) + sum(len(textwrap.wrap(each, WIDEST)) for each in paragraphs)


def complaint(text: str, cells: list[PageCell]) -> str | None:
    """Say what keeps a page from being a how-to, or nothing."""
    body = text.partition("\n# ")[2].partition("\n")[2].lstrip("\n")
    opening = body.partition("```{code-cell}")[0]
    sentences = re.findall(r"[.?!](?=\s|\{|$)", re.sub(r"`[^`]*`", "", opening))
    if len(sentences) != 1 or "\n#" in opening:
        return "does not open with one sentence and the answer's cell"
    seen = [cell for cell in cells if "remove-cell" not in cell.options.get("tags", [])]
    if not any(CHECK.search(cell.code) for cell in seen[:2]):
        return "does not check its answer"
    if (lines := lines_of(text)) > LONGEST:
        return f"has {lines} lines"
    wide = [line for cell in cells for line in cell.code.splitlines() if len(line) > WIDEST]
    return f"has a line that must be scrolled: {wide[0]}" if wide else None


@pytest.mark.parametrize("page", PAGES)
def test_it_opens_with_the_answer_and_its_check(page: str) -> None:
    file = FOLDER / f"{page}.md"
    assert complaint(file.read_text(encoding="utf-8"), cells_of(file)) is None


@pytest.mark.parametrize("page", CHECKED)
def test_it_would_notice_if_torch_were_wrong(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    original = torch.autograd._engine_run_backward  # type: ignore[attr-defined]

    def doubled(outputs: Any, grads: Any, *rest: Any, **options: Any) -> Any:
        return original(outputs, tuple(2 * grad for grad in grads), *rest, **options)

    monkeypatch.setattr(torch.autograd, "_engine_run_backward", doubled)
    file = FOLDER / f"{page}.md"
    said = Reader(file, cells_of(file)).complaint_from(0)
    assert said is not None
    assert said.startswith(("AssertionError", "GradcheckError"))


@pytest.mark.parametrize("page", CHECKED)
def test_it_would_notice_a_reader_s_mistake(page: str) -> None:
    before, after = MISTAKES[page]
    file = FOLDER / f"{page}.md"
    cells = cells_of(file)
    place = next(place for place, cell in enumerate(cells) if before in cell.code)
    faulty = changed(cells, place, cells[place].code.replace(before, after))
    said = Reader(file, faulty).complaint_from(0)
    assert said is not None
    assert said.startswith("AssertionError")


GOOD = """---
---

# Title

Do `x.y()`: it
helps.

```{code-cell} python
assert 1
```

The end.
"""


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("helps.", "helps. It does.", "does not open with one sentence"),
        ("helps.\n", "helps.\n\n## First\n", "does not open with one sentence"),
        ("assert 1", "print('ok')", "does not check its answer"),
        ("end.\n", "end.\n\n" * LONGEST, "lines"),
        ("assert 1", "assert 1" + " " * WIDEST + "or 0", "must be scrolled"),
    ],
)
def test_what_is_missing_is_said(tmp_path: Path, before: str, after: str, said: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(GOOD)
    assert complaint(GOOD, cells_of(page)) is None
    page.write_text(GOOD.replace(before, after))
    assert said in str(complaint(page.read_text(), cells_of(page)))
