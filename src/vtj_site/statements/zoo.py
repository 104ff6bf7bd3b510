"""The zoo of cases: operations x kinds of tensor x kinds of call, drawn up for no sentence.

Each of the three is a piece of code (`zoo.yaml`), so that a case is a script that a reader can
paste: a tensor's code makes `x`, an operation's makes `y`, and then `v` gets the numbers 1, 2, 3 …,
one for each element of `y`.

The whole product would be some seventy thousand cases. The rule that chooses among them (`cases`)
looks at nothing but places in the lists, and every pair of two pieces meets.
"""

from collections.abc import Iterator
from importlib import resources
from itertools import product
from typing import NamedTuple

import yaml  # type: ignore[import-untyped]

CUBE = """class Cube(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x**3

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, v):
        (x,) = ctx.saved_tensors
        return 3 * v * x.conj() ** 2
"""


class Tensor(NamedTuple):
    """A kind of tensor: what a reader calls it, and code that makes `x`."""

    name: str
    code: str


class Call(NamedTuple):
    """A kind of call: its name, its code, the `v` that it hands over, and what runs before it."""

    name: str
    code: str
    v: str | None = "v"
    first: str = ""


_ZOO = yaml.safe_load((resources.files(__package__) / "zoo.yaml").read_text(encoding="utf-8"))
OPERATIONS: list[str] = _ZOO["operations"]
TENSORS = [Tensor(name, code) for name, code in _ZOO["tensors"].items()]
CALLS = [Call(name, **call) for name, call in _ZOO["calls"].items()]
MAKE_V = "v = torch.arange(1, y.numel() + 1).reshape(y.shape).to(y.dtype)"


class Case(NamedTuple):
    """One case: an operation, a kind of tensor, a kind of call."""

    op: str
    tensor: Tensor
    call: Call

    @property
    def code(self) -> str:
        """The case as a script that a reader can paste.

        Examples:
            >>> print(Case("x**2", TENSORS[4], CALLS[1]).code)
            import torch
            x = torch.tensor(1.25, requires_grad=True)
            y = x**2
            y.backward()
        """
        code = self.script
        lines = ["import torch"]
        if "checkpoint(" in code:
            lines.append("from torch.utils.checkpoint import checkpoint")
        if "Cube" in self.op:
            lines.append(CUBE)
        lines += [self.tensor.code, f"y = {self.op}"]
        if "v" in compile(code, "<case>", "exec").co_names:
            lines.append(MAKE_V)
        return "\n".join([*lines, code])

    @property
    def script(self) -> str:
        """What the call's code is for this operation, that which is first included."""
        steps = filter(None, [self.call.first, self.call.code])
        return "\n".join(filled(step, self, self.call.v) for step in steps)

    def __str__(self) -> str:
        return f"{self.call.name}, x {self.tensor.name}, y = {self.op}"


def filled(code: str, case: Case, v: str | None) -> str:
    """Return a piece of a call's code with the case's operation and a `v` in it."""
    return code.replace("{op}", case.op).replace("{v}", v or "")


def cases() -> Iterator[Case]:
    """Yield the cases, in an order that does not change.

    Of the product, every case the places of whose pieces add up to a multiple of the number of
    kinds of tensor, which is prime: so every two pieces meet. Then all cases in which two of the
    three are the first of their list, or the first tensor or call is: a leaf, `y.backward(v)`.
    """
    every = product(enumerate(OPERATIONS), enumerate(TENSORS), enumerate(CALLS))
    for (i, op), (j, tensor), (k, call) in every:
        if (i + j + k) % len(TENSORS) == 0 or j == 0 or k == 0:
            yield Case(op, tensor, call)
