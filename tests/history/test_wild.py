"""`nox -s wild`: a sample of what it asks, and the run itself, which a hang does not stop."""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
import torch
import wild.running
from torch import Tensor, nn
from wild.asking import WAYS, ask
from wild.recording import listed, record
from wild.running import answer, few, resumed
from wild.samples import KINDS, PER_ENTRY, Held, Sample, samples
from wild.worker import LateError, Worker

from vtj_site.records.wild import unjudged

FEW = 12  # entries of some seconds; `nox -s wild` asks more, and with --all every one


class Everything:
    """The databases, loaded once: that takes seconds."""

    def __init__(self) -> None:
        self.entries = [(kind, name) for kind in KINDS for name in answer("cpu", kind)]
        self.found = [self.asked(kind, name) for kind, name in few(self.entries, FEW)]

    @staticmethod
    def asked(kind: str, name: str) -> dict[str, Any]:
        drawn = samples(kind, name)
        answers = [{"x": one.shapes(), **{way: ask(one, way) for way in WAYS}} for one in drawn]
        return {"kind": kind, "name": name, "samples": answers}


@pytest.fixture(scope="module")
def everything() -> Everything:
    return Everything()


@pytest.mark.filterwarnings("ignore")  # of torch about its own databases
def test_a_sample_of_torchs_own_code_has_no_disagreement_that_nobody_judged(
    everything: Everything,
) -> None:
    asked = sum(len(one["samples"]) for one in everything.found)
    assert asked > len(everything.found), "most entries have more than one sample"
    assert not [*unjudged([*listed(everything.found)])]


@pytest.mark.filterwarnings("ignore")
def test_the_samples_are_the_same_at_every_draw(everything: Everything) -> None:
    for kind, name in few(everything.entries, FEW)[:5]:
        first, second = samples(kind, name), samples(kind, name)
        assert len(first) == len(second) <= PER_ENTRY
        for one, other in zip(first, second, strict=True):
            for a, b in zip(one.for_gradcheck()[1], other.for_gradcheck()[1], strict=True):
                assert torch.equal(a, b)


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return 2 * x

    @staticmethod
    def backward(ctx: Any, *v: Any) -> Any:
        return 3 * v[0]


def leaf(*shape: int, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.ones(*shape, dtype=dtype, requires_grad=True)


def said(sample: Sample) -> list[str]:
    return [ask(sample, way)["said"] for way in WAYS]


def test_all_four_are_asked_and_their_calls_counted() -> None:
    right, wrong = Sample(torch.sin, (leaf(3),), {}), Sample(Doubled.apply, (leaf(3),), {})
    assert said(right) == ["correct", "correct", "pass", "pass"]
    assert said(wrong) == ["wrong", "wrong", "fail", "fail"]
    for way in WAYS:
        found = ask(right, way)
        assert found["calls"] >= 2
        assert found["text"] == ""
    assert "the backward is wrong" in ask(wrong, "check")["text"]
    refused = Sample(lambda x: x.to_sparse(), (leaf(2, 2),), {})
    assert ask(refused, "check")["said"] == "raised"
    assert ask(refused, "check")["text"].startswith("TypeError: y has layout")


def test_what_torchs_tests_ask_no_gradient_of_is_held() -> None:
    weight = torch.full((3,), 2.0, dtype=torch.float64)

    def f(x: Tensor, *, weight: Tensor) -> Tensor:
        return x * weight.detach()  # a false slope, if it moved

    sample = Sample(f, (leaf(3),), {"weight": weight})
    assert isinstance(sample.kwargs["weight"], Held)
    assert sample.shapes() == [[3]]
    assert said(sample) == ["correct", "correct", "pass", "pass"]


def test_complex_tensors_are_handed_in_as_they_are() -> None:
    sample = Sample(lambda z: z.conj() * z, (leaf(2, dtype=torch.complex128),), {})
    assert sample.shapes() == [[2]]
    assert said(sample) == ["correct", "correct", "pass", "pass"]


def test_a_modules_parameters_are_looked_at_and_its_buffers_are_no_matter() -> None:
    class Wrong(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.ones(3, dtype=torch.float64))

        def forward(self, x: Tensor) -> Tensor:
            return x * Doubled.apply(self.weight)  # type: ignore[no-untyped-call]

    x = torch.randn(4, 3, dtype=torch.float64, requires_grad=True)
    assert said(Sample(nn.BatchNorm1d(3).double(), (x,), {})) == [
        "correct", "correct", "pass", "pass"
    ]  # fmt: skip
    assert said(Sample(Wrong(), (x,), {})) == ["wrong", "wrong", "fail", "fail"]


PROCESS = "__import__('os').getpid()"  # `eval` answers: a process for it loads no torch


@pytest.mark.parametrize("hang", ["10 ** 10 ** 9", "__import__('time').sleep(60)"])
def test_a_late_answer_ends_the_process_and_the_next_one_answers(hang: str) -> None:
    """Whether it computes or waits, and inside of C, where no exception reaches it."""
    worker = Worker(eval, PROCESS)
    try:
        first = worker.ask(PROCESS, seconds=30)
        start = time.monotonic()
        with pytest.raises(LateError, match=r"no answer in 0\.5 s"):
            worker.ask(hang, seconds=0.5)
        assert time.monotonic() - start < 20
        with pytest.raises(ProcessLookupError):
            os.kill(first, 0)
        assert worker.ask(PROCESS, seconds=30) != first
    finally:
        worker.stop()


def test_a_busy_machine_makes_nobody_late() -> None:
    worker = Worker(eval, "0")
    try:
        assert worker.ask("__import__('time').sleep(0.6) or 1", seconds=0.5) == 1
    finally:
        worker.stop()


def test_a_process_that_dies_or_raises_says_so() -> None:
    worker = Worker(eval, "0")
    try:
        with pytest.raises(LateError, match="the process died"):
            worker.ask("__import__('os')._exit(1)", seconds=30)
        with pytest.raises(RuntimeError, match="ZeroDivisionError: division by zero"):
            worker.ask("1 / 0", seconds=30)
        assert worker.ask("1 + 1", seconds=30) == 2
    finally:
        worker.stop()


ANSWER = {"said": "correct", "calls": 2, "seconds": 0.5, "text": ""}


class Asked:
    """Stands for the processes; `late` are the ways that come to no end."""

    def __init__(self, late: tuple[str, ...] = ()) -> None:
        self.late, self.names = late, list[str]()

    def ask(self, kind: str, name: str, *rest: Any, seconds: float) -> Any:
        if not rest:
            self.names.append(name)
            return [[[3]]]
        if rest[1] in self.late:
            raise LateError(f"no answer in {seconds:g} s")
        return ANSWER

    def stop(self) -> None:
        pass


def test_a_run_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked()
    monkeypatch.setattr(wild.running, "Worker", lambda *_: asked)
    kept = tmp_path / "wild" / "answers.jsonl"
    _, before = resumed([("operator", "sin")], "cpu", 1, kept)
    found, minutes = resumed([("operator", "cos"), ("operator", "sin")], "cpu", 2, kept)
    assert minutes > before > 0
    assert asked.names == ["sin", "cos"]
    assert [name for _, name in found] == ["cos", "sin"]
    assert len(kept.read_text().splitlines()) == 2


def test_what_is_late_is_recorded_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(wild.running, "Worker", lambda *_: Asked(("check",)))
    found, minutes = resumed([("operator", "sin")], "cpu", 1, tmp_path / "answers.jsonl")
    made = record([*found.values()], "cpu", minutes, "1a2b3c4")
    assert made["kinds"]["operator"]["ways"]["check"] == {
        "said": {"late": 1}, "calls": {}, "seconds": {}
    }  # fmt: skip
    assert made["kinds"]["operator"]["ways"]["fast"]["calls"] == {
        "sum": 2, "median": 2, "most": 2
    }  # fmt: skip
    assert [one["name"] for one in made["listed"]] == ["sin"]
    assert json.dumps(made)
    assert "sin [0]: check late, certify correct, slow correct" in capsys.readouterr().out


def test_a_device_that_failed_is_asked_by_a_new_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stops: list[str] = []
    broken = Asked()
    monkeypatch.setattr(broken, "stop", lambda: stops.append("stop"))
    monkeypatch.setattr(wild.running, "Worker", lambda *_: broken)
    resumed([("operator", "sin")], "cuda", 1, tmp_path / "right.jsonl")
    assert stops == ["stop"], "at the end"
    monkeypatch.setitem(ANSWER, "text", "AcceleratorError: CUDA error: device-side assert")
    resumed([("operator", "sin")], "cuda", 1, tmp_path / "failed.jsonl")
    assert len(stops) == 2 + len(WAYS)


def test_an_error_while_asking_is_raised_where_the_answers_are_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = Asked()
    monkeypatch.setattr(broken, "ask", lambda *_, **__: 1 / 0)
    monkeypatch.setattr(wild.running, "Worker", lambda *_: broken)
    with pytest.raises(ZeroDivisionError):
        resumed([("operator", "sin")], "cpu", 1, tmp_path / "answers.jsonl")
