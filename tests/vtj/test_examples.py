"""What every worked example promises: a section of its page, and a J that holds everywhere.

The values of x, v and y do not stand here: the page of an example computes them in cells of its
own, and `confirm` compares. What is tested here is what no page can see.
"""

import inspect
import pkgutil
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

import vtj.examples
from vtj import Example, Refusal, Sequence, jacobian
from vtj.examples.network import Net, network_scores, seeded

PAGES = Path(__file__).parents[2] / "docs/tutorials"
SECTION = re.compile(r"^\((\w+)\)=$", re.MULTILINE)
CONFIRMED = re.compile(r"^(\w+)\(\)\.confirm\(", re.MULTILINE)
ASKS = re.compile(r"^\(predict-[\w-]+\)=\n### Predict: .*\?$", re.MULTILINE)
WITHOUT_JACOBIAN = {
    *("image_itself", "image_squared", "image_loss"),
    *("network_scores", "network_batch", "network_loss"),
}
"""J is too large to write down: it has 720⁴ entries, or a column for each of 61706 parameters."""


def returned(function: Any) -> Any:
    return inspect.signature(function).return_annotation


def builders(idea: str) -> dict[str, Any]:
    """Return what a module of examples builds: functions of nothing that return a case."""
    module = import_module(f"vtj.examples.{idea}")
    return {
        name: found
        for name, found in inspect.getmembers(module, inspect.isfunction)
        if found.__module__ == module.__name__
        and not inspect.signature(found).parameters
        and returned(found) in (Example, Refusal, Sequence)
    }


def complaints(idea: str, built: set[str], page: str) -> list[str]:
    """Say which half of an example is missing in a module or on its page, and what to do."""
    code, text = f"src/vtj/examples/{idea}.py", f"docs/tutorials/{idea}.md"
    sections, confirmed = set(SECTION.findall(page)), set(CONFIRMED.findall(page))
    _, *parts = SECTION.split(page)
    asking = {name for name, part in zip(parts[::2], parts[1::2], strict=True) if ASKS.search(part)}
    return [
        *(
            f"{code} builds {name}, which no page shows: write a section labeled ({name})= in "
            f"{text} that ends in {name}().confirm(…)"
            for name in sorted(built - sections)
        ),
        *(
            f"{text} has a section ({name})= without an example: write {name}() in {code}, which "
            "takes nothing and returns an Example, a Refusal or a Sequence of that name"
            for name in sorted(sections - built)
        ),
        *(
            f"{text} does not confirm {name}: end its section with a cell {name}().confirm(…)"
            for name in sorted(built & sections - confirmed)
        ),
        *(
            f"{text} asks nothing after ({name})=: write a subsection (predict-…)= with the "
            "heading ### Predict: …? and a cell whose assert holds the answer"
            for name in sorted(built & sections - asking)
        ),
    ]


IDEAS = sorted(
    {module.name for module in pkgutil.iter_modules(vtj.examples.__path__)}
    | {page.stem for page in PAGES.glob("*.md")} - {"index"}
)
CASES = {
    name: build
    for idea in IDEAS
    if (Path(vtj.examples.__path__[0]) / f"{idea}.py").exists()
    for name, build in builders(idea).items()
}


@pytest.mark.parametrize("idea", IDEAS)
def test_every_builder_has_its_section_and_every_section_its_builder(idea: str) -> None:
    page = PAGES / f"{idea}.md"
    text = page.read_text(encoding="utf-8") if page.exists() else ""
    built = {name for name, build in CASES.items() if build.__module__ == f"vtj.examples.{idea}"}
    assert built or SECTION.search(text), f"{idea} has no builder and no section with a label"
    assert not complaints(idea, built, text), "\n".join(complaints(idea, built, text))


CONFIRMING = "(a)=\n## A\n\n```{code-cell} python\na().confirm(y=y)\n```\n"
WHOLE = f"{CONFIRMING}\n(predict-a)=\n### Predict: What?\n"
FORGOTTEN = {
    "the section": ({"a", "b"}, WHOLE, "mine.py builds b, which no page shows: write a section"),
    "the page": ({"a"}, "", r"write a section labeled \(a\)= in docs/tutorials/mine.md that ends"),
    "the builder": (set(), WHOLE, r"without an example: write a\(\) in src/vtj/examples/mine.py,"),
    "the question": ({"a"}, CONFIRMING, r"asks nothing after \(a\)=: write a subsection"),
    "to confirm": (
        {"a"},
        WHOLE.replace("a().confirm", "b"),
        r"does not confirm a: end its section with a cell a\(\)",
    ),
}


@pytest.mark.parametrize("forgotten", FORGOTTEN)
def test_a_forgotten_half_fails_with_what_to_do(forgotten: str) -> None:
    built, page, said = FORGOTTEN[forgotten]
    (complaint,) = complaints("mine", built, page)
    assert re.search(said, complaint)
    assert complaints("mine", {"a"}, WHOLE) == []


def tensors(case: Any) -> list[Tensor]:
    return [leaf for leaf in tree_leaves((case.x, getattr(case, "v", None))) if leaf is not None]


@pytest.mark.parametrize("name", CASES)
def test_is_named_as_its_builder_built_afresh_and_shown_in_its_docstring(name: str) -> None:
    first, second = CASES[name](), CASES[name]()
    assert first.name == name
    assert all(a is not b for a, b in zip(tensors(first), tensors(second), strict=True))
    assert ">>> " in (CASES[name].__doc__ or ""), f"no example in the docstring of {name}"


def calls(case: Any) -> list[tuple[Any, Any]]:
    """Return f and J by hand of every call."""
    if isinstance(case, Sequence):
        return [(call.f, call.jacobian) for call in case.calls]
    return [(case.f, getattr(case, "jacobian", None))]


class OneDevice(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch leaves it bare
    """Lets no operation take tensors of two devices, which some do where only one is a device."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        taken = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, Tensor)]
        assert len({part.device for part in taken}) <= 1, f"{func} takes tensors of two devices"
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
@pytest.mark.parametrize("name", CASES)
def test_takes_dtype_and_device_from_x(name: str, dtype: torch.dtype) -> None:
    case = CASES[name]()
    x = case.x if isinstance(case.x, tuple) else (case.x,)
    for f, _ in calls(case):
        leaves = [part.to("meta", dtype) for part in x]
        with OneDevice():
            y = f(*leaves)
        assert (y.dtype, y.device.type) == (dtype, "meta")


@pytest.mark.parametrize("name", [n for n in CASES if returned(CASES[n]) is not Refusal])
def test_the_jacobian_by_hand_holds_at_other_points_too(name: str) -> None:
    case = CASES[name]()
    if name in WITHOUT_JACOBIAN:
        assert case.jacobian is None
        return
    x = case.x.double() + 0.375 + torch.arange(case.x.numel()).reshape(case.x.shape) / 8
    for f, by_hand in calls(case):
        assert by_hand is not None, f"{name} has no Jacobian: derive it by hand, in NumPy"
        computed = jacobian(f, x)
        assert isinstance(computed, Tensor)
        given = by_hand(x.numpy())
        assert np.shape(given) == computed.shape
        np.testing.assert_allclose(given, computed.numpy(), rtol=1e-12)


def test_the_images_of_the_network_follow_the_dtype_of_its_parameters() -> None:
    net, images, _ = seeded(1)
    exact = network_scores().f(*(parameter.double() for parameter in net.parameters()))
    assert exact.dtype is torch.float64
    torch.testing.assert_close(exact.float(), net(images))


def test_building_the_network_leaves_the_random_state_alone() -> None:
    before = torch.random.get_rng_state()
    assert isinstance(seeded(1)[0], Net)
    assert torch.equal(torch.random.get_rng_state(), before)
