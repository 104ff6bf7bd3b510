"""What depends on the release of torch: what is too old, what it warns of, what its graph knows."""

import os
import subprocess
import sys
import tomllib
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - as everybody calls it
from torch import Tensor

import vtj
from tests.zoo.bug import custom
from vtj import release
from vtj.oracle.trial import try_out

ROOT = Path(__file__).parents[2]
X = torch.tensor([1.0, 2.0])


def python(program: str, *path: Path) -> subprocess.CompletedProcess[str]:
    """Run a program that finds the library, and first what is on the path given."""
    found = os.pathsep.join(map(str, (*path, ROOT / "src")))
    # torch 2.6 leaves a folder of its own to be removed at the end: no word to its users.
    at_the_end = "ignore:Implicitly cleaning up:ResourceWarning"
    words = [sys.executable, "-W", "error", "-W", at_the_end, "-c", program]
    return subprocess.run(
        words, env={**os.environ, "PYTHONPATH": found}, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("version", ["1.13.1", "2.3.1+cpu"])
def test_a_torch_that_is_too_old_is_refused_in_one_sentence(version: str, tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text(f"__version__ = {version!r}")
    said = python("import vtj", tmp_path).stderr.splitlines()[-1]
    oldest = ".".join(map(str, release.OLDEST))
    assert said == f"ImportError: vtj needs torch {oldest} or newer; this is torch {version}"


@pytest.mark.parametrize("version", ["2.10.0a0+git1a2b3c4", "3.0.0", "a fork's own"])
def test_a_torch_that_is_no_older_is_taken(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "__version__", version)
    release.refuse_older()


def test_the_package_asks_for_the_release_that_is_told() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert f"torch>={'.'.join(map(str, release.OLDEST))}" in project["dependencies"]


# Each in a process of its own, as if it were the first: torch warns once. They share the import.
ASKED_FIRST = """
import os, torch, vtj
for method in ("forward", "jacfwd", "jacrev"):
    if not os.fork():
        print(vtj.jacobian(torch.sin, torch.zeros(1), method), flush=True)
        os._exit(0)
    os.wait()
"""


def test_what_torch_says_of_itself_is_not_heard() -> None:
    ran = python(ASKED_FIRST)
    assert ran.stderr == ""
    assert ran.stdout == 3 * "tensor([[1.]])\n"


@pytest.mark.parametrize("method", ["forward", "jacfwd"])
def test_what_torch_says_of_the_caller_s_own_function_is_heard(method: str) -> None:
    def scripted(x: Tensor) -> Tensor:
        torch.jit.script(torch.nn.ReLU())
        return x * 2

    def heard(call: Callable[[], Any]) -> set[tuple[type[Warning], str]]:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            call()
        return {(each.category, str(each.message)) for each in said}

    assert heard(lambda: vtj.jacobian(scripted, X, method)) == heard(lambda: scripted(X))


class Sorted(torch.autograd.Function):
    """A sort, with the places of the elements as a second output."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> tuple[Tensor, Tensor]:
        values, places = x.sort()
        ctx.mark_non_differentiable(places)
        ctx.save_for_backward(places)
        return values, places

    @staticmethod
    def backward(ctx: Any, g: Tensor, _: Tensor) -> Tensor:
        return torch.zeros_like(g).scatter(0, ctx.saved_tensors[0], g)


ON_THE_WAY: dict[str, tuple[Callable[[Tensor], Tensor], torch.dtype]] = {
    "float64": (torch.sin, torch.float64),
    "half and back": (lambda x: x.half().sin().double(), torch.float16),
    "bfloat16 in a module": (
        lambda x: F.layer_norm(x.bfloat16(), (2,)).double(),
        torch.bfloat16,
    ),
    "a custom Function": (
        lambda x: custom(lambda a: a.float(), lambda a, g: g.double())(x).double(),
        torch.float32,
    ),
    "an index marked non-differentiable": (lambda x: Sorted.apply(x)[0], torch.float64),
    "float32 that is no part of the graph": (
        lambda x: x * torch.ones(2).sin().double(),
        torch.float64,
    ),
}


@pytest.mark.parametrize("name", ON_THE_WAY)
@pytest.mark.parametrize(
    "nodes_know", [release.NODES_KNOW_DTYPES, False], ids=["as this torch", "noted"]
)
def test_the_least_precise_dtype_on_the_way(
    name: str, nodes_know: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the nodes of a graph do not know it, as in torch 2.4, it is noted on the way."""
    monkeypatch.setattr(release, "NODES_KNOW_DTYPES", nodes_know)
    f, dtype = ON_THE_WAY[name]
    assert try_out(f, X).dtype == dtype


def test_the_numpy_here_serves() -> None:
    assert vtj.check(lambda x: 3 * x, X, jacobian=np.eye(2) * 3)
