"""The zoo of cases: operations x kinds of tensor x kinds of call, drawn up for no sentence.

Each of the three is a piece of code, so that a case is a script that a reader can paste: a tensor's
code makes `x`, an operation's makes `y`, and then `v` gets the numbers 1, 2, 3 …, one for each
element of `y`; a call's code may hold `{op}`, which is the operation again, and `{v}`.

The whole product would be some fifty thousand cases. The rule that chooses among them (`cases`)
looks at nothing but places in the lists, and every pair of two pieces meets.
"""

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

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
OPERATIONS = (
    "3 * x",
    "x + 1",
    "x / 2",
    "-x",
    "x**2",
    "x * x",
    "x.exp()",
    "x.log()",
    "x.sqrt()",
    "x.sin()",
    "x.tanh()",
    "x.sigmoid()",
    "x.relu()",
    "x.abs()",
    "x.reciprocal()",
    "x.clamp(1, 2)",
    "x.round()",
    "x.double()",
    "x.real",
    "x.clone()",
    "torch.where(x > 1, x, 2 * x)",
    "x.sum()",
    "x.mean()",
    "x.prod()",
    "x.max()",
    "x.norm()",
    "x.softmax(0)",
    "x.cumsum(0)",
    "x.reshape(-1) @ x.reshape(-1)",
    "x.reshape(2, 2) @ x.reshape(2, 2)",
    "torch.outer(x, x)",
    "torch.linalg.inv(x.reshape(2, 2))",
    "x.view(x.shape)",
    "x.reshape(1, -1)",
    "x.unsqueeze(0)",
    "x.mT",
    "x[...]",
    "x[:1]",
    "x[0]",
    "x.expand(3, *x.shape)",
    "x.reshape(-1)[[0, 0]]",
    "x[x.abs() > 1]",
    "x.sort().values",
    "torch.cat([x, torch.ones(2)])",
    "torch.stack([x, x])",
    "x.view(x.shape) + 1",
    "x.clone().add_(1)",
    "x.clone().exp_()",
    "x.add_(1)",
    "x * x.detach()",
    "x.detach() + 1",
    "torch.ones(2)",
    "x.argmax()",
    "Cube.apply(x)",
)
"""Elementwise, reductions, matrices, views, indexing, cat, stack, writes in place, cut graphs."""

VALUES = "[0.375, 2.25, 1.75, 3.125]"
LEAF = f"leaf = torch.tensor({VALUES}, requires_grad=True)\n"


class Tensor(NamedTuple):
    """A kind of tensor: what a reader calls it, and code that makes `x`."""

    name: str
    code: str


TENSORS = (
    Tensor("a leaf", f"x = torch.tensor({VALUES}, requires_grad=True)"),
    Tensor(
        "a float64 leaf", f"x = torch.tensor({VALUES}, dtype=torch.float64, requires_grad=True)"
    ),
    Tensor(
        "a bfloat16 leaf", f"x = torch.tensor({VALUES}, dtype=torch.bfloat16, requires_grad=True)"
    ),
    Tensor(
        "a complex leaf", "x = torch.tensor([0.5 + 1j, 2.25, 1.75 - 1j, 3j], requires_grad=True)"
    ),
    Tensor("a 0-d leaf", "x = torch.tensor(1.25, requires_grad=True)"),
    Tensor("a leaf with one element", "x = torch.tensor([1.25], requires_grad=True)"),
    Tensor("an empty leaf", "x = torch.tensor([], requires_grad=True)"),
    Tensor("a matrix", "x = torch.tensor([[0.375, 2.25], [1.75, 3.125]], requires_grad=True)"),
    Tensor(
        "a transposed matrix",
        "x = torch.tensor([[0.375, 2.25], [1.75, 3.125]]).t().requires_grad_()",
    ),
    Tensor("a parameter", f"x = torch.nn.Parameter(torch.tensor({VALUES}))"),
    Tensor("a non-leaf", f"{LEAF}x = leaf.clone()"),
    Tensor("a retained non-leaf", f"{LEAF}x = leaf.clone()\nx.retain_grad()"),
    Tensor(
        "a hooked leaf",
        f"x = torch.tensor({VALUES}, requires_grad=True)\nx.register_hook(lambda g: 5 * g)",
    ),
    Tensor(
        "a hooked non-leaf",
        f"{LEAF}x = leaf.clone()\nx.register_hook(lambda g: 5 * g)\nx.retain_grad()",
    ),
    Tensor("a view of a leaf", f"{LEAF}x = leaf.view(2, 2)"),
    Tensor("a slice of a leaf", f"{LEAF}x = leaf[1:]"),
    Tensor(
        "an expanded leaf", "leaf = torch.tensor([1.25], requires_grad=True)\nx = leaf.expand(4)"
    ),
    Tensor("the `.data` of a leaf", f"{LEAF}x = leaf.data"),
    Tensor("a `.data` made a leaf", f"{LEAF}x = leaf.data.requires_grad_()"),
    Tensor("a detached tensor", f"{LEAF}x = leaf.detach()"),
    Tensor("a detached tensor made a leaf", f"{LEAF}x = leaf.detach().requires_grad_()"),
    Tensor("a tensor without requires_grad", f"x = torch.tensor({VALUES})"),
    Tensor("a tensor of whole numbers", "x = torch.tensor([1, 2, 3, 4])"),
)


class Call(NamedTuple):
    """A kind of call: what a reader calls it, its code, the `v` that it hands over, what is first.

    `v` is "" where the caller omits it. What the code calls `grad` is the gradient that the call
    returned. What was there before the call is written down after `first` has run.
    """

    name: str
    code: str
    v: str = "v"
    first: str = ""


BACKWARD = "y.backward(v)"
FILLED = "x.grad = torch.full_like(x, 7)"
GIVEN = "(given,) = torch.autograd.grad(y, x, v, retain_graph=True)"
GRAD = "(grad,) = torch.autograd.grad"
CHECKPOINT = "y = checkpoint(lambda x: {op}, x, use_reentrant=False)"
REENTRANT = "y = checkpoint(lambda x: {op}, x, use_reentrant=True)"
NO_GRAD = "with torch.no_grad():\n    "
CALLS = (
    Call("backward(v)", BACKWARD),
    Call("backward()", "y.backward()", ""),
    Call("backward(None)", "y.backward(None)", ""),
    Call("backward(gradient=v)", "y.backward(gradient=v)"),
    Call("backward of ones", "y.backward({v})", "torch.ones_like(y)"),
    Call("backward of zeros", "y.backward({v})", "torch.zeros_like(y)"),
    Call("backward of 2 * v", "y.backward({v})", "2 * v"),
    Call("a v that requires a gradient", "y.backward({v})", "v.clone().requires_grad_()"),
    Call("an expanded v", "y.backward({v})", "torch.ones((), dtype=y.dtype).expand(y.shape)"),
    Call("a float64 v", "y.backward({v})", "v.abs().double()"),
    Call("a v of whole numbers", "y.backward({v})", "v.abs().long()"),
    Call("a complex v", "y.backward({v})", "v.to(torch.complex64)"),
    Call("a v with one dimension more", "y.backward({v})", "v.unsqueeze(0)"),
    Call("a v with one element more", "y.backward({v})", "torch.ones(y.numel() + 1)"),
    Call("a v with one element", "y.backward({v})", "torch.ones(1)"),
    Call("a number for v", "y.backward({v})", "1.0"),
    Call("a list for v", "y.backward({v})", "v.tolist()"),
    Call("a list of v", "y.backward({v})", "[v]"),
    Call("an array for v", "y.backward({v})", "v.float().numpy()"),
    Call("retain_graph=True", "y.backward(v, retain_graph=True)"),
    Call("create_graph=True", "y.backward(v, create_graph=True)"),
    Call("inputs=[x]", "y.backward(v, inputs=[x])"),
    Call("inputs=[x], without v", "y.backward(inputs=[x])", ""),
    Call("autograd.backward", "torch.autograd.backward([y], [v])"),
    Call("autograd.grad", f"{GRAD}(y, x, v)"),
    Call("autograd.grad without v", f"{GRAD}(y, x)", ""),
    Call("autograd.grad, create_graph=True", f"{GRAD}(y, x, v, create_graph=True)"),
    Call("autograd.grad, allow_unused=True", f"{GRAD}(y, x, v, allow_unused=True)"),
    Call("a gradient put into `.grad`", "x.grad = given", first=f"{FILLED}\n{GIVEN}"),
    Call("a second backward", BACKWARD, first=BACKWARD),
    Call("a second backward, retained", BACKWARD, first="y.backward(v, retain_graph=True)"),
    Call("a second graph", BACKWARD, first=f"{BACKWARD}\ny = {{op}}"),
    Call("`.grad` filled before", BACKWARD, first=FILLED),
    Call("`.grad` cleared between", BACKWARD, first=f"{BACKWARD}\nx.grad = None\ny = {{op}}"),
    Call("`.grad` of y retained", BACKWARD, first="y.retain_grad()"),
    Call("a hook on y", BACKWARD, first="y.register_hook(lambda g: 5 * g)"),
    Call(
        "one backward for each element",
        "for y_i, v_i in zip(y.reshape(-1), v.reshape(-1)):\n"
        "    y_i.backward(v_i, retain_graph=True)",
    ),
    Call("(v * y).sum().backward()", "(v * y).sum().backward()"),
    Call("y.sum().backward()", "y.sum().backward()", "torch.ones_like(y)"),
    Call("backward of y detached", "y.detach().backward(v)"),
    Call("backward under no_grad", f"{NO_GRAD}{BACKWARD}"),
    Call("forward under no_grad", BACKWARD, first=f"{NO_GRAD}y = {{op}}"),
    Call("y written in place", BACKWARD, first=f"{NO_GRAD}y.mul_(2)"),
    Call("y written through .data", BACKWARD, first="y.data.mul_(2)"),
    Call("y written through NumPy", BACKWARD, first="y.detach().numpy()[...] = 9"),
    Call("x written in place", BACKWARD, first=f"{NO_GRAD}x.mul_(2)"),
    Call("x written through .data", BACKWARD, first="x.data.mul_(2)"),
    Call("func.vjp", "(grad,) = pull(v)", first="_, pull = torch.func.vjp(lambda x: {op}, x)"),
    Call("func.grad", "grad = torch.func.grad(lambda x: {op})(x)", ""),
    Call(
        "func.jacrev",
        "J = torch.func.jacrev(lambda x: {op})(x)\ngrad = torch.tensordot(v, J, v.ndim)",
    ),
    Call("checkpoint", BACKWARD, first=CHECKPOINT),
    Call("checkpoint, without v", "y.backward()", "", CHECKPOINT),
    Call("checkpoint, autograd.grad", f"{GRAD}(y, x, v)", first=CHECKPOINT),
    Call("reentrant checkpoint", BACKWARD, first=REENTRANT),
    Call("reentrant checkpoint, autograd.grad", f"{GRAD}(y, x, v)", first=REENTRANT),
    Call(
        "checkpoint under torch.func",
        "(grad,) = torch.func.vjp(\n"
        "    lambda x: checkpoint(lambda x: {op}, x, use_reentrant=False), x)[1](v)",
    ),
)
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


def filled(code: str, case: Case, v: str) -> str:
    """Return a piece of a call's code with the case's operation and a `v` in it."""
    return code.replace("{op}", case.op).replace("{v}", v)


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
