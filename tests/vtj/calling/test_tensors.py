"""What every `f` takes and returns, and what is refused with which words."""

import os
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
import torch.distributed as dist
from torch import Tensor
from torch._subclasses import FakeTensorMode
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh

import vtj
from vtj.calling.tensors import as_tuple, require_floating, require_values, shaped_like, values
from vtj.release import of_sharded_tensors

SHARDED = of_sharded_tensors()
PLAIN = torch.tensor([1.0, 2.0])


def _fake() -> Tensor:
    with FakeTensorMode():
        return torch.ones(2)


QUANTIZED = partial(torch.quantize_per_tensor, PLAIN, 0.1, 0, torch.qint8)
NESTED = partial(torch.nested.nested_tensor, [torch.ones(2), torch.ones(3)])
FLOATING = partial(require_floating, "x")
VALUES = partial(require_values, "v")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("refuse", "made", "message"),
    [
        (as_tuple, lambda: [PLAIN], "x is list; expected a torch.Tensor or a tuple of them"),
        (as_tuple, lambda: (PLAIN, 2), "x[1] is int; expected a torch.Tensor"),
        (
            FLOATING,
            lambda: PLAIN.to(torch.complex64),
            "x has dtype torch.complex64; complex is not supported: "
            "give the real and imaginary part as real tensors (torch.view_as_real)",
        ),
        (
            FLOATING,
            lambda: PLAIN.to(torch.float8_e4m3fn),
            "x has dtype torch.float8_e4m3fn; expected one of float64, float32, float16, bfloat16",
        ),
        (
            FLOATING,
            lambda: torch.ones(2, device="meta"),
            "x is on device meta, without values; expected a device that holds them",
        ),
        (VALUES, NESTED, "v is a nested tensor; expected one of a single shape"),
        (VALUES, _fake, "v is a FakeTensor; expected a plain tensor"),
        (
            VALUES,
            PLAIN.to_sparse,
            "v has layout torch.sparse_coo; expected torch.strided (to_dense)",
        ),
        (VALUES, QUANTIZED, "v is quantized; expected plain values (dequantize)"),
    ],
    ids=["list", "int", "complex", "float8", "meta", "nested", "fake", "sparse", "quantized"],
)
def test_what_is_refused_and_in_which_words(
    refuse: Callable[[Any], object], made: Callable[[], Any], message: str
) -> None:
    with pytest.raises(TypeError) as raised:
        refuse(made())
    assert str(raised.value) == message


def test_elements_take_the_shapes_and_dtypes_and_devices_of_the_parts() -> None:
    parts = (torch.zeros((), dtype=torch.float16), torch.zeros(1, 2, device="meta"))
    number, row = shaped_like(np.array([1.0, 2.0, 3.0]), parts)
    assert (number.item(), number.dtype) == (1.0, torch.float16)
    assert (row.shape, row.dtype, row.device.type) == ((1, 2), torch.float32, "meta")


def test_elements_are_copied() -> None:
    flat = np.array([1.0, 2.0])
    (made,) = shaped_like(flat, (torch.zeros(2, dtype=torch.float64),))
    made += 1
    assert flat.tolist() == [1.0, 2.0]


@pytest.fixture
def mesh(monkeypatch: pytest.MonkeyPatch) -> Iterator[DeviceMesh]:
    monkeypatch.setitem(os.environ, "GLOO_SOCKET_IFNAME", "lo")
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    yield init_device_mesh("cpu", (1,))
    dist.destroy_process_group()


def test_a_sharded_tensor_is_answered_by_one_that_is_sharded_alike(mesh: DeviceMesh) -> None:
    part = SHARDED.distribute_tensor(torch.zeros(2, 2), mesh, [SHARDED.Shard(1)])
    require_floating("x", part)
    (made,) = shaped_like(np.array([1.0, 2.0, 3.0, 4.0]), (part,))
    assert isinstance(made, SHARDED.DTensor)
    assert (made.device_mesh, made.placements) == (mesh, (SHARDED.Shard(1),))
    assert made.full_tensor().tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert values(made).tolist() == [1.0, 2.0, 3.0, 4.0]


def test_a_sharded_tensor_is_certified(mesh: DeviceMesh) -> None:
    x = SHARDED.distribute_tensor(PLAIN, mesh, [SHARDED.Shard(0)])
    assert vtj.certify(lambda x: x**2, x)
