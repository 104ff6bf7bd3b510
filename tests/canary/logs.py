"""What the logs of a build and of a run of the tests say, as findings."""

import re
from collections.abc import Iterator

from tests.canary.findings import (
    ANSWER,
    DEPENDENCY,
    NOISE,
    NOTHING,
    WORDING,
    Finding,
    of_texts,
    of_warning,
)

MESSAGE = re.compile(r"^(?:(\S+?): )?(?:WARNING|ERROR|CRITICAL): ", re.MULTILINE)
KIND = re.compile(r" \[([\w.-]+)\]$")
OF_CELLS = ("gates.expected_errors", "gates.stray_warnings", "myst_nb_fork")
"""What is said of a cell that ran; the step `pages` runs the same cells, and knows more of them."""
OURS = ("gates", "statements", "recorded", "downloads", "mathml")
WARNED = re.compile(r"^\s*\S+:\d+: (\w*Warning: .+)$", re.MULTILINE)
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+?)(?:::(.*?))?(?: - .*)?$", re.MULTILINE)
CRASH = re.compile(r"^(?:\S*site-packages/)?(\S+?\.py):(\d+): (?!.*Warning: )(\S.*)$", re.MULTILINE)
PACKAGE = re.compile(r"site-packages/(\w+)")
PASSED = re.compile(r"^=* ?((?:\d+ \w+, )*\d+ passed.*?) in ", re.MULTILINE)


def of_build(log: str, messages: str, status: int, known: set[str]) -> Iterator[Finding]:
    """Yield what a build has refused, and what ended it; of `known` pages the cells are left out.

    `messages` is what Sphinx wrote into its file of warnings, `log` all that was printed.
    """
    _, *parts = MESSAGE.split(messages)
    for at, text in zip(parts[::2], parts[1::2], strict=True):
        text = text.strip()
        found = KIND.search(text)
        kind, text = (found[1], KIND.sub("", text)) if found else ("", text)
        if kind not in OF_CELLS or (at or "").partition(":")[0] not in known:
            yield of_message(at or "", kind, text)
    if status > 1 or (status and not messages):
        yield of_end("the build", log)


def of_end(what: str, log: str) -> Finding:
    """Return why something ended before its end: the last error, and the package it came from."""
    lines = [line.strip() for line in log.splitlines() if line.strip()] or [NOTHING]
    errors = [line for line in lines if re.match(r"[\w.]*(?:Error|Exception)\b", line)]
    package = (PACKAGE.findall(log) or ["no package"])[-1]
    return Finding(DEPENDENCY, f"{what}, in {package}", "ran to its end", (errors or lines)[-1])


def of_message(at: str, kind: str, text: str) -> Finding:
    """Return what one message of a build says."""
    first = text.splitlines()[0]
    if kind == "gates.expected_errors" and "but raised" in text:
        was, _, now = text.partition("\nbut raised")
        return of_texts(at, was.partition("\n    ")[2], now.strip() or NOTHING)
    if kind == "gates.stray_warnings":
        return of_warning(at, text.partition("but wrote\n")[2])
    if kind == "myst_nb_fork" and "has no recorded row" in first:
        return Finding(NOISE, at, "", first)
    if kind.partition(".")[0] in (*OURS, "myst_nb_fork"):
        return Finding(ANSWER, at, "the build accepted it", first)
    return Finding(DEPENDENCY, at or kind, "no message", f"{first} [{kind}]")


def of_tests(log: str) -> Iterator[Finding]:
    """Yield each test that failed, from the output of pytest with --tb=line.

    It says where each failed, and what with, and at the end which they were, in the same order.
    """
    failures, _, rest = log.partition(" FAILURES =")[2].partition(" warnings summary =")
    crashes, failed = CRASH.findall(failures), FAILED.findall(rest or log)
    unknown = [("", "", "failed where --tb=line does not say")] * len(failed)
    for (file, name), (where, line, said) in zip(
        failed, crashes if len(crashes) == len(failed) else unknown, strict=True
    ):
        at = f"{file}:{line}" if where == file else f"{file} ({where}:{line})" if where else file
        package = "" if where.startswith(("tests/", "src/")) else where.partition("/")[0]
        kind = WORDING if "Regex pattern did not match" in said else ANSWER
        if package not in ("", "torch"):
            kind, at = DEPENDENCY, f"{package}, in {at}"
        yield Finding(kind, at, f"{name or file} passed", said)


def of_noise(log: str) -> Iterator[Finding]:
    """Yield each warning that was printed and addresses the authors of other packages."""
    for text in WARNED.findall(log):
        if (finding := of_warning("", text)).kind == NOISE:
            yield finding


def passed(log: str) -> str:
    """Return the numbers with which pytest ends."""
    return (PASSED.findall(log) or ["the tests did not run to their end"])[-1]
