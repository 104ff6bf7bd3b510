from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor

from vtj.engines.symbolic.memory import Memory
from vtj.engines.symbolic.names import symbols

SIX = symbols("x", (6,))


VIEWS: dict[str, Callable[[Tensor], Tensor]] = {
    "itself": lambda t: t,
    "element": lambda t: t[3],
    "slice": lambda t: t[1:5:2],
    "matrix": lambda t: t.reshape(2, 3),
    "transposed": lambda t: t.reshape(2, 3).T,
    "row of a stack": lambda t: t.reshape(1, 2, 3)[:, 1],
    "three dimensions": lambda t: t.reshape(3, 1, 2).transpose(0, 2),
    "overlapping": lambda t: t.as_strided((2, 2, 2), (1, 2, 1), 1),
    "windows": lambda t: t[2:].unfold(0, 2, 1),
    "nothing": lambda t: t[:0],
}


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_reads_the_formulas_where_torch_reads_the_values(name: str) -> None:
    memory, tensor = Memory(), torch.arange(6.0)
    memory.write(tensor, SIX)
    view = VIEWS[name](tensor)
    seen = memory.read(view)
    assert (type(seen), seen.dtype, seen.shape) == (np.ndarray, object, tuple(view.shape))
    assert seen.ravel().tolist() == [SIX[int(place)] for place in view.reshape(-1)]


def test_writing_through_a_view_leaves_the_rest() -> None:
    memory, tensor = Memory(), torch.arange(6, dtype=torch.float16)
    a, b, *_ = SIX
    memory.write(tensor[2:].reshape(2, 2)[:, 1], np.array([a, b]))
    assert memory.read(tensor).tolist() == [0, 1, 2, a, 4, b]
    memory.write(tensor[:3], np.array(a + b, dtype=object))
    assert memory.read(tensor).tolist() == [a + b, a + b, a + b, a, 4, b]


def test_a_tensor_that_is_gone_leaves_nothing_to_the_next() -> None:
    memory = Memory()
    for _ in range(20):
        memory.write(torch.zeros(6), SIX)
        assert not memory.knows(torch.zeros(6))
