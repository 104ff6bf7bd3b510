"""The warm process forks a page at a time for each core, in its turn, and leaves nothing."""

import json
import os
import select
import signal
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from myst_nb_fork.messages import Ended, Job, Result, Step
from myst_nb_fork.warm import Warm
from tests.myst_nb_fork.conftest import alone, said, wait_until

CORES = len(os.sched_getaffinity(0))
PDEATHSIG, SUBREAPER = 2, 37  # linux/prctl.h, to ask for what family.py has set


@pytest.fixture
def process() -> Iterator[Warm]:
    """A warm process for one test."""
    started = Warm([])
    yield started
    started.stop()


def submitted(process: Warm, *sources: str) -> tuple[Connection, int]:
    steps = tuple(Step("cell", source) for source in sources)
    connection, status = process.submit(Job("/", False, {}, steps))
    return Connection(connection.detach()), status


def received(connection: Connection) -> Any:
    """The next that a page says."""
    assert connection.poll(10)
    return connection.recv()


def status_of(status: int) -> int | None:
    """The wait status of a page, once it has ended; None if nobody knows."""
    assert select.select([status], [], [], 10)[0]
    with open(status, "rb") as file:
        data = file.read()
    assert len(data) in {0, 4}
    return int.from_bytes(data, "little") if data else None


def test_as_many_pages_run_at_once_as_there_are_cores_and_in_their_order(
    process: Warm, tmp_path: Path
) -> None:
    def source(number: int) -> str:
        return (
            "import pathlib, time\n"
            f"folder = pathlib.Path({str(tmp_path)!r})\n"
            f"(folder / '{number}').touch()\n"
            f"while not (folder / 'go{number}').exists():\n    time.sleep(0.005)\n"
        )

    pages = [submitted(process, source(number)) for number in range(CORES + 2)]

    def begun() -> set[str]:
        return {path.name for path in tmp_path.iterdir() if not path.name.startswith("go")}

    first = {str(number) for number in range(CORES)}
    assert wait_until(lambda: begun() == first, 10)
    time.sleep(0.1)
    assert begun() == first
    for number in (CORES - 1, CORES):
        (tmp_path / f"go{number}").touch()
        assert wait_until(lambda: str(number + 1) in begun(), 10)  # noqa: B023
        assert begun() == {str(n) for n in range(number + 2)}
    for number in range(CORES + 2):
        (tmp_path / f"go{number}").touch()
    assert [status_of(status) for _, status in pages] == [0] * len(pages)


def test_a_crash_is_told_with_its_python_lines(capfd: pytest.CaptureFixture[str]) -> None:
    process = Warm([])
    _, end = submitted(process, "import ctypes\nctypes.string_at(0)")
    status_of(end)
    process.stop()
    error = capfd.readouterr().err
    assert "Fatal Python error: Segmentation fault" in error
    assert 'File "cell_1.py", line 2' in error


def test_a_page_begins_as_a_new_process_would(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)
    process = Warm([])
    source = (
        "import ctypes, faulthandler, gc, json, os, signal, sys\n"
        "def asked(option):\n"
        "    answer = ctypes.c_int()\n"
        "    ctypes.CDLL(None).prctl(option, ctypes.byref(answer), 0, 0, 0)\n"
        "    return answer.value\n"
        "print(json.dumps({\n"
        f"    'dies with its parent': asked({PDEATHSIG}),\n"
        f"    'adopts': asked({SUBREAPER}),\n"
        "    'leads a session': os.getsid(0) == os.getpid(),\n"
        "    'interrupt': signal.getsignal(signal.SIGINT) is signal.default_int_handler,\n"
        "    'child': signal.getsignal(signal.SIGCHLD) == signal.SIG_DFL,\n"
        "    'wakeup': signal.set_wakeup_fd(-1),\n"
        "    'collects': gc.isenabled(),\n"
        "    'frozen': gc.get_freeze_count() > 10_000,\n"
        "    'crashes are told': faulthandler.is_enabled(),\n"
        "    'imported': [name for name in ('stack_data', 'sphinx') if name in sys.modules],\n"
        "}))"
    )
    run = alone(process, source)
    process.stop()
    assert json.loads(said(run)[0]) == {
        "dies with its parent": signal.SIGKILL,
        "adopts": 1,
        "leads a session": True,
        "interrupt": True,
        "child": True,
        "wakeup": -1,
        "collects": True,
        "frozen": True,
        "crashes are told": True,
        "imported": ["stack_data"],
    }


def test_a_page_holds_nothing_that_is_another_s(process: Warm) -> None:
    source = (
        "import os\n"
        "held = []\n"
        "for name in os.listdir('/proc/self/fd'):\n"
        "    try:\n        held.append(os.readlink('/proc/self/fd/' + name)[:4])\n"
        "    except OSError:\n        pass\n"
        "print(*sorted(held))"
    )
    (alone_it_holds,) = said(alone(process, source))
    waits = "import time\ntime.sleep(0.5)"
    others = [submitted(process, waits) for _ in range(CORES + 1)]
    connection, status = submitted(process, source)
    more = [submitted(process, "1") for _ in range(3)]
    got = []
    while not (got and isinstance(got[-1], Ended)):
        got.append(received(connection))
    (result,) = [message for message in got if isinstance(message, Result)]
    assert result.messages[0][1]["text"] == alone_it_holds
    for _, end in [*others, *more]:
        assert status_of(end) == 0
    assert status_of(status) == 0


def test_what_is_not_inherited_is_in_no_program_that_a_page_starts(process: Warm) -> None:
    source = (
        "import os, subprocess\n"
        "print(subprocess.run(['ls', '/proc/self/fd'], close_fds=False, text=True,\n"
        "                     capture_output=True).stdout.split())"
    )
    assert said(alone(process, source)) == ["['0', '1', '2', '3']\n"]


def test_an_interrupt_of_the_warm_process_is_ignored(process: Warm) -> None:
    assert said(alone(process, "1")) == ["1"]
    os.kill(process._process.pid, signal.SIGINT)
    assert said(alone(process, "2")) == ["2"]


def test_to_stop_does_not_wait_for_a_page_that_goes_on(process: Warm) -> None:
    connection, status = submitted(process, "import time\ntime.sleep(60)")
    pid = received(connection)
    started = time.monotonic()
    process.stop()
    assert 2.5 <= time.monotonic() - started < 10
    assert process._process.returncode == 0
    assert not alive(pid)
    assert status_of(status) is None


def alive(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


LEAVES = (
    "import os, subprocess\n"
    "child = subprocess.Popen(['sleep', '60'], start_new_session=True, stdout=-3)\n"
    "subprocess.run(['sh', '-c', 'sleep 60 & echo $!; echo $PPID'])\n"
    "print(child.pid, flush=True)\n"
)


def left_by(connection: Connection) -> list[int]:
    """The processes that a page says that it has started; its parent's is the second."""
    while not isinstance(message := received(connection), Result):
        pass
    return [int(pid) for pid in message.messages[0][1]["text"].split()]


def test_what_a_page_leaves_is_killed_and_what_another_uses_is_not(
    process: Warm, tmp_path: Path
) -> None:
    other, end = submitted(
        process,
        LEAVES,
        f"import pathlib, time\nwhile not pathlib.Path({str(tmp_path / 'go')!r}).exists():\n"
        "    time.sleep(0.01)",
        "child.poll()",
    )
    kept = left_by(other)
    ended, status = submitted(process, LEAVES)
    gone = left_by(ended)
    assert status_of(status) == 0
    assert [alive(pid) for pid in gone] == [False] * 3
    assert [alive(pid) for pid in kept] == [True] * 3
    (tmp_path / "go").touch()
    assert status_of(end) == 0
    assert [alive(pid) for pid in kept] == [False] * 3
    while not isinstance(message := received(other), Ended):
        if isinstance(message, Result):
            assert message.messages == ()


def test_it_leads_a_session_and_holds_no_more_of_this_process_than_its_socket(
    process: Warm,
) -> None:
    pid = int(said(alone(process, "import os\nprint(os.getppid())"))[0])
    assert (pid, os.getsid(pid)) == (process._process.pid, pid)
    assert os.readlink(f"/proc/{pid}/fd/0") == os.devnull
    held = [os.readlink(path) for path in Path(f"/proc/{pid}/fd").iterdir()]
    assert sum(name.startswith("socket:") for name in held) == 1
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        alone(process, "1")
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_job_of_any_size_arrives(process: Warm) -> None:
    text = "x" * (4 << 20)
    assert said(alone(process, f"x = '{text}'", "len(x)")) == ["", str(4 << 20)]
