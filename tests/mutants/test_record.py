"""The record: complete, without a fault that nothing caught; and it resumes."""

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.mutants import __main__ as command
from tests.mutants import digests, library, record
from tests.mutants.equivalent import REFUSED, Equivalent, equivalent
from tests.mutants.mutant import LEFT, Mutant, Outcome
from tests.mutants.targets import Target, targets

RECORD = record.load()
KINDS = {
    "claim", "error", "figure", "formula", "inline", "number", "ones", "retain_graph", "row", "sign"
}  # fmt: skip
CODE = "```{code-cell} python\nx = 1  # one\n```\n"


def test_every_file_with_faults_has_a_row() -> None:
    assert {target.name for target in targets()} - RECORD["documentation"].keys() == set()


def test_no_file_is_recorded_that_has_gone() -> None:
    assert RECORD["documentation"].keys() <= {target.name for target in targets()}


def test_faults_of_every_kind_were_planted_and_none_got_through() -> None:
    kinds: dict[str, Counter[str]] = {}
    for row in RECORD["documentation"].values():
        for kind, counts in row["kinds"].items():
            kinds[kind] = kinds.get(kind, Counter()) + Counter(counts)
    assert kinds.keys() == KINDS
    for counts in kinds.values():
        assert counts["planted"] == counts["check"] + counts["shown"] + counts["equivalent"]
    assert all(row["through"] == [] for row in RECORD["documentation"].values())


def test_prose_and_comments_do_not_make_a_row_old_and_code_does(tmp_path: Path) -> None:
    found = []
    for text in (CODE, f"A sentence.\n\n{CODE.replace('one', 'two')}", CODE.replace("1", "2")):
        page = tmp_path / "page.md"
        page.write_text(text, encoding="utf-8")
        found.append(digests.of_page(page))
    assert found[0] == found[1] != found[2]


def test_a_docstring_does_not_make_a_row_old(tmp_path: Path) -> None:
    found = []
    for text in ('"""A."""\nx = 1\n', '"""B."""\nx = 1\n', '"""A."""\nx = 2\n'):
        module = tmp_path / "module.py"
        module.write_text(text, encoding="utf-8")
        found.append(digests.of_module(module))
    assert found[0] == found[1] != found[2]


FAULT = Mutant("docs/faq.md", 3, "number", "x = 1", "1", "2")


def fake(name: str, digest: str, caught: str | None, runs: list[str]) -> Target:
    def judge(chosen: Callable[[], bool]) -> list[Outcome]:
        runs.append(name)
        return [Outcome(FAULT._replace(file=name), caught)] * chosen()

    return Target(name, digest, judge)  # type: ignore[arg-type]


Chooser = Callable[[Target], Callable[[], bool]]


class Here:
    """Runs the command in this process: a fork's list of runs would not come back."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
        self.runs: list[str] = []
        self.every: list[Target] = []
        self.modules: list[Target] = []
        self.known = Equivalent({"reasons": {"input": "why"}, "patterns": {}, "files": {}})
        monkeypatch.setattr(record.load, "__defaults__", (file,))
        monkeypatch.setattr(record.save, "__defaults__", (file,))
        monkeypatch.setattr(command, "targets", lambda: self.every)
        monkeypatch.setattr(library, "targets", lambda: self.modules)
        monkeypatch.setattr(library, "warmed_up", lambda modules, use: use(modules))
        monkeypatch.setattr(command, "equivalent", lambda: self.known)
        monkeypatch.setattr(command, "at_once", self.one_by_one)

    def one_by_one(self, every: list[Target], chosen: Chooser) -> list[object]:
        return [(target, list(target.judge(chosen(target))), 0.1) for target in every]

    def run(self, *arguments: str) -> int:
        self.runs.clear()
        return command.main(list(arguments))

    def target(self, name: str, digest: str, caught: str | None = "check: no") -> Target:
        return fake(name, digest, caught, self.runs)


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Here:
    return Here(monkeypatch, tmp_path / "mutants.json")


def test_a_run_resumes_and_judges_again_what_changed(here: Here) -> None:
    here.every = [here.target("docs/a.md", "1"), here.target("docs/b.md", "1")]
    assert here.run("docs/a.md") == 0
    assert here.run() == 0
    assert here.runs == ["docs/b.md"]
    assert here.run() == 0
    assert here.runs == []
    here.every[0] = here.target("docs/a.md", "2")
    assert here.run() == 0
    assert here.runs == ["docs/a.md"]
    assert here.run("--all") == 0
    assert here.runs == ["docs/a.md", "docs/b.md"]
    here.every.pop()
    assert here.run("--all") == 0
    assert record.load()["documentation"].keys() == {"docs/a.md"}


def test_a_survivor_fails_the_run_and_is_told_with_what_to_do(
    here: Here, capsys: pytest.CaptureFixture[str]
) -> None:
    here.every = [here.target("docs/a.md", "1", None)]
    assert here.run() == 1
    said = capsys.readouterr().out
    fault = "docs/a.md:3: number: '1' became '2' in 'x = 1'"
    assert fault in said
    assert "add a check that does; or" in said
    assert record.load()["documentation"]["docs/a.md"]["through"] == [fault]
    data = {
        "reasons": {"input": "why"},
        "patterns": {},
        "files": {"docs/a.md": [["input", "x = 1"]]},
    }
    here.known = Equivalent(data)
    assert here.run("--all") == 0
    assert record.load()["documentation"]["docs/a.md"]["reasons"] == {"input": 1}


def test_a_file_that_something_got_through_is_judged_again(here: Here) -> None:
    here.every = [here.target("docs/a.md", "1", None)]
    assert here.run() == 1
    assert here.run() == 1
    assert here.runs == ["docs/a.md"]


def test_a_sample_records_nothing_and_fails_on_what_got_through(here: Here) -> None:
    here.every = [here.target("docs/a.md", "1", None)]
    assert here.run("--seconds", "300") == 1
    assert not record.load()["documentation"]
    assert here.run("--seconds", "0") == 0


def test_a_sample_is_as_large_as_the_time_allows_and_the_seed_says_which() -> None:
    every = [fake(name, "1", None, []) for name in ("docs/a.md", "docs/b.md")]
    recorded = {"documentation": {"docs/a.md": {"seconds": 1000.0 * (os.cpu_count() or 1)}}}

    def drawn(seed: int, target: Target) -> list[bool]:
        draw = command.sampling(every, recorded, 100.0, seed)(target)
        return [draw() for _ in range(1000)]

    assert 60 < sum(drawn(0, every[0])) < 140
    assert drawn(0, every[0]) == drawn(0, every[0])
    assert drawn(0, every[0]) != drawn(1, every[0])
    assert drawn(0, every[0]) != drawn(0, every[1])


def test_pages_that_take_long_leave_the_modules_their_share_of_the_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = fake("docs/a.md", "1", None, [])
    module = page._replace(name="src/a.py", part="library")
    recorded = {
        "documentation": {"docs/a.md": {"seconds": 30.0}},
        "library": {"src/a.py": {"seconds": 10.0}},
    }
    now = 1000.0
    monkeypatch.setattr(command.time, "monotonic", lambda: now)
    chooser = command.sampling([page, module], recorded, 100.0, 0)
    of_page = chooser(page)
    now += 74
    assert of_page()
    now += 2
    assert not of_page()
    now += 500
    of_module = chooser(module)
    now += 24
    assert of_module()
    now += 2
    assert not of_module()


@pytest.mark.parametrize(("through", "code"), [(1, 0), (2, 1)])
def test_of_the_library_few_mutants_may_get_through(here: Here, through: int, code: int) -> None:
    fault = FAULT._replace(file="src/a.py", kind="library")
    outcomes = [Outcome(fault, "check: no")] * (20 - through) + [Outcome(fault, None)] * through
    here.modules = [Target("src/a.py", "1", lambda chosen: iter(outcomes), "library")]
    assert here.run() == code
    assert len(record.load()["library"]["src/a.py"]["through"]) == through
    assert here.run() == code
    assert here.run("--seconds", "300") == 0


def test_a_name_that_is_no_file_is_refused(here: Here) -> None:
    with pytest.raises(SystemExit):
        here.run("docs/no.md")


def test_an_excuse_that_nothing_needs_fails_the_run(
    here: Here, capsys: pytest.CaptureFixture[str]
) -> None:
    data = {"reasons": {"input": "why"}, "patterns": {}, "files": {"docs/a.md": [["input", "y"]]}}
    here.known = Equivalent(data)
    here.every = [here.target("docs/a.md", "1")]
    assert here.run() == 1
    assert "names no survivor any more, take it out: docs/a.md: ['input', 'y']" in (
        capsys.readouterr().out
    )


def test_an_excuse_for_a_mutant_that_was_not_drawn_stays_and_the_record_counts_it(
    here: Here,
) -> None:
    fault = FAULT._replace(file="src/a.py", kind="library")
    data = {
        "reasons": {"input": "why"},
        "patterns": {},
        "files": {fault.file: [["input", "x = 1"]]},
    }
    here.known = Equivalent(data)
    outcomes = [Outcome(fault, LEFT), Outcome(fault._replace(text="y = 1"), "check: no")]
    here.modules = [Target(fault.file, "1", lambda chosen: iter(outcomes), "library")]
    assert here.run() == 0
    row = record.load()["library"][fault.file]
    assert row["kinds"] == {"library": {"planted": 1, "check": 1, LEFT: 1}}


def test_an_excuse_holds_for_its_line_kind_and_pattern_alone() -> None:
    known = Equivalent(
        {
            "reasons": {"input": "why", "seed": "why"},
            "patterns": {"seed": r"manual_seed\((\d+)\)"},
            "files": {"docs/faq.md": [["input", "x = 1", "sign"]]},
        }
    )
    assert known.reason(FAULT) is None
    assert known.reason(FAULT._replace(kind="sign")) == "input"
    assert known.reason(FAULT._replace(text="torch.manual_seed(1)")) == "seed"
    assert known.reason(FAULT._replace(text="torch.manual_seed(0)")) is None
    assert known.reason(FAULT._replace(text="torch.manual_seed(1)", kind="library")) is None
    assert known.reason(FAULT._replace(refused=True)) == REFUSED
    assert known.reason(FAULT._replace(refused=True, kind="error")) is None


def test_every_excuse_has_a_reason_that_is_written_down() -> None:
    known = equivalent()
    used = {reason for entries in known._files.values() for reason, *_ in entries}
    assert used | set(known._patterns) | {REFUSED} == set(known.reasons)
    assert all(len(why.split()) > 5 for why in known.reasons.values())
