"""The warm process is started once, serves as long as it is wanted, and ends then."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from myst_nb_fork import warm
from myst_nb_fork.messages import Job, Step
from myst_nb_fork.warm import Warm
from tests.myst_nb_fork.conftest import alone, said


@pytest.fixture(autouse=True)
def nobody_else_s(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No warm process is there before, and none stays."""
    monkeypatch.setattr(warm, "_current", None)
    yield
    warm.stop()


def test_it_is_started_once_for_the_same_imports() -> None:
    first = warm.start(["json"])
    assert warm.start(["json"]) is first
    assert first.preload == ["json"]
    assert (first.alive, first.owned, first.used) == (True, True, False)
    second = warm.start(["json", "csv"])
    assert second is not first
    assert (first.alive, second.alive) == (False, True)
    second._process.kill()
    second._process.wait()
    assert not second.alive
    third = warm.start(["json", "csv"])
    assert third is not second
    warm.stop()
    assert not third.alive
    warm.stop()
    assert warm.start(["json", "csv"]) is not third


def test_the_imports_that_it_was_started_with_are_its_own() -> None:
    preload = ["json"]
    first = warm.start(preload)
    preload.append("csv")
    assert first.preload == ["json"]
    assert warm.start(["json"]) is first


def test_a_fork_leaves_it_to_its_owner() -> None:
    process = warm.start([])
    child = os.fork()
    if child == 0:
        try:
            same = warm.start([]) is process and process.alive and not process.owned
            process._process.returncode = 0  # as a fork cannot know
            same = same and process.alive
            warm.stop()
            os._exit(0 if same and warm._current is process else 1)
        finally:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    assert said(alone(process, "1")) == ["1"]
    assert process.used


@pytest.mark.parametrize(("seed", "given"), [(None, "0"), ("7", "7")])
def test_its_strings_hash_alike_unless_asked_otherwise(
    monkeypatch: pytest.MonkeyPatch, seed: str | None, given: str
) -> None:
    monkeypatch.delenv("PYTHONHASHSEED", raising=False)
    if seed:
        monkeypatch.setenv("PYTHONHASHSEED", seed)
    settings: list[dict[str, Any]] = []

    class Popen:
        def __init__(self, command: list[str], **keywords: Any) -> None:
            settings.append(keywords)

        def kill(self) -> None:
            pass

        wait = kill

    monkeypatch.setattr(warm.subprocess, "Popen", Popen)
    Warm([]).stop()
    assert settings[0]["env"] == {**os.environ, "PYTHONHASHSEED": given}
    assert settings[0]["stdin"] == subprocess.DEVNULL


def test_it_leads_a_session_and_shares_nothing_but_where_errors_go(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)
    process = warm.start(["csv"])
    run = alone(process, "import os, sys\nprint(os.getppid(), 'csv' in sys.modules)")
    parent, imported = said(run)[0].split()
    assert (int(parent), imported) == (process._process.pid, "True")
    assert os.getsid(int(parent)) == int(parent)
    assert os.readlink(f"/proc/{parent}/fd/0") == os.devnull
    assert os.readlink(f"/proc/{parent}/fd/2") == os.readlink("/proc/self/fd/2")


def test_it_holds_no_more_of_this_process_than_its_socket() -> None:
    process = warm.start([])
    pid = said(alone(process, "import os\nprint(os.getppid())"))[0].strip()
    held = [os.readlink(path) for path in Path(f"/proc/{pid}/fd").iterdir()]
    assert sum(name.startswith("socket:") for name in held) == 1
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        alone(process, "1")
    assert len(os.listdir("/proc/self/fd")) == before
    warm.stop()
    assert len(os.listdir("/proc/self/fd")) == before - 1


def test_to_stop_one_that_has_not_been_used_does_not_wait_for_its_imports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "slow_import.py").write_text("import time\ntime.sleep(60)\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    process = warm.start(["slow_import"])
    started = time.monotonic()
    warm.stop()
    assert time.monotonic() - started < 10
    assert process._process.returncode == -9


def test_to_stop_one_that_has_been_used_waits_for_its_end() -> None:
    process = warm.start([])
    alone(process, "1")
    warm.stop()
    assert process._process.returncode == 0


def test_a_page_of_a_process_that_is_gone_ends_at_once() -> None:
    process = Warm([])
    process._process.kill()
    process._process.wait()
    run = alone(process, "1")
    error = "DeadPageError: the process that runs the pages has ended"
    assert said(run) == [error]
    process.stop()


def test_a_job_of_any_size_arrives() -> None:
    process = warm.start([])
    text = "x" * (4 << 20)
    steps = (Step("cell", f"x = '{text}'"), Step("cell", "len(x)"))
    assert said(alone(process, *steps)) == ["", str(4 << 20)]
    ours, status = process.submit(Job("/", False, {}, ()))
    assert os.get_inheritable(ours.fileno()) is os.get_inheritable(status) is False
    with open(status, "rb") as file:
        assert file.read() == bytes(4)
    ours.close()


@pytest.mark.parametrize(
    ("platform", "supported"), [("linux", True), ("darwin", False), ("win32", False)]
)
def test_only_linux_can(monkeypatch: pytest.MonkeyPatch, platform: str, supported: bool) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    assert warm.supported() is supported
