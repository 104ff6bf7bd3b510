"""`certify` runs unchanged on a model that is sharded over two processes."""

import importlib
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.device_mesh import init_device_mesh
from torch.multiprocessing.spawn import start_processes

import vtj
from tests.zoo.bug import custom
from vtj.release import of_sharded_tensors

SHARDED = of_sharded_tensors()

DOUBLED = custom(torch.clone, lambda x, g: 2 * g)
"""The identity, with a backward that is off by a factor of two."""


def certified(rank: int, folder: Path) -> None:
    """Certify a right and a wrong model, by its input and by its sharded parameters."""
    torch.set_num_threads(1)
    store = f"file://{folder / 'store'}"
    dist.init_process_group("gloo", init_method=store, rank=rank, world_size=2)
    mesh = init_device_mesh("cpu", (2,))
    torch.manual_seed(0)
    first, second = nn.Linear(2, 4).double(), nn.Linear(4, 2).double()
    weights = (
        SHARDED.distribute_tensor(first.weight.detach(), mesh, [SHARDED.Shard(0)]),
        SHARDED.distribute_tensor(second.weight.detach(), mesh, [SHARDED.Shard(1)]),
    )
    x = torch.linspace(-1, 1, 6, dtype=torch.float64).reshape(3, 2)

    def model(a: Tensor, b: Tensor) -> Tensor:
        inputs = SHARDED.DTensor.from_local(x, mesh, [SHARDED.Replicate()])
        return torch.tanh(inputs @ a.t()) @ b.t()

    def of_input(x: Tensor) -> Tensor:
        inputs = SHARDED.DTensor.from_local(x, mesh, [SHARDED.Replicate()])
        return (torch.tanh(inputs @ weights[0].t()) @ weights[1].t()).full_tensor()

    def doubled(a: Tensor, b: Tensor) -> Tensor:
        return DOUBLED(model(a, b).full_tensor())

    reports = [vtj.certify(model, weights), vtj.certify(of_input, x), vtj.certify(doubled, weights)]
    verdicts = [(report.verdict, report.culprit) for report in reports]
    assert verdicts == [("correct", None), ("correct", None), ("wrong", "backward")], reports
    (folder / str(rank)).write_text("\n".join(map(str, reports)))
    dist.barrier()  # or the slower of the two may wait forever for a group that is gone
    dist.destroy_process_group()


def test_certify_on_two_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLOO_SOCKET_IFNAME", "lo")
    importlib.import_module("torch._dynamo")  # DTensor does at its first call: here, once for both
    # where there is a GPU, a fork of a process that ran a backward can run none
    how = "spawn" if torch.cuda.is_available() else "fork"
    start_processes(certified, (tmp_path,), nprocs=2, start_method=how)
    first, second = ((tmp_path / rank).read_text() for rank in "01")
    assert first == second, "the two processes must come to the same report"
