"""Mistakes that have nothing to do with backward, and what Python, NumPy and torch say of them.

A message that one of these raises or is warned with is not explained by the entry of a page that
shows it too: the box says "Perhaps", and which line raises the same. They run when the box is
written.
"""

import warnings
from functools import cache

MISTAKES = (
    "torch.ones(32) + torch.ones(10)",
    "torch.ones(2, 3) @ torch.ones(2, 3)",
    "torch.ones(2).reshape(3)",
    "torch.ones(2)[5]",
    "torch.tensor(1.0)[0]",
    "torch.ones(2).item()",
    "torch.ones(2) + 'a'",
    "torch.ones(2)()",
    "torch.dot(torch.ones(2), torch.ones(2).double())",
    "torch.nn.Linear(2, 1)(torch.ones(1, 2).double())",
    "torch.stack([torch.ones(2), torch.ones(3)])",
    "torch.cat([torch.ones(1, 2), torch.ones(1, 3, 1)])",
    "torch.tensor([[1.0], [2.0, 3.0]])",
    "torch.tensor('a')",
    "torch.tensor(torch.ones(2))",
    "torch.empty(2, device='meta').cpu()",
    "torch.distributed.get_rank()",
    "torch.zeros(2, dtype=torch.int64).mean()",
    "bool(torch.ones(2))",
    "list(torch.tensor(1.0))",
    "list(numpy.array(1.0))",
    "numpy.ones(2) + numpy.ones(3)",
    "list(5)",
    "list(0.5)",
    "len(5)",
    "None.shape",
    "(lambda nothing: nothing[0])(None)",
    "None + 1",
    "2 * None",
    "None * 2",
    "[1][3]",
    "1 / 0",
    "int('a')",
)


@cache
def raised() -> dict[str, str]:
    """Return what each of the mistakes is told.

    Raises:
        AssertionError: if one of them is told nothing.

    Example:
        >>> raised()["1 / 0"]
        'division by zero'
    """
    import numpy  # only where a page has a box
    import torch
    import torch.distributed

    found = {}
    for mistake in MISTAKES:
        try:
            with warnings.catch_warnings(action="error"):
                eval(mistake, {"torch": torch, "numpy": numpy})
        except Exception as error:
            found[mistake] = str(error)
        else:
            raise AssertionError(f"{mistake} raised nothing; expected an error")
    return found
