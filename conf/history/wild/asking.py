"""One question: what `check`, `certify` or gradcheck says of one sample."""

from __future__ import annotations

import time
import warnings
from typing import Any

import torch
from torch.autograd.gradcheck import GradcheckError, gradcheck

import vtj
from wild.samples import Sample

WAYS = ("check", "certify", "slow", "fast")  # the last two are gradcheck's
TEXT = 300  # characters of what was said are kept
Answer = dict[str, Any]


def ask(sample: Sample, way: str) -> Answer:
    """Return what was said of a sample, with which words, and after how many calls of `f`.

    What is not *correct*, *wrong*, *undecided*, or *pass*, *fail*, is *raised*: an error of `f`
    itself, or a refusal.
    """
    sample.called, start = 0, time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            said, text = _gradcheck(sample, way) if way in ("slow", "fast") else _vtj(sample, way)
        except Exception as error:
            said, text = "raised", f"{type(error).__name__}: {error}"
    seconds = time.process_time() - start
    text = " ".join(text.split())
    return {
        "said": said,
        "calls": sample.called,
        "seconds": round(seconds, 4),
        "text": text if len(text) <= TEXT else f"{text[:TEXT]}…",
    }


def _vtj(sample: Sample, way: str) -> tuple[str, str]:
    report = getattr(vtj, way)(sample.f, sample.x, kwargs=sample.kwargs)
    said = report.verdict if report.culprit is None else f"{report.verdict} ({report.culprit})"
    return report.verdict, "" if report else f"{said}: {'; '.join(report.findings)}"


def _gradcheck(sample: Sample, way: str) -> tuple[str, str]:
    f, x = sample.for_gradcheck()
    try:
        with torch.random.fork_rng():
            gradcheck(f, x, fast_mode=way == "fast", nondet_tol=sample.tolerance)
    except GradcheckError as error:
        return "fail", str(error)
    return "pass", ""
