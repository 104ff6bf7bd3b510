"""Functions drawn from a seed: smooth, piecewise, ill-scaled, composed of up to three layers.

They are drawn by Python's own generator. Hypothesis mixes in constants from all modules that are
imported, so that what it draws depends on what else runs in the process.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional


def _mixed(x: Tensor) -> Tensor:
    return torch.linspace(-1.5, 2, x.numel() ** 2).to(x).sin().reshape(x.numel(), -1) @ x


SMOOTH: dict[str, Callable[[Tensor], Tensor]] = {
    "sin": torch.sin,
    "sin(10x)": lambda x: torch.sin(10 * x),
    "exp": torch.exp,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "softplus": functional.softplus,
    "softmax": lambda x: x.softmax(0),
    "log_softmax": lambda x: x.log_softmax(0),
    "gelu": functional.gelu,
    "silu": functional.silu,
    "square": lambda x: x**2,
    "cube": lambda x: x**3,
    "log(1+x²)": lambda x: torch.log1p(x**2),
    "sqrt(1+x²)": lambda x: torch.sqrt(1 + x**2),
    "erf": torch.erf,
    "cumsum": lambda x: x.cumsum(0),
    "cumprod": lambda x: x.cumprod(0),
    "times its mean": lambda x: x * x.mean(),
    "outer": lambda x: torch.outer(x, x).sum(1),
    "a matrix": _mixed,
    "layer norm": lambda x: functional.layer_norm(x, x.shape),
}
PIECEWISE: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": torch.relu,
    "abs": torch.abs,
    "leaky": functional.leaky_relu,
    "elu": functional.elu,
    "clamp": lambda x: x.clamp(-1, 1),
    "maximum": lambda x: torch.maximum(x, x.roll(1)),
    "where": lambda x: torch.where(x > 0.5, x**2, x),
    "sort": lambda x: x.sort().values,
    "hardswish": functional.hardswish,
}
ILL_SCALED: dict[str, Callable[[Tensor], Tensor]] = {
    "1/x": lambda x: 1 / x,
    "log|x|": lambda x: x.abs().log(),
    "sqrt|x|": lambda x: x.abs().sqrt(),
    "plus 1e6": lambda x: x + 1e6,
    "times 1e6": lambda x: 1e6 * x,
    "times 1e-6": lambda x: 1e-6 * x,
    "each at its scale": lambda x: x * 10.0 ** torch.arange(-6, 7, 12 // len(x)).to(x)[: len(x)],
}
LAYERS = {**SMOOTH, **PIECEWISE, **ILL_SCALED}


@dataclass(frozen=True)
class Drawn:
    """A function by the names of its layers, and where to look at it."""

    seed: int
    layers: tuple[str, ...]
    total: bool
    x: Tensor

    def __call__(self, x: Tensor) -> Tensor:
        for name in self.layers:
            x = LAYERS[name](x)
        return x.sum() if self.total else x


def drawn(seed: int) -> Drawn:
    """Draw a function whose value is finite where it is looked at."""
    generator = random.Random(seed)
    while True:
        layers = tuple(generator.choice(list(LAYERS)) for _ in range(generator.randint(1, 3)))
        x = [_coordinate(generator) for _ in range(generator.randint(1, 3))]
        f = Drawn(seed, layers, generator.random() < 0.5, torch.tensor(x, dtype=torch.float64))
        if (f(f.x).abs() < 1e100).all():
            return f


def _coordinate(generator: random.Random) -> float:
    kind = generator.randrange(3)
    if kind == 0:
        return float(generator.choice([-3, -2, -1, 1, 2, 3]))
    if kind == 1:
        return generator.choice([-1, 1]) * generator.uniform(1e-3, 3)
    return generator.choice([0.0, 1e-3, -2e-3, 0.01, 50.0])
