"""Functions drawn by hypothesis: smooth, piecewise, ill-scaled, composed of three layers."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from hypothesis import assume
from hypothesis import strategies as st
from torch import Tensor

SMOOTH: dict[str, Callable[[Tensor], Tensor]] = {
    "sin": torch.sin,
    "sin(10x)": lambda x: torch.sin(10 * x),
    "exp": torch.exp,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "softplus": torch.nn.functional.softplus,
    "softmax": lambda x: x.softmax(0),
    "square": lambda x: x**2,
    "cube": lambda x: x**3,
    "log(1+x²)": lambda x: torch.log1p(x**2),
    "sqrt(1+x²)": lambda x: torch.sqrt(1 + x**2),
    "erf": torch.erf,
    "cumsum": lambda x: x.cumsum(0),
    "times its mean": lambda x: x * x.mean(),
    "outer": lambda x: torch.outer(x, x).sum(1),
}
PIECEWISE: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": torch.relu,
    "abs": torch.abs,
    "leaky": torch.nn.functional.leaky_relu,
    "clamp": lambda x: x.clamp(-1, 1),
    "maximum": lambda x: torch.maximum(x, x.roll(1)),
    "where": lambda x: torch.where(x > 0.5, x**2, x),
    "sort": lambda x: x.sort().values,
    "hardswish": torch.nn.functional.hardswish,
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

    layers: tuple[str, ...]
    total: bool
    x: Tensor

    def __call__(self, x: Tensor) -> Tensor:
        for name in self.layers:
            x = LAYERS[name](x)
        return x.sum() if self.total else x


coordinates = st.one_of(
    st.integers(-3, 3).filter(bool).map(float),
    st.floats(-3, 3, width=32).filter(lambda x: abs(x) > 1e-3),
    st.sampled_from([0.0, 1e-3, -2e-3, 0.01, 50.0]),
)


@st.composite
def functions(draw: st.DrawFn) -> Drawn:
    """Draw a function whose value is finite where it is looked at."""
    layers = tuple(draw(st.lists(st.sampled_from(sorted(LAYERS)), min_size=1, max_size=3)))
    x = torch.tensor(draw(st.lists(coordinates, min_size=1, max_size=3)), dtype=torch.float64)
    drawn = Drawn(layers, draw(st.booleans()), x)
    y = drawn(x)
    assume(bool((y.abs() < 1e100).all()))
    return drawn
