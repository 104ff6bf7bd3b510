"""Every operation the symbolic engine knows, against torch's own reverse mode in float64."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import Tensor

from vtj.engines import reverse
from vtj.engines.symbolic.derivation import jacobian
from vtj.engines.symbolic.errors import NotSymbolic, UnknownOperation
from vtj.engines.symbolic.no_formula import MOVES, PICKS, STEPS
from vtj.engines.symbolic.operations import COMPARISONS, FORMULAS, OTHERWISE

TWO = torch.tensor([0.75, 1.5], dtype=torch.float64)
THREE = torch.tensor([0.5, 2.0, -1.25], dtype=torch.float64)
SQUARE = torch.tensor([[1.0, 2.0], [-0.5, 3.0]], dtype=torch.float64)
W = torch.tensor([[1.0, -2.0], [0.5, 4.0], [3.0, 0.25]], dtype=torch.float64)
ROW = torch.tensor([1.0, -2.0, 0.5, 3.0], dtype=torch.float64)


def written(x: Tensor) -> Tensor:
    y = torch.empty(3)
    y[0] = 3 * x[0] ** 2
    y[1] = x[0] ** 2 + 2 * x[1] ** 3
    y[2] = 10 * x[1]
    return y


def nested(x: Tensor) -> Tensor:
    y = torch.zeros(2, 2, dtype=x.dtype)
    for i in range(2):
        for j in range(2):
            y[i, j] = x[i] * x[j] ** 2
    return y


def in_place(x: Tensor) -> Tensor:
    u = x.clone()
    u[1:].add_(u[0])
    u.mul_(2)
    return u


def emptied(x: Tensor) -> Tensor:
    u = x**2
    u[0].zero_()
    u[1].fill_(x[0])
    return u


def masked_write(x: Tensor) -> Tensor:
    u = x.clone()
    u[u > 1] = 0.0
    return u


def gradient_inside(x: Tensor) -> Tensor:
    leaf = x if x.requires_grad else x.clone().requires_grad_()
    return torch.autograd.grad(torch.tanh(leaf).prod(), leaf, create_graph=True)[0]


def images(x: Tensor) -> Tensor:
    return x.repeat(8)[None, None].reshape(1, 1, 4, 4)


TALL = torch.arange(1.0, 61.0, dtype=torch.float64).reshape(30, 2)
KERNEL = torch.arange(4.0, dtype=torch.float64).reshape(1, 1, 2, 2)

SMOOTH: dict[str, tuple[Callable[..., Any], Tensor]] = {
    "Python's sum": (sum, TWO),
    "mm": (lambda x: torch.mm(x, torch.ones(2, 4, dtype=x.dtype)), SQUARE),
    "item writes": (written, TWO),
    "nested item writes": (nested, TWO),
    "in-place views": (in_place, TWO),
    "fill and zero": (emptied, TWO),
    "masked write": (masked_write, TWO),
    "sigmoid(Wx)": (lambda x: torch.sigmoid(W @ x), TWO),
    "norms": (lambda x: torch.stack([x.norm(p) for p in (1, 2, 3, float("inf"))]), THREE),
    "einsum": (lambda x: torch.einsum("ij,j->i", W, x), TWO),
    "F.linear": (lambda x: F.linear(x, W, torch.ones(3, dtype=x.dtype)), TWO),
    "list index": (lambda x: x[[1, 0, 1]], TWO),
    "where": (lambda x: torch.where(x > 1, x**2, -x), TWO),
    "conv2d": (lambda x: F.conv2d(images(x), KERNEL, padding=1, stride=3), TWO),
    "max over a dimension": (lambda x: x.max(0).values, SQUARE),
    "max of a number": (lambda x: x[0].max(0).values, TWO),
    "topk": (lambda x: x.topk(2).values, THREE),
    "median": (lambda x: x.median(), THREE),
    "mode": (lambda x: x.mode(0).values, THREE),
    "cummax": (lambda x: x.cummax(0).values, THREE),
    "quantile": (lambda x: x.quantile(0.25), THREE),
    "solve": (lambda x: torch.linalg.solve(x, TWO), SQUARE),
    "trace": (torch.trace, SQUARE),
    "branch": (lambda x: 2 * x if x.sum() > 0 else x, TWO),
    "cross entropy": (lambda x: F.cross_entropy(x[None], torch.tensor([1])), THREE),
    "huber": (lambda x: F.huber_loss(x, torch.zeros_like(x)), THREE),
    "binary cross entropy": (
        lambda x: F.binary_cross_entropy_with_logits(x, torch.ones_like(x)),
        THREE,
    ),
    "gelu": (F.gelu, TWO),
    "elu": (F.elu, THREE),
    "leaky_relu": (F.leaky_relu, THREE),
    "hardswish": (F.hardswish, torch.tensor([-3.0, -1.0, 3.0], dtype=torch.float64)),
    "hardtanh": (F.hardtanh, torch.tensor([-1.0, 0.5, 1.0], dtype=torch.float64)),
    "hardtanh in place": (lambda x: F.hardtanh(2 * x, inplace=True), THREE),
    "log|x|, far apart": (lambda x: x.abs().sort().values ** 3, 0.001 * THREE * torch.eye(3)[0]),
    "layer_norm": (lambda x: F.layer_norm(x, (3,)), THREE),
    "index_fill": (lambda x: x.index_fill(0, torch.tensor([0]), 2.0), TWO),
    "scatter": (lambda x: x.scatter(0, torch.tensor([1]), x[:1] * 2), TWO),
    "index_add": (lambda x: x.index_add(0, torch.tensor([0, 0]), x), TWO),
    "gather": (lambda x: x.gather(0, torch.tensor([1, 1])), TWO),
    "flip, roll, repeat": (lambda x: x.flip(0).roll(1).repeat(2), THREE),
    "pad": (lambda x: F.pad(x, (1, 1), value=0.5), TWO),
    "reflect": (lambda x: F.pad(x[None], (1, 1), mode="reflect"), THREE),
    "avg_pool2d, oblong": (lambda x: F.avg_pool2d(images(x), (2, 4), stride=(1, 4)), TWO),
    "max_pool1d": (lambda x: F.max_pool1d(x[None], 2), THREE),
    "max_pool1d, padded": (lambda x: F.max_pool1d(x[None] - 3, 2, padding=1), THREE),
    "max_pool2d, oblong": (lambda x: F.max_pool2d(images(x), (2, 3), stride=(1, 2)), TWO),
    "max_pool2d, dilated": (lambda x: F.max_pool2d(images(x), 2, dilation=(1, 3)), TWO),
    "max_pool2d, equal elements": (lambda x: F.max_pool2d(images(x) * 0 + x[0], 2), TWO),
    "division with rounding": (
        lambda x: x * torch.div(x, 0.375, rounding_mode="floor"),
        THREE,
    ),
    "logical functions": (lambda x: torch.where((x > 0) & (x < 1), x, x**2), TWO),
    "lerp": (lambda x: torch.lerp(x, x**2, 0.5), TWO),
    "dropout": (lambda x: F.dropout(x, 0.5), ROW),
    "random numbers of x's shape": (lambda x: x * torch.rand_like(x), TWO),
    "gradient inside": (gradient_inside, TWO),
    "vmap": (lambda x: torch.vmap(lambda a: a**3)(x), TWO),
    "bfloat16 inside": (lambda x: (2 * x.bfloat16()).double(), TWO),
    "constants beyond fractions": (lambda x: 0.123456789 * x, TWO),
    "indices": (lambda x: x[x.nonzero()[:, 0]] + x[x.argmax()], TWO),
    "attention": (
        lambda x: F.scaled_dot_product_attention(x[None], x[None], x[None, :, :1]),
        SQUARE,
    ),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_gives_the_jacobian_that_reverse_mode_gives(name: str) -> None:
    f, x = SMOOTH[name]
    torch.manual_seed(0)
    given = reverse.jacobian(lambda x: _seeded(f, x), x)
    torch.testing.assert_close(jacobian(f, x), given.double(), rtol=1e-9, atol=1e-12)


def test_is_more_exact_than_the_backward_of_hardsigmoid() -> None:
    x = torch.tensor([-3.0, -1.0, 3.0], dtype=torch.float64)
    assert jacobian(F.hardsigmoid, x).diag().tolist() == [0, 1 / 6, 0]
    assert reverse.jacobian(F.hardsigmoid, x)[1, 1].item() == torch.tensor(1 / 6).item()  # float32


def _seeded(f: Callable[..., Any], x: Tensor) -> Any:
    torch.manual_seed(0)
    return f(x)


def test_every_operation_of_the_tables_is_one_of_torch() -> None:
    names = {*FORMULAS, *OTHERWISE, *COMPARISONS, *MOVES, *STEPS, *PICKS}
    unknown = [
        name
        for name in names
        if not hasattr(torch.ops.aten, name.split(".")[0])
        and not hasattr(torch.ops.prims, name.split(".")[0])
    ]
    assert unknown == []


@pytest.mark.parametrize(
    ("f", "x", "named"),
    [
        (lambda x: torch.sparse.mm(torch.eye(2).double().to_sparse(), x), SQUARE, "aten._sparse"),
        (lambda x: torch.linalg.svdvals(x), SQUARE, "aten._linalg_svd"),
        (
            lambda x: F.conv_transpose1d(x[None, None], ROW.reshape(1, 2, 2)),
            THREE,
            "aten.convolution.default (transposed convolution)",
        ),
        (
            lambda x: F.avg_pool2d(images(x), 2, ceil_mode=True),
            TWO,
            "aten.avg_pool2d.default (only plain average pooling)",
        ),
        (lambda x: torch.linalg.inv(x), torch.eye(4), "written out for at most 3 rows"),
        (lambda x: torch._foreach_mul([x], 2.0)[0], TWO, "aten._foreach_mul.Scalar"),
        (lambda x: x.view(torch.float32)[:2] * 1.0, TWO, "read again as torch.float32"),
    ],
)
def test_refuses_an_unknown_operation_by_name(f: Callable[..., Any], x: Tensor, named: str) -> None:
    with pytest.raises(UnknownOperation) as caught:
        jacobian(f, x)
    assert named in str(caught.value)
    assert str(caught.value).startswith(f"no formula is known for {caught.value.name}")


@pytest.mark.parametrize(
    "f",
    [
        lambda x: ((TALL @ x).tanh() @ TALL @ TALL.mT).tanh().sum(),
        lambda x: F.layer_norm((TALL @ x).tanh(), (30,)).sum(),
    ],
    ids=["written out", "made unreadable by a decomposition"],
)
def test_refuses_formulas_that_nobody_could_read(f: Callable[..., Any]) -> None:
    with pytest.raises(NotSymbolic, match="grow beyond 3000 terms"):
        jacobian(f, TWO)


def test_refuses_a_custom_operation_named_like_one_of_torch() -> None:
    @torch.library.custom_op("vtj_tests::mul", mutates_args=())
    def mul(x: Tensor) -> Tensor:
        return 2 * x

    with pytest.raises(UnknownOperation, match=r"vtj_tests\.mul\.default"):
        jacobian(mul, TWO)
