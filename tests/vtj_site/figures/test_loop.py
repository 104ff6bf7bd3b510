"""The loop of a verdict: what is drawn is what the real check does, step by step."""

import pytest
import torch

import vtj
from vtj_site.figures import PictureError, loop, read_back

HERE = torch.tensor([1.0, 2.0], dtype=torch.float64)


def wave(x: torch.Tensor) -> torch.Tensor:
    return torch.sin(1e8 * x.detach())


@pytest.mark.parametrize("question", ["check", "certify"])
def test_the_remedies_of_the_real_run_are_drawn(question: str) -> None:
    figure = read_back(loop(question, wave, HERE), f=wave, x=HERE)
    assert figure.description.endswith(f"so {getattr(vtj, question)(wave, HERE).verdict}.")


def test_the_loop_of_another_function_is_refused() -> None:
    figure = loop("check", wave, HERE)
    with pytest.raises(PictureError, match=r"what is done: .*finer steps"):
        read_back(figure, f=torch.sin, x=HERE)
