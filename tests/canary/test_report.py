"""Reports of two real runs, and what a report must contain; `runs` has what the runs printed."""

import re
from pathlib import Path

import pytest

from tests.canary import __main__ as canary
from tests.canary.__main__ import STEPS, read, tidy
from tests.canary.findings import ANSWER, DEPENDENCY, NOISE, WORDING, Finding
from tests.canary.report import SHOWN, WIDTH, Report

RUNS = Path(__file__).with_name("runs")
SCREEN = 50


@pytest.mark.parametrize("run", sorted(RUNS.iterdir()), ids=lambda run: run.name)
def test_a_run_has_the_report_that_a_person_approved(run: Path) -> None:
    report = read(run)
    assert f"{report}\n" == (run / "report.txt").read_text(encoding="utf-8")
    assert str(report).count("\n") < SCREEN
    assert max(map(len, str(report).splitlines())) <= WIDTH


# What must be named: in the lines of the one place, what was and what is.
NAMED = {
    "2.15.0": [
        ("x.clamp(0, 1), float32, v: ones, at x = -0.0, 0.0, 1.0", "1 1 1", "0 0 0"),
        ("docs/explanation/changes.md:33", "tensor([1., 1., 1.])", "tensor([0., 1., 0.])"),
    ],
    "2.12.1": [
        ("docs/how-to/errors.md:562", "output 0 of Exp, is", "output 0 of ExpBackward0, is"),
        ("docs/reference/backward.md:224", "the cell ran", "all inputs have to be Tensors"),
        ("a tensor that was not used", "The differentiated Tensor", "One of the differentiated"),
    ],
}


@pytest.mark.parametrize("run", NAMED)
def test_what_is_known_to_have_changed_is_named(run: str) -> None:
    text = "\n".join(map(str, read(RUNS / run).findings))
    for place, was, now in NAMED[run]:
        (line,) = (each for each in text.splitlines() if repr(place) in each and was in each)
        assert now in line


FINDINGS = {kind: Finding(kind, "docs/a.md:1", "was", "is") for kind in SHOWN}


@pytest.mark.parametrize(
    ("kinds", "status"),
    [
        ([], 0),
        ([NOISE], 0),
        ([ANSWER, ANSWER, NOISE], 16),
        ([WORDING], 32),
        ([DEPENDENCY], 64),
        ([DEPENDENCY, WORDING, ANSWER], 112),
    ],
)
def test_the_exit_status_tells_the_kinds_apart(kinds: list[str], status: int) -> None:
    assert Report([], [FINDINGS[kind] for kind in kinds], "log.txt").status == status


def test_what_does_not_fit_on_a_screen_is_counted_and_in_the_log() -> None:
    many = [Finding(kind, f"docs/a.md:{n}", "was", str(n)) for kind in SHOWN for n in range(20)]
    report = Report(["torch"] * 3, many, "build/canary/log.txt")
    assert str(report).count("\n") < SCREEN
    rest = f"  … and {20 - SHOWN[ANSWER]} more: docs/a.md:{SHOWN[ANSWER]}; docs/a.md:"
    assert rest in str(report)
    assert report.whole().count("docs/a.md:19") == len(SHOWN)


def test_the_same_in_several_places_is_one_entry() -> None:
    alike = [Finding(WORDING, f"docs/{page}.md:1", "was", "is") for page in "abc"]
    assert "  docs/a.md:1 (and 2 alike)\n    was  was\n    is   is\n" in str(Report([], alike, ""))


def test_two_long_texts_are_shown_where_they_begin_to_differ() -> None:
    long = "word " * 50
    said = str(Report([], [Finding(WORDING, "a", f"{long}one {long}", f"{long}two {long}")], ""))
    was, now = (line for line in said.splitlines() if line.startswith(("    was", "    is")))
    assert "word one word" in was
    assert "word two word" in now


def test_no_path_of_the_machine_stays_in_a_log(tmp_path: Path) -> None:
    file = tmp_path / "build.txt"
    root = Path(__file__).parents[2]
    absolute = re.compile(r"(?<![\w.<>-])/(?!home/u/)[a-z_]+/[\w./-]+")  # one user is made up
    file.write_text(f"\x1b[31m {root}/docs/a.md:1: '/home/u/env/site-packages/torch/x.py'", "utf-8")
    assert absolute.search(file.read_text("utf-8"))
    tidy(file)
    assert file.read_text("utf-8") == " docs/a.md:1: 'site-packages/torch/x.py'"
    for log in (RUNS / run / f"{step}.txt" for run in NAMED for step in STEPS):
        assert absolute.search(log.read_text("utf-8")) is None


def test_a_run_says_what_it_found_and_ends_with_its_status(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    finding = '["wording", "docs/a.md:1", "Error: old", "Error: new"]'
    printed = {"build": "built", "pages": finding, "questions": "", "tests": "2 passed in 1.00s"}
    steps = {name: ["-c", f"print({text!r})"] for name, text in printed.items()}
    monkeypatch.setattr(canary, "STEPS", steps)
    folder = tmp_path / "canary"
    with pytest.raises(SystemExit) as ended:
        canary.main(["--folder", str(folder)])
    assert ended.value.code == 32
    said = capsys.readouterr().out
    assert "The site builds with these. Tests of the library: 2 passed." in said
    assert "WORDINGS THAT CHANGED: 1\n  docs/a.md:1\n    was  Error: old\n" in said
    assert "Exit status 32: wordings that changed." in said
    assert (folder / "report.txt").read_text("utf-8") in said
    assert "===== build.txt\nbuilt" in (folder / "log.txt").read_text("utf-8")
    canary.main(["--folder", str(folder), "--status", str(tmp_path / "status")])
    assert (tmp_path / "status").read_text("utf-8") == "32"
