"""Faults in a small page are judged by the command itself; what survives is named and fails it."""

import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from tests.docs import shown
from tests.mutants import __main__ as command
from tests.mutants import judging, no_faults
from tests.mutants.forks import Fork, in_fork
from tests.mutants.judging import Fault
from tests.mutants.no_faults import REFUSED, NoFaults

PAGE = """# Title

```{code-cell} python
x = 3
y = x * 2
assert y == 6
```

So it is {eval}`y`.

```{code-cell} python
z = 5
z
```

```{code-cell} python
unused = 7
```
"""
PICTURE = """from vtj_site.figures import accumulation, read_back
import torch

read_back(accumulation([torch.tensor(2.0), torch.tensor(5.0)]), sums=[2, 5])
"""
NAME = "docs/page.md"
SURVIVOR = "docs/page.md:17: number: '7' became '8' in 'unused = 7'"
EXCUSED = [["unused", "unused = 7", "number"]]
FAULT = Fault(NAME, 3, "number", "x = 1", "1", "2")


class Site:
    """A site of one page: what it shows is approved, and no change of it is excused yet."""

    def __init__(self, folder: Path) -> None:
        self.page, self.record = folder / NAME, folder / "mutants.json"
        self.excuses = folder / "no_faults.yaml"
        self.page.parent.mkdir()
        self.record.write_text('{"library": []}', encoding="utf-8")
        self.excuse([])

    def excuse(self, entries: list[list[str]]) -> None:
        data = {"reasons": {"unused": "why"}, "patterns": {}, "files": {NAME: entries}}
        self.excuses.write_text(json.dumps(data), encoding="utf-8")

    def write(self, text: str = PAGE) -> None:
        self.page.write_text(text, encoding="utf-8")

    def judged(self) -> dict[tuple[int, str], str | None]:
        return {
            (fault.line, fault.before): caught and caught[:5]
            for fault, caught in judging.judge(NAME)
        }


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    site = Site(tmp_path)
    monkeypatch.setattr(shown, "DOCS", tmp_path / "docs")
    monkeypatch.setattr(shown, "FOLDER", tmp_path / "shown")
    monkeypatch.setattr(judging, "ROOT", tmp_path)
    monkeypatch.setattr(no_faults, "FILE", site.excuses)
    monkeypatch.setattr(command, "RECORD", site.record)
    site.write()
    shown.write(site.page)
    return site


def test_what_catches_each_fault_is_told(site: Site) -> None:
    assert site.judged() == {
        (4, "3"): "check",
        (5, "2"): "check",
        (6, "6"): "check",
        (12, "5"): "shown",
        (17, "7"): None,
    }


def test_what_a_sentence_says_or_quotes_is_caught(site: Site) -> None:
    site.write(PAGE.replace("So it is {eval}`y`", "With `unused = 7` it is {eval}`y - 0`"))
    found = site.judged()
    assert (found[9, "-"], found[9, "0"], found[17, "7"]) == (None, "shown", "check")


def test_a_fault_in_a_picture_is_refused_by_what_reads_it_back(site: Site) -> None:
    site.write(f"# Title\n\n```{{code-cell}} python\n{PICTURE}```\n")
    shown.write(site.page)
    caught = [said for fault, said in judging.judge(NAME) if fault.kind == "figure"]
    refused = [said for said in caught if said and said.startswith("check: ")]
    assert len(caught) > len(refused) >= 0.9 * len(caught)
    said = "the picture says ['call 3', '2 + 3 = 5'], true is ['call 2', '2.0 + 3.0 = 5.0']"
    assert f"check: a line of words: {said}" in refused
    assert "shown" in caught, "a change that the reading does not see, and the digest does"


def test_a_page_that_is_wrong_before_any_fault_is_not_judged(site: Site) -> None:
    site.write(PAGE.replace("== 6", "== 7"))
    with pytest.raises(AssertionError, match=r"docs/page.md:4: without a fault, it says check"):
        site.judged()


def test_a_survivor_is_named_and_fails_the_command_until_it_is_excused(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main([]) == 1
    said = capsys.readouterr().out
    assert f"got through: {SURVIVOR}" in said
    assert "add a check that does; or" in said
    site.excuse(EXCUSED)
    assert command.main([NAME]) == 0
    site.excuse([*EXCUSED, ["unused", "y = x * 2"]])
    assert command.main([]) == 1
    assert f"any more, take it out: {NAME}: ['unused', 'y = x * 2']" in capsys.readouterr().out


def test_of_some_files_some_faults_are_planted_and_no_excuse_is_called_needless(
    site: Site, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "of_this_commit", lambda every: every)
    monkeypatch.setattr(command, "picked_for_this_commit", lambda fault: fault.after in "48")
    site.excuse(EXCUSED)
    assert command.main(["--some"]) == 0
    assert f"{NAME}: planted 1, check 1;" in capsys.readouterr().out, "unused = 8 is excused"


def test_chance_picks_one_fault_of_a_few_and_others_for_each_commit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    faults, drawn = [FAULT._replace(line=line) for line in range(600)], []
    for commit in "ab":
        monkeypatch.setattr(command, "_commit", lambda commit=commit: commit)
        drawn.append(set(filter(command.picked_for_this_commit, faults)))
    assert [round(len(faults) / len(each)) for each in drawn] == [command.ONE_IN] * 2
    assert len(drawn[0] & drawn[1]) < len(drawn[0]) / 2


def test_all_faults_of_all_files_are_recorded(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.excuse(EXCUSED)
    assert command.main(["--record"]) == 0
    written = json.loads(site.record.read_text(encoding="utf-8"))["documentation"]
    row = {"number": {"planted": 5, "check": 3, "shown": 1, "no fault": 1}}
    assert written["files"] == {NAME: row}
    assert written["reasons"] == {"unused": ["why", 1]}
    for arguments in (["--record", "--some"], ["docs/no.md"]):
        with pytest.raises(SystemExit):
            command.main(arguments)


def test_the_row_of_a_named_file_is_recorded_anew_where_no_other_has_changed(
    site: Site, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "digest", lambda name: (judging.ROOT / name).read_text("utf-8"))
    other = site.page.with_name("other.md")
    other.write_text("```{code-cell} python\nassert 2 + 2 == 4\n```\n", encoding="utf-8")
    site.excuse(EXCUSED)
    command.main(["--record"])
    site.write(PAGE.replace("unused = 7", "assert y"))
    shown.write(site.page)
    with pytest.raises(SystemExit):
        command.main(["--record", "docs/other.md"])
    said = "docs/page.md has changed since the record: name it too"
    assert said in capsys.readouterr().err
    command.main(["--record", NAME])
    written = json.loads(site.record.read_text(encoding="utf-8"))["documentation"]
    assert written["files"][NAME] == {"number": {"planted": 4, "check": 3, "shown": 1}}
    assert written["files"]["docs/other.md"]["number"] == {"planted": 3, "check": 3}
    assert written["reasons"] == {"unused": ["why", 0]}


def test_some_files_are_those_of_the_last_day_and_others_for_each_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = [f"{k}.md" for k in range(90)]

    def commit(name: str, when: str) -> list[str]:
        (tmp_path / name).write_text(when, encoding="utf-8")
        day = {f"GIT_{who}_DATE": f"{when}T12:00:00Z" for who in ("AUTHOR", "COMMITTER")}
        person = ("-c", "user.name=A", "-c", "user.email=a@b.c")
        for command_ in (["init", "-q"], ["add", "."], [*person, "commit", "-qm", when]):
            subprocess.run(["git", *command_], check=True, env=os.environ | day)
        return command.of_this_commit(names)

    drawn = [set(commit(names[k], f"2026-01-0{3 * k + 1}")) for k in range(3)]
    assert all(names[k] in drawn[k] and len(drawn[k]) == command.SOME for k in range(3))
    assert len(set.union(*drawn)) > command.SOME, "others for each commit"


def test_a_module_holds_the_fault_when_its_page_is_read() -> None:
    file = Path(judging.__file__).parents[2] / "src/vtj_site/sources/agreement.py"

    def said() -> bool:
        judging.instead_of(file, "def equals(a, values):\n    return 'planted'\n")
        from vtj_site.sources.agreement import equals

        return equals(None, 0)

    assert in_fork(said) == "planted"


def test_a_fork_leaves_nothing_and_answers_late_dead_or_not_at_all() -> None:
    assert in_fork(lambda: {"sum": 1 + 1}) == {"sum": 2}
    assert in_fork(lambda: os._exit(3)) == "ended the process"
    assert in_fork(lambda: time.sleep(60), seconds=0.2) == "took longer than 0.2 seconds"
    with pytest.raises(ChildProcessError, match="ZeroDivisionError"):
        in_fork(lambda: 1 / 0)
    Fork(lambda: time.sleep(60)).end()


def test_an_excuse_holds_for_its_line_kind_and_pattern_alone() -> None:
    known = NoFaults(
        {
            "reasons": {"input": "why", "seed": "why"},
            "patterns": {"seed": r"manual_seed\((\d+)\)"},
            "files": {NAME: [["input", "x = 1", "sign", "row"]]},
        }
    )
    assert known.reason(FAULT) is None
    assert known.reason(FAULT._replace(kind="sign")) == "input"
    assert known.reason(FAULT._replace(text="torch.manual_seed(1)")) == "seed"
    assert known.reason(FAULT._replace(text="torch.manual_seed(0)")) is None
    assert known.reason(FAULT._replace(refused=True)) == REFUSED
    assert known.reason(FAULT._replace(refused=True, kind="error")) is None


def test_every_excuse_has_a_reason_that_is_written_down() -> None:
    known = NoFaults.read()
    used = {reason for entries in known.files.values() for reason, *_ in entries}
    assert used | set(known.patterns) | {REFUSED} == set(known.reasons)
    assert known.files.keys() <= set(judging.files())
