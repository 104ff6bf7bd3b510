"""One of two processes that certify a model whose parameters are sharded over both."""

import sys

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor

import vtj


class Doubled(torch.autograd.Function):
    """The identity, with a backward that is off by a factor of two."""

    @staticmethod
    def forward(ctx: object, x: Tensor) -> Tensor:
        return x.clone()

    @staticmethod
    def backward(ctx: object, g: Tensor) -> Tensor:
        return 2 * g


def main(rank: int, store: str) -> None:
    """Certify a right and a wrong model, by its input and by its sharded parameters."""
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    mesh = init_device_mesh("cpu", (2,))
    torch.manual_seed(0)
    first, second = nn.Linear(4, 6).double(), nn.Linear(6, 2).double()
    weights = (
        distribute_tensor(first.weight.detach(), mesh, [Shard(0)]),
        distribute_tensor(second.weight.detach(), mesh, [Shard(1)]),
    )
    x = torch.linspace(-1, 1, 12, dtype=torch.float64).reshape(3, 4)

    def model(a: DTensor, b: DTensor) -> Tensor:
        inputs = distribute_tensor(x, mesh, [Replicate()])
        return torch.tanh(inputs @ a.t()) @ b.t()

    def of_input(x: Tensor) -> Tensor:
        inputs = DTensor.from_local(x, mesh, [Replicate()])
        return (torch.tanh(inputs @ weights[0].t()) @ weights[1].t()).full_tensor()

    def doubled(a: DTensor, b: DTensor) -> Tensor:
        return Doubled.apply(model(a, b).full_tensor())

    reports = [
        vtj.certify(model, weights),
        vtj.certify(of_input, x),
        vtj.certify(doubled, weights),
    ]
    print(*[report.verdict for report in reports], reports[2].culprit)
    for report in reports:
        print(report)
    dist.destroy_process_group()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
