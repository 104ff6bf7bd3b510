"""What every worked example promises: its x, v and y, and a J that holds everywhere."""

import inspect
import pkgutil
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

import vtj.examples
from vtj import Example, Refusal, Sequence, jacobian


class Shown(NamedTuple):
    """What a page shows of one call: the numbers of x, v and y; None where v is omitted."""

    x: Any
    v: Any
    y: Any


class Step(NamedTuple):
    """One of several calls: v, y, where the leaf is moved to before it, if `.grad` is cleared."""

    v: Any
    y: Any
    x: Any = None
    clear: bool = False


COUNTING = np.arange(720.0 * 720.0).reshape(720, 720)
PIXELS = COUNTING % 7
ROW, DOUBLED = [[1.0, 2.0, 3.0, 4.0]], [[2.0, 4.0, 6.0, 8.0]]
EIGHT = [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]
TENS = [1.0, 10.0, 100.0]
WEIGHTS = [1.0, 10.0, 100.0, 1000.0]

EXAMPLES = {
    "samples_as_batch": Shown([1.0, -1.0, 2.0], [1.0] * 4, [16.0, 9.0, 4.0, 4.0]),
    "elementwise_ones": Shown([1.0, 2.0], [1.0, 1.0], [3.0, 12.0]),
    "elementwise_weights": Shown([1.0, 2.0], [1.0, 10.0], [3.0, 12.0]),
    "image_itself": Shown(PIXELS, COUNTING % 5, PIXELS),
    "image_squared": Shown(PIXELS, COUNTING % 5, PIXELS**2),
    "image_loss": Shown(PIXELS, None, (PIXELS**2).sum()),
    "matrix_product": Shown([[1.0] * 3] * 2, EIGHT, [[3.0] * 4] * 2),
    "distinct_matrix_product": Shown(
        [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
        EIGHT,
        [[32.0, 38.0, 44.0, 50.0], [68.0, 83.0, 98.0, 113.0]],
    ),
    "running_sum": Shown([1.0, 2.0, 3.0], TENS, [1.0, 3.0, 6.0]),
    "softmax_ones": Shown([3.0, 3.0], [1.0, 1.0], [0.5, 0.5]),
    "softmax_weights": Shown([3.0, 3.0], [1.0, 9.0], [0.5, 0.5]),
    "second_stage": Shown([2.0, 3.0, 4.0], [1.0, 10.0], [8.0, 12.0]),
    "first_stage": Shown([1.0, 2.0], [1.0, 42.0, 30.0], [2.0, 3.0, 4.0]),
    "both_stages": Shown([1.0, 2.0], [1.0, 10.0], [8.0, 12.0]),
    "square": Shown(1.0, None, 1.0),
    "square_weighted": Shown(1.0, 100.0, 1.0),
    "total": Shown([1.0, 2.0], None, 3.0),
    "total_weighted": Shown([1.0, 2.0], 100.0, 3.0),
    "three_outputs": Shown([1.0, 2.0], TENS, [3.0, 17.0, 20.0]),
    "three_outputs_stacked": Shown([1.0, 2.0], TENS, [3.0, 17.0, 20.0]),
    "summed_vector": Shown(1.0, 1111.0, 1.0),
    "expanded_output": Shown(1.0, WEIGHTS, [1.0] * 4),
    "expanded_sum": Shown([1.0, 2.0], WEIGHTS, [3.0] * 4),
    "first_row": Shown(ROW, [[1.0, 0.0, 0.0, 0.0]], DOUBLED),
    "second_row": Shown(ROW, [[0.0, 1.0, 0.0, 0.0]], DOUBLED),
    "every_row": Shown(ROW, [[1.0] * 4], DOUBLED),
    "one_element_loss": Shown(ROW, None, [20.0]),
    "dot_product": Shown([1.0, 2.0], None, 2173.0),
}
REFUSALS = {
    "omitted_gradient": Shown([1.0, 2.0], None, [3.0, 12.0]),
    "untracked_image": Shown(PIXELS, np.ones((720, 720)), PIXELS),
    "image_without_gradient": Shown(PIXELS, None, PIXELS),
    "square_gradient": Shown([[1.0] * 3] * 2, [[1.0] * 4] * 4, [[3.0] * 4] * 2),
    "vector_for_square": Shown(1.0, WEIGHTS, 1.0),
    "vector_for_sum": Shown([1.0, 2.0], WEIGHTS, 3.0),
    "one_element_gradient": Shown(ROW, [1.0], 20.0),
}
SEQUENCES: dict[str, tuple[Any, list[Step]]] = {
    "calls_without_clearing": (
        ROW,
        [
            Step([[1.0, 0.0, 0.0, 0.0]], DOUBLED),
            Step([[0.0, 1.0, 0.0, 0.0]], DOUBLED),
            Step([[1.0] * 4], DOUBLED),
            Step(None, [20.0]),
        ],
    ),
    "samples_one_by_one": ([1.0, -1.0, 2.0], [Step(None, y) for y in (16.0, 9.0, 4.0, 4.0)]),
    "reused_gradient": (1.0, [Step(None, 1.0), Step(None, 0.25, x=0.5)]),
    "cleared_gradient": (1.0, [Step(None, 1.0), Step(None, 0.25, x=0.5, clear=True)]),
    "loop_over_square": (1.0, [Step(v, 1.0) for v in WEIGHTS]),
    "loop_over_sum": ([1.0, 2.0], [Step(v, 3.0) for v in WEIGHTS]),
    "batched_gradients": (1.0, [Step(v, 1.0, clear=True) for v in WEIGHTS]),
}
NETWORKS = {"network_scores", "flat_gradient", "network_batch", "network_loss"}
"""Their x are ten tensors of random numbers; `tests/examples/test_network.py` looks at them."""
WITHOUT_JACOBIAN = {"image_itself", "image_squared", "image_loss"}

CASES: dict[str, Any] = {
    name: build
    for idea in pkgutil.iter_modules(vtj.examples.__path__)
    for name, build in vars(import_module(f"vtj.examples.{idea.name}")).items()
    if inspect.isfunction(build)
    and build.__module__ == f"vtj.examples.{idea.name}"
    and inspect.signature(build).return_annotation in (Example, Refusal, Sequence)
    and not inspect.signature(build).parameters
}


def calls(case: Any) -> list[tuple[Any, Any]]:
    """Return f and J by hand of every call."""
    if isinstance(case, Sequence):
        return [(call.f, call.jacobian) for call in case.calls]
    return [(case.f, getattr(case, "jacobian", None))]


def assert_shown(value: Any, numbers: Any) -> None:
    if numbers is None:
        assert value is None
    else:
        expected = torch.tensor(numbers, dtype=torch.float32)
        torch.testing.assert_close(value, expected, rtol=0, atol=0)


def test_every_example_is_looked_at() -> None:
    named = {*EXAMPLES, *REFUSALS, *SEQUENCES, *NETWORKS}
    for name in CASES:
        assert name in named, f"{name}: add the x, v and y that its page shows to a table above"
    assert named == set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_has_its_builders_name(name: str) -> None:
    assert CASES[name]().name == name


@pytest.mark.parametrize("name", [*EXAMPLES, *REFUSALS])
def test_x_v_and_y_are_those_that_its_page_shows(name: str) -> None:
    case, shown = CASES[name](), {**EXAMPLES, **REFUSALS}[name]
    assert isinstance(case, Example if name in EXAMPLES else Refusal)
    assert_shown(case.x, shown.x)
    assert_shown(case.v, shown.v)
    assert_shown(case.f(case.x), shown.y)


@pytest.mark.parametrize("name", SEQUENCES)
def test_every_call_is_the_one_that_its_page_shows(name: str) -> None:
    case, (start, steps) = CASES[name](), SEQUENCES[name]
    assert_shown(case.x, start)
    x = case.x
    for call, step in zip(case.calls, steps, strict=True):
        assert_shown(call.v, step.v)
        assert_shown(call.x, step.x)
        x = x if call.x is None else call.x
        assert_shown(call.f(x), step.y)
        assert call.clear is step.clear


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


@pytest.mark.parametrize("name", {**EXAMPLES, **SEQUENCES})
def test_the_jacobian_by_hand_holds_at_other_points_too(name: str) -> None:
    case = CASES[name]()
    away = 0.375 + torch.arange(case.x.numel()).reshape(case.x.shape) / 8
    x = case.x.double() + away
    for f, by_hand in calls(case):
        assert (by_hand is None) == (name in WITHOUT_JACOBIAN)
        if by_hand is not None:
            computed = jacobian(f, x)
            assert isinstance(computed, Tensor)
            assert computed.shape == (*f(x).shape, *x.shape)
            given = by_hand(x.numpy())
            assert np.shape(given) == computed.shape
            np.testing.assert_allclose(given, computed.numpy(), rtol=1e-12)
