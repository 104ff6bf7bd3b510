"""Right functions that rounding makes hard to judge: never called wrong, correct if it shows."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

import vtj
from tests.vtj.random_functions import drawn
from tests.zoo.bug import custom

F64 = torch.float64


def _normal(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=F64)


def _one(x: float) -> Tensor:
    return torch.tensor([x], dtype=F64)


generator = torch.Generator().manual_seed(0)
W = torch.randn(50, 50, generator=generator, dtype=F64)
X50 = torch.randn(50, generator=generator, dtype=F64)
A = _normal(4, 4, seed=7)
torch.manual_seed(0)
# their parameters are held: x does not hold them, and unchecked ones are undecided
ATTENTION = nn.MultiheadAttention(8, 2).double().requires_grad_(False)
LSTM = nn.LSTM(4, 5).double().requires_grad_(False)
NORM = nn.BatchNorm1d(4).double().requires_grad_(False)
torch.manual_seed(0)
ENCODER = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 4, 0.0, batch_first=True), 2)
ENCODER.double().requires_grad_(False)
BIAS = "layers.1.self_attn.in_proj_bias"
BESIDE = torch.randn(1, 2, 4).double()


def r_of(x: Tensor) -> Tensor:
    """R of a QR: zero below its diagonal, where backward leaves its own rounding."""
    return torch.linalg.qr(x).R


def r_backward(x: tuple[Tensor], g: Tensor) -> Tensor:
    """Torch's own, without a forward pass beside it."""
    with torch.enable_grad():
        leaf = x[0].detach().requires_grad_()
        return torch.autograd.grad(r_of(leaf), leaf, g)[0]


def attend(x: Tensor, w: Tensor) -> Tensor:
    """Attention of rows to each other, with a matrix between queries and keys."""
    return (x @ w @ x.T / 2).softmax(-1) @ x


def attention_backward(x: tuple[Tensor, Tensor], g: Tensor) -> tuple[Tensor, ...]:
    """Torch's own, without a forward pass beside it."""
    with torch.enable_grad():
        leaves = [part.detach().requires_grad_() for part in x]
        return torch.autograd.grad(attend(*leaves), leaves, g)


@torch.library.custom_op("vtj_tests::square", mutates_args=())
def square_op(x: Tensor) -> Tensor:
    """Square, as a custom op, through which torch.func.jvp gives zeros without a word."""
    return x * x


@torch.library.custom_op("vtj_tests::wrong_square", mutates_args=())
def wrong_square_op(x: Tensor) -> Tensor:
    """Square with a backward that is half as large again."""
    return x * x


def _saved(ctx: Any, inputs: Any, output: Any) -> None:
    ctx.save_for_backward(*inputs)


square_op.register_autograd(lambda ctx, g: 2 * ctx.saved_tensors[0] * g, setup_context=_saved)
wrong_square_op.register_autograd(lambda ctx, g: 3 * ctx.saved_tensors[0] * g, setup_context=_saved)


def product(x: Tensor) -> Tensor:
    """Multiply by way of scatter_reduce, whose forward derivative torch leaves out."""
    places = torch.arange(x.numel()) % 2
    return x.new_ones(2).scatter_reduce(0, places, x, "prod")


def sparsemax(x: Tensor) -> Tensor:
    """Return the point of the simplex that is nearest to x."""
    falling = x.sort(descending=True).values
    beyond = falling.cumsum(0) - 1
    count = (torch.arange(1, x.numel() + 1).to(x) * falling > beyond).sum()
    return (x - beyond[count - 1] / count).clamp(min=0)


def sparsemax_backward(x: tuple[Tensor], g: Tensor) -> Tensor:
    """Return the gradient of sparsemax."""
    support = (sparsemax(x[0]) > 0).to(g)
    return support * (g - (g * support).sum() / support.sum())


class SquareAndMean(torch.autograd.Function):
    """A square, beside a mean that is declared to have no gradient."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> tuple[Tensor, Tensor]:
        mean = x.mean()
        ctx.save_for_backward(x)
        ctx.mark_non_differentiable(mean)
        return x**2, mean

    @staticmethod
    def backward(ctx: Any, g: Tensor, _: Tensor) -> Tensor:
        return 2 * ctx.saved_tensors[0] * g


class Largest(torch.autograd.Function):
    """The largest element and where it is; a 0-d gradient times a float32 matrix is float32."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> tuple[Tensor, Tensor]:
        value, index = x.max(0)
        ctx.save_for_backward(index)
        ctx.length = len(x)
        ctx.mark_non_differentiable(index)
        return value, index

    @staticmethod
    def backward(ctx: Any, g: Tensor, _: Tensor) -> Tensor:
        return g * torch.eye(ctx.length)[ctx.saved_tensors[0]]


HARD_SIGMOID = custom(
    lambda x: (x / 6 + 0.5).clamp(0, 1), lambda x, g: g * (x[0].abs() < 3).to(g) / 6
)
HARD_SWISH = custom(
    lambda x: x * (x + 3).clamp(0, 6) / 6,
    lambda x, g: g * torch.where(x[0] < -3, 0, torch.where(x[0] > 3, 1, x[0] / 3 + 0.5)),
)
CORRECT: dict[str, tuple[Callable[..., Any], Any]] = {
    "a custom op": (square_op, X50[:3]),
    "a custom op beside x": (lambda x: square_op(x) + x, X50[:3]),
    "a product that forward mode leaves out": (product, X50[:5]),
    "the same beside x": (lambda x: product(x) + x[0], X50[:5]),
    "a 0-d gradient times a float32 matrix": (lambda x: Largest.apply(x)[0], X50[:3]),
    "a mean marked non-differentiable": (SquareAndMean.apply, X50[:3]),
    "a mean that torch gives no gradient": (
        lambda x: torch.native_layer_norm(x, [3], None, None, 1e-5),
        X50[:3],
    ),
    "a hard sigmoid, flat beside its kink": (HARD_SIGMOID, torch.tensor([1.0, -3.1])),
    "a hard swish, flat nearer to its kink": (HARD_SWISH, torch.tensor([1.0, -3.001])),
    "sparsemax": (custom(sparsemax, sparsemax_backward), torch.tensor([0.5, 0.3, -1.0, -0.15])),
    "terms that cancel": (
        lambda x: torch.sin(1e-6 * torch.erf(x)).sum(),
        torch.tensor([-3.0, 50.0], dtype=F64),
    ),
    "gelu where it is flat": (lambda x: functional.gelu(W @ x), X50),
    "steep tanh": (lambda x: torch.tanh(W @ torch.tanh(W @ torch.tanh(W @ x))), X50),
    "large sums, float32": (lambda x: W.float() @ (W.float() @ (W.float() @ x)), X50.float()),
    "gelu, float32": (lambda x: functional.gelu(W.float() @ x), X50.float()),
    "a term that leaps": (lambda x: x**2 + ((x + 1e12) - 1e12), X50[:3]),
    "layer norm": (lambda x: functional.layer_norm(x, x.shape), X50),
    "a term that leaps, at 0.3": (lambda x: (x + 1e12) - 1e12, _one(0.3)),
    "a term that leaps wider": (lambda x: x**2 + ((x + 1e13) - 1e13), _one(0.3)),
    "a steep tanh beside x": (lambda x: x + torch.tanh(1e5 * (x - 1)), _one(1.0)),
    "a fast sine without a forward formula": (
        custom(lambda x: torch.sin(1e5 * x), lambda x, g: 1e5 * torch.cos(1e5 * x[0]) * g),
        _one(1.0),
    ),
    "R of a wide QR": (custom(r_of, r_backward), _normal(3, 5)),
    "exp without a forward formula": (custom(torch.exp, lambda x, g: x[0].exp() * g), _one(1e-12)),
    "a sum that is always zero": (lambda x: functional.layer_norm(x, x.shape).sum(), X50[:5]),
    "correlations of two columns, each one or minus one": (
        torch.corrcoef,
        torch.tensor([[5.3, 2.1], [0.5, 5.0], [-3.6, -1.3]], dtype=F64),
    ),
    "a sum that is always one": (lambda x: x.softmax(0).sum(), X50),
    "softmax, large logits": (lambda x: (1000 * x).softmax(0), X50),
    "flat, and zero": (lambda x: torch.log1p(x**2), torch.tensor([0.0])),
    "softmax, far logits": (
        lambda x: (x / 3 * 5).softmax(0),
        torch.tensor([0.0, 300.0, 430.0], dtype=F64),
    ),
    "log_softmax, large logits": (lambda x: (30 * x).log_softmax(0), X50[:5]),
    "logsumexp": (lambda x: torch.logsumexp(20 * x, 0), X50),
    "cumprod": (lambda x: x.cumprod(0), X50),
    "sort": (lambda x: x.sort().values, X50),
    "median with a tie": (torch.median, torch.tensor([1.0, 1.0, 0.0, 2.0])),
    "a jump in slope that grows": (lambda x: torch.relu(x) + x.abs() ** 3, torch.tensor([0.0])),
    "norm at 0": (torch.norm, torch.zeros(3)),
    "variance far from 0": (lambda x: (x + 1e4).var(), X50[:5]),
    "sin² + cos²": (lambda x: x.sin() ** 2 + x.cos() ** 2, X50[:5]),
    "x to the x": (lambda x: x.abs() ** x.abs(), X50),
    "atan2": (lambda x: torch.atan2(x, x.roll(1) + 0.1), X50),
    "lgamma": (torch.lgamma, X50),
    "Bessel": (torch.special.i0, X50),
    "fft": (lambda x: torch.fft.rfft(x).abs(), X50),
    "qr": (lambda x: torch.linalg.qr(x)[1], A),
    "svd": (torch.linalg.svdvals, A),
    "cholesky": (lambda x: torch.linalg.cholesky(x @ x.T + torch.eye(4).to(x)), A),
    "inverse": (torch.linalg.inv, A),
    "det": (torch.linalg.det, A),
    "interpolate": (
        lambda x: functional.interpolate(x, scale_factor=1.7, mode="bilinear"),
        _normal(1, 1, 5, 5),
    ),
    "attention": (lambda x: ATTENTION(x, x, x)[0], _normal(4, 1, 8)),
    # rows of J round otherwise than one backward does
    "attention to one row, all but": (
        custom(attend, attention_backward),
        (6 * _normal(3, 2, seed=55), _normal(2, 2, seed=56)),
    ),
    "the bias of an encoder's keys, which has no slope": (
        lambda bias: torch.func.functional_call(ENCODER, {BIAS: bias}, (BESIDE,)),
        ENCODER.get_parameter(BIAS).detach(),
    ),
    "orthogonal columns, whose slope is in places rounding": (
        torch.linalg.householder_product,
        (_normal(1, 6, 5, seed=1), _normal(1, 5, seed=51)),
    ),
    "an inverse whose forward formula is wrong in torch": (
        lambda x: torch.cholesky_inverse(x.tril()),
        torch.linalg.cholesky(A @ A.T + torch.eye(4).to(A)),
    ),
    "bfloat16": (lambda x: x.bfloat16(), _normal(2, 3)),
    "rounded to three decimals": (lambda x: x.round(decimals=3), 4 * _normal(20)),
    "low stairs beside a curve": (lambda x: x**2 + (100 * x).floor() / 100, _one(10.5077)),
    "right before a leap": (
        lambda x: x.round(decimals=2) + x.sin(),
        torch.tensor([-87.00494707718511, -67.03063791085555], dtype=F64),
    ),
    "steep stairs": (
        lambda x: (515.217431400392 * x).floor(),
        torch.tensor([-47.52284454887946, -87.97486355104994], dtype=F64),
    ),
    "LSTM": (lambda x: LSTM(x)[0], _normal(4, 1, 4)),
    "batch norm": (NORM, _normal(5, 4)),
    "cross entropy": (
        lambda x: functional.cross_entropy(100 * x, torch.tensor([0, 2, 1, 4, 3])),
        _normal(5, 6),
    ),
    "embedding": (lambda w: functional.embedding(torch.tensor([0, 2, 2]), w), _normal(4, 3)),
    "elements that are positive, near 0": (
        lambda x: x[x > 0] ** 2,
        torch.tensor([2.0, -0.3, 1e-3]),
    ),
    "elements of which a wide step takes one": (
        lambda x: x[x > 0.9] ** 2,
        torch.tensor([1.0, 2.0]),
    ),
    "scatter": (
        lambda x: x.new_zeros(5).scatter_add(0, torch.tensor([0, 1, 1, 4]), x),
        _normal(4),
    ),
    # far out, the last digits of 1 are all that is left of y
    "the tail of a gelu": (
        lambda x: x * (1 + torch.erf(x / 2**0.5)) / 2,
        torch.tensor([-8.24, 0.3], dtype=F64),
    ),
    "the tail of a gelu, behind a shift": (
        lambda x: functional.gelu(x - 8),
        torch.tensor([0.6614, 0.2669, 0.0617], dtype=F64),
    ),
    "the tail of a softplus": (
        lambda x: torch.log(1 + torch.exp(-x)),
        torch.tensor([33.38, 0.3], dtype=F64),
    ),
}
# `certify` is undecided of these: beside their noise an error as large as their gradient would not
# show, and x has more elements than it looks at one by one. In float64 it would.
CURED: dict[str, Callable[..., Any]] = {
    "large sums, float32": lambda x: W @ (W @ (W @ x)),
    "gelu, float32": lambda x: functional.gelu(W @ x),
}
NOT_WRONG: dict[str, tuple[Callable[..., Any], Any]] = {
    "a slope rounded away, without a forward formula": (
        custom(lambda x: (1 + 1e-20 * x) - 1, lambda x, g: 1e-20 * g),
        X50[:2],
    ),
    "digamma, good to nine digits in torch": (torch.digamma, torch.tensor([0.7, 1.3])),
    "logcumsumexp, whose jvp is good to ten": (lambda x: x.logcumsumexp(0), X50),
    "infinite slope": (torch.sqrt, torch.tensor([0.0, 1.0])),
    "not a number": (lambda x: torch.xlogy(x, x), torch.tensor([0.0, 1.0])),
    "kinks that cancel": (lambda x: torch.relu(x) - torch.relu(-x), torch.tensor([0.0, 1.0])),
    "kinks that cancel, on a curve": (
        lambda x: 1e-3 * (torch.relu(x - 1) - torch.relu(1 - x)) + x**2,
        torch.tensor([1.0], dtype=F64),
    ),
    "a jump at x": (lambda x: torch.where(x > 1, x**2 + 3, x), torch.tensor([1.0, 2.0])),
    "stairs, where one begins": (lambda x: x**2 + (100 * x).floor() / 100, _one(3.2)),
    "a wave that differences cannot follow": (
        lambda x: x + 1e-3 * torch.sin(1e12 * x),
        torch.tensor([1.0, 2.0], dtype=F64),
    ),
    "beyond all digits": (lambda x: torch.sin(x**9), torch.tensor([50.0], dtype=F64)),
    "saturated, float32": (
        lambda x: torch.tanh(W.float() @ torch.tanh(W.float() @ torch.tanh(W.float() @ x))),
        X50.float(),
    ),
    "softmax of sums, float32": (lambda x: (W.float() @ x).softmax(0), X50.float()),
    "a nearly singular inverse": (
        torch.linalg.inv,
        1 / (torch.arange(6.0)[:, None] + torch.arange(6.0) + 1).double(),
    ),
}
FOUND_BY_DRAWING = (
    225, 265, 351, 679, 729, 904, 1107, 2583, 2797, 3562, 4010,
    5744, 6737, 12369, 14883, 17067, 20690, 121235, 123536, 205567,
)  # fmt: skip


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
@pytest.mark.parametrize("name", CORRECT)
def test_is_correct(name: str, verify: Callable[..., vtj.Report]) -> None:
    f, x = CORRECT[name]
    if verify is vtj.certify and name in CURED:
        report = verify(f, x)
        assert report.verdict == "undecided", str(report)
        assert "in an entry of J would not show" in report.findings[0]
        f = CURED[name]
    report = verify(f, x)
    assert report, str(report)
    assert "vmap rule is wrong" not in str(report)


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
@pytest.mark.parametrize("name", NOT_WRONG)
def test_is_not_wrong(name: str, verify: Callable[..., vtj.Report]) -> None:
    report = verify(*NOT_WRONG[name])
    assert report.verdict != "wrong", str(report)


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
@pytest.mark.parametrize("seed", FOUND_BY_DRAWING)
def test_drawn_function_once_called_wrong(seed: int, verify: Callable[..., vtj.Report]) -> None:
    f = drawn(seed)
    report = verify(f, f.x)
    assert report.verdict != "wrong", str(report)


DETACHED: dict[str, Callable[[Tensor], Tensor]] = {
    "bfloat16": lambda x: (x.detach().bfloat16() * 3).float(),
    "oscillates beyond all digits": lambda x: torch.sin(1e15 * x.detach()),
    "oscillates beside what is seen": lambda x: x + torch.sin(1e15 * x.detach()),
    "nan": lambda x: x.detach() * torch.nan,
}


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
@pytest.mark.parametrize("name", DETACHED)
def test_what_is_detached_is_never_correct(name: str, verify: Callable[..., vtj.Report]) -> None:
    """Backward and forward both pass by it, so that the two are no witnesses for each other."""
    report = verify(DETACHED[name], torch.tensor([1.0, 2.0]))
    assert report.verdict == "undecided", str(report)


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
@pytest.mark.parametrize("size", [1e-15, 1e-13])
def test_a_detached_path_is_seen_however_small_all_is(
    size: float, verify: Callable[..., vtj.Report]
) -> None:
    report = verify(
        lambda x: size * (torch.sin(x) + 0.5 * x.detach()), torch.tensor([0.3, 1.2], dtype=F64)
    )
    assert (report.verdict, report.culprit) == ("wrong", "f"), str(report)


class SingleSum(torch.autograd.Function):
    """A softmax whose sum is float32, and a backward that is right, or times a factor."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, factor: float) -> Tensor:
        y = (x.exp() / x.exp().sum(-1, keepdim=True).float()).to(x.dtype)
        ctx.save_for_backward(y)
        ctx.factor = factor
        return y

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor, None]:
        (y,) = ctx.saved_tensors
        return ctx.factor * y * (g - (g * y).sum(-1, keepdim=True)), None


@pytest.mark.parametrize("shape", [(2,), (5,), (3, 4)], ids=str)
@pytest.mark.parametrize("seed", range(20))
def test_a_softmax_whose_sum_is_float32_is_right_or_wrong(
    seed: int, shape: tuple[int, ...]
) -> None:
    """Over fine steps that sum stands still, and the slope of what is left is another."""
    x = _normal(*shape, seed=seed)
    assert vtj.certify(lambda x: SingleSum.apply(x, 1.0), x)
    x += 0.1 * x.sign()  # nearer to 0 the differences are too rough for single entries
    right = vtj.check(lambda x: SingleSum.apply(x, 1.0), x)
    assert right, str(right)
    for verify in (vtj.check, vtj.certify):
        wrong = verify(lambda x: SingleSum.apply(x, 1.01), x)
        assert (wrong.verdict, wrong.culprit) == ("wrong", "backward"), str(wrong)


def off_by_chance(part: float, dtype: torch.dtype = F64) -> Callable[..., Any]:
    """Return a sine whose backward is off by another number at every call."""
    chance = torch.Generator().manual_seed(6)

    def backward(x: tuple[Tensor], g: Tensor) -> Tensor:
        return g * x[0].cos() + (part * torch.rand(1, generator=chance, dtype=F64)).to(g)

    sine = custom(torch.sin, backward)
    return lambda x: sine(x.to(dtype))


ROUND_TIP = custom(lambda x: torch.hypot(x, torch.tensor(1e-4).to(x)), lambda x, g: 0.5 * g)


OFF_BY_CHANCE = [(1e-3, F64), (1e-6, F64), (1e-8, F64), (3.0, torch.float16)]


@pytest.mark.parametrize(("part", "dtype"), OFF_BY_CHANCE)
def test_what_is_off_by_chance_is_no_rounding(part: float, dtype: torch.dtype) -> None:
    assert vtj.certify(off_by_chance(part, dtype), torch.tensor([0.3])).verdict == "wrong"


def test_a_round_tip_is_no_kink_that_excuses_a_wrong_slope() -> None:
    assert vtj.check(ROUND_TIP, torch.zeros(1)).verdict == "undecided"


WAVES: dict[str, tuple[Callable[[Tensor], Tensor], Tensor]] = {
    "fast": (lambda x: torch.sin(1e8 * x.detach()), torch.tensor([1.0, 2.0])),
    "small, beside x": (lambda x: x + torch.sin(100 * x.detach()) / 100, _one(0.0)),
    "smaller, beside x": (lambda x: x + 1e-3 * torch.sin(1e3 * x.detach()), _one(0.3)),
    "stairs that steps of 1 and 1/2 cross alike": (
        lambda x: x + (x.floor() - x).detach(),
        _one(3.6),
    ),
    "stairs that are narrow beside x": (lambda x: x + (x.floor() - x).detach(), _one(100.6)),
    "narrower stairs": (lambda x: x + (x.round() - x).detach(), _one(1000.7)),
    "lower stairs, beside x": (lambda x: x + 1e-2 * (x.floor() - x).detach(), _one(3.6)),
}


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
@pytest.mark.parametrize("name", WAVES)
def test_a_detached_wave_is_resolved(name: str, verify: Callable[..., vtj.Report]) -> None:
    report = verify(*WAVES[name])
    assert (report.verdict, report.culprit) == ("wrong", "f"), str(report)


def test_differences_agree_at_a_jump() -> None:
    """Powers of two step over it; the numbers in `differences` say which need it."""
    assert vtj.check(*NOT_WRONG["a jump at x"])


WRONG: dict[str, tuple[Callable[..., vtj.Report], Callable[..., Any], Any, Tensor]] = {
    "a narrow tip on a slope": (
        vtj.check,
        lambda x: torch.hypot(x, torch.tensor(1e-6).to(x)) + 10 * x,
        lambda x, g: 10.5 * g,
        _one(0.0),
    ),
    "a square, by a factor of 1 + 1e-8": (
        vtj.certify,
        torch.square,
        lambda x, g: 2 * (1 + 1e-8) * x[0] * g,
        _one(0.6),
    ),
    "a hard sigmoid that goes on beyond its kink": (
        vtj.check,
        lambda x: (x / 6 + 0.5).clamp(0, 1),
        lambda x, g: g * (x[0].abs() < 4).to(g) / 6,
        torch.tensor([1.0, -3.1]),
    ),
    "a sum of large terms called flat": (
        vtj.check,
        lambda x: (x + 1e10) - 1e10,
        lambda x, g: 0 * g,
        _one(0.3),
    ),
    "exp near 0": (vtj.certify, torch.exp, lambda x, g: 1.001 * x[0].exp() * g, _one(1e-9)),
    "v times its size, in float16": (
        vtj.check,
        lambda x: x.half().sin(),
        lambda x, g: (g * g.abs()).to(x[0]) * x[0].cos(),
        torch.tensor([0.3, 1.1]),
    ),
    "the sign of v": (vtj.certify, torch.square, lambda x, g: 2 * x[0] * g.sign(), _one(0.6)),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_backward_is_called_wrong(name: str) -> None:
    verify, f, backward, x = WRONG[name]
    report = verify(custom(f, backward), x)
    assert (report.verdict, report.culprit) == ("wrong", "backward"), str(report)


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
def test_a_wrong_backward_of_a_custom_op_is_called_wrong(
    verify: Callable[..., vtj.Report],
) -> None:
    report = verify(wrong_square_op, X50[:3])
    assert (report.verdict, report.culprit) == ("wrong", "backward"), str(report)


def test_an_output_without_a_gradient_by_declaration_is_named() -> None:
    for verify in (vtj.check, vtj.certify):
        notes = [row.note for row in verify(SquareAndMean.apply, X50[:3]).rows]
        assert "y[1]: declared to have no gradient" in notes


def test_torch_own_forward_formula_is_named_and_accuses_nobody() -> None:
    report = vtj.check(lambda x: product(x) + x[0], X50[:5])
    notes = {row.what: row.note for row in report.rows if row.family == "forward"}
    assert set(notes) == {"forward", "jacfwd"}
    assert all("torch's own forward formula is wrong: dy[" in note for note in notes.values())


MASKED = torch.tensor([0.5, -torch.inf, 2.0, -torch.inf, 0.25])
PROBABILITIES = custom(
    lambda x: x.softmax(0),
    lambda x, g: (y := x[0].softmax(0)) * (g - g @ y),
)
WITHOUT_SUM = custom(lambda x: x.softmax(0), lambda x, g: x[0].softmax(0) * g)


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
@pytest.mark.parametrize("given", [{}, {"reference": lambda x: x.softmax(0)}])
def test_an_element_of_x_that_is_no_number_stays_what_it_is(verify: Any, given: Any) -> None:
    """Attention is masked with -inf, data with nan."""
    report = verify(PROBABILITIES, MASKED, **given)
    assert report, str(report)
    note = "x[1] is -inf (one of 2), and stays so however it is moved"
    assert note in [row.note for row in report.rows]
    assert verify(WITHOUT_SUM, MASKED, **given).culprit == "backward"
    assert verify(torch.nanmean, torch.tensor([1.0, torch.nan, 2.0]))
    wrong = custom(torch.exp, lambda x, g: g * x[0].exp() + x[0].isinf())
    report = verify(wrong, MASKED, **({"reference": torch.exp} if given else {}))
    assert (report.verdict, report.culprit) == ("wrong", "backward")
    assert "]: backward 1, " in report.findings[0]


def test_a_slope_beside_a_tiny_x_is_seen_over_wider_steps() -> None:
    f = custom(torch.exp, lambda x, g: 1.001 * x[0].exp() * g)
    for verify in (vtj.check, vtj.certify):
        assert verify(f, _one(1e-12)).culprit == "backward"


def test_a_constant_is_correct_without_a_graph() -> None:
    assert vtj.check(lambda x: torch.ones(3), torch.tensor([1.0, 2.0]))
    assert vtj.certify(lambda x: torch.ones(3), torch.tensor([1.0, 2.0]))


def test_without_differences_a_cut_graph_is_undecided() -> None:
    x = torch.tensor([1.0, 2.0])
    report = vtj.check(lambda x: x.detach() ** 2, x, engines=["reverse", "forward"])
    assert report.verdict == "undecided"
    by_hand = vtj.check(
        lambda x: x.detach() ** 2, x, engines=["reverse"], jacobian=torch.zeros(2, 2)
    )
    assert by_hand.verdict == "correct"
