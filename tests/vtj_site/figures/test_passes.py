"""Passes of two processes: what is heard of real ones, and who waits for whom."""

import os
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn

from vtj_site.figures import listening, passes
from vtj_site.figures.listening import Event

torch.manual_seed(0)
PARTS = [nn.Linear(4, 3), nn.Linear(3, 1)]
SAMPLES = torch.arange(8.0).reshape(2, 4)


def process(rank: int, folder: str) -> None:
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    dist.init_process_group("gloo", init_method=f"file://{folder}/s", rank=rank, world_size=2)
    if rank == 0:
        PARTS[0](SAMPLES)  # nothing goes back through this one
        y = PARTS[0](SAMPLES)
        dist.send(y.detach(), dst=1)
        v = torch.empty_like(y)
        dist.recv(v, src=1)
        y.backward(v)
    else:
        y = torch.empty(2, 3)
        dist.recv(y, src=0)
        y.requires_grad_()
        nn.Sequential(PARTS[1])(y).sum().backward()
        assert y.grad is not None
        dist.send(y.grad, dst=0)
    dist.destroy_process_group()


def test_real_processes_are_heard(tmp_path: Path) -> None:
    with listening() as heard:
        mp.start_processes(process, (str(tmp_path),), nprocs=2, start_method="fork")
    y, v = PARTS[0](SAMPLES), PARTS[1].weight.expand(2, 3)
    told: list[list[Event]] = [
        [("forward", SAMPLES), ("sent", y), ("backward", v)],
        [("forward", y), ("backward", None), ("sent", v)],
    ]
    for events, right in zip(heard, told, strict=True):
        assert [kind for kind, _ in events] == [kind for kind, _ in right]
        for (_, tensor), (_, true) in zip(events, right, strict=True):
            torch.testing.assert_close(tensor, true)


def test_nobody_listens_afterwards() -> None:
    before = dist.send, dist.P2POp.__init__, torch.autograd.backward
    with listening():
        assert dist.send is not before[0]
    assert (dist.send, dist.P2POp.__init__, torch.autograd.backward) == before


def test_a_pass_stands_below_what_it_needs_and_beside_what_it_does_not() -> None:
    y, other = torch.ones(2), torch.zeros(2)
    first = [("forward", other), ("sent", y), ("forward", 3 * y)]
    figure = passes([first, [("forward", y)]], ("a", "b"))
    assert figure.description == ("a: forward 1. a: forward 2. b: forward of y (2,), which a sent.")
    assert figure.html.count('y="92"') == 2


def test_no_pass_is_refused() -> None:
    with pytest.raises(ValueError, match="2 processes were heard; expected passes of two"):
        passes([[], []], ("a", "b"))
