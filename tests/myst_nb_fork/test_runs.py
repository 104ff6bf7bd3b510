"""Pages are started ahead, and what comes from all of them is taken in."""

import os
import time
from multiprocessing import Pipe, connection
from typing import Any

import pytest

from myst_nb_fork import runs as module
from myst_nb_fork.messages import Result
from myst_nb_fork.runs import Runs


class Fake:
    """A run: of each message that comes, it takes the seconds; None ends it."""

    def __init__(self) -> None:
        self.connection, self.other = Pipe()
        self.results: list[Result] = []
        self.deadline: float | None = None
        self.did: list[str] = []

    @property
    def over(self) -> bool:
        return self.connection.closed

    def receive(self) -> None:
        message = self.connection.recv()
        if message is None:
            self.stop()
        else:
            self.results.append(Result(seconds=message))

    def time_out(self) -> None:
        self.did.append("timed out")
        self.stop()

    def finish(self) -> None:
        self.did.append("finished")

    def stop(self) -> None:
        self.did.append("stopped")
        self.connection.close()
        self.other.close()


class Watched:
    """Runs, and what they told."""

    def __init__(self) -> None:
        self.told: list[tuple[Any, range]] = []
        self.waits: list[float | None] = []
        self.runs = Runs(lambda run, new: self.told.append((run, new)))

    def watch(self) -> Any:
        run: Any = Fake()
        assert self.runs.watch(run) is run
        return run


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Watched:
    made = Watched()

    def wait(connections: list[Any], timeout: float | None) -> list[Any]:
        made.waits.append(timeout)
        return connection.wait(connections, timeout)

    monkeypatch.setattr(module, "wait", wait)
    return made


def test_pages_are_started_when_there_is_room_and_taken_once(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_AHEAD", 2)
    started: dict[str, Any] = {}

    def add(page: str, runs: bool = True) -> None:
        def start() -> Any:
            started[page] = Fake() if runs else None
            return started[page]

        watched.runs.add(page, start)

    for page in "ab":
        add(page)
    add("nothing", runs=False)
    for page in "cde":
        add(page)
    assert started == {}
    watched.runs.look()
    assert list(started) == ["a", "b"]
    assert all(watched.runs.expects(page) for page in ["a", "b", "nothing", "c", "d", "e"])
    assert not watched.runs.expects("f")
    assert watched.runs.take("a") is started["a"]
    assert not watched.runs.expects("a")
    assert watched.runs.take("a") is None
    assert watched.runs.take("f") is None
    assert watched.runs.take("d") is None  # not started yet: who takes it starts it
    started["a"].other.send(None)
    watched.runs.look()
    watched.runs.look()
    assert list(started) == ["a", "b", "nothing", "c"]
    assert not watched.runs.expects("nothing")
    assert [watched.runs.expects(page) for page in "bcde"] == [True, True, False, True]
    watched.runs.stop()
    assert [started[page].did for page in "bc"] == [["stopped"]] * 2
    assert not any(watched.runs.expects(page) for page in "bcde")
    watched.runs.look()
    assert "e" not in started


def test_thirty_two_are_ahead(watched: Watched) -> None:
    started = []

    def start() -> Any:
        started.append(Fake())
        return started[-1]

    for number in range(40):
        watched.runs.add(str(number), start)
    watched.runs.look()
    assert len(started) == 32
    watched.runs.stop()


def test_what_comes_is_told_once(watched: Watched) -> None:
    a, b, c = (watched.watch() for _ in range(3))
    watched.runs.look()
    assert watched.told == []
    a.other.send(1)
    a.other.send(2)
    c.other.send(3)
    watched.runs.look()
    assert sorted(watched.told, key=lambda told: told[0] is c) == [
        (a, range(1)),
        (a, range(1, 2)),
        (c, range(1)),
    ]
    watched.told.clear()
    b.other.send(None)
    c.other.send(4)
    watched.runs.look()
    assert (b, range(0)) in watched.told
    assert (c, range(1, 2)) in watched.told
    assert len(watched.told) == 2
    watched.runs.stop()
    assert (a.did, b.did, c.did) == (["stopped"], ["stopped"], ["stopped"])


def test_a_result_is_waited_for(watched: Watched) -> None:
    a, b = watched.watch(), watched.watch()
    child = os.fork()
    if child == 0:
        for seconds, run in ((1, b), (2, a), (3, a)):
            time.sleep(0.1)
            run.other.send(seconds)
        time.sleep(0.2)
        a.other.send(None)
        os._exit(0)
    assert watched.runs.result(a, 1) == Result(seconds=3)
    assert watched.runs.result(a, 0) == Result(seconds=2)
    assert b.results == [Result(seconds=1)]
    assert (a.did, b.did) == ([], [])
    watched.runs.end(a)
    assert len(watched.waits) < 20  # it slept in between
    os.waitpid(child, 0)
    assert a.did == ["finished", "stopped"]
    watched.runs.drop(b)
    watched.runs.look()
    assert b.did == ["stopped"]
    assert [told[0] for told in watched.told].count(b) == 1
    watched.runs.drop(b)
    watched.runs.stop()
    assert a.did == ["finished", "stopped"]


def test_one_that_takes_too_long_is_timed_out_and_no_other(watched: Watched) -> None:
    early, late, never = (watched.watch() for _ in range(3))
    early.deadline = time.monotonic() + 0.3
    late.deadline = time.monotonic() + 60
    watched.runs.look()
    assert watched.waits == [0]
    while not early.over:
        watched.runs.look(block=True)
    assert early.deadline <= time.monotonic() < early.deadline + 5
    assert all(0 <= patience <= 0.3 for patience in watched.waits if patience is not None)
    assert len(watched.waits) < 20
    assert (early.did, late.did, never.did) == (["timed out", "stopped"], [], [])
    assert watched.told == [(early, range(0))]
    watched.runs.stop()


def test_one_whose_time_is_over_already_is_not_waited_for(watched: Watched) -> None:
    run = watched.watch()
    run.deadline = time.monotonic() - 5
    watched.runs.look(block=True)
    assert watched.waits == [0]
    assert run.did == ["timed out", "stopped"]


def test_what_came_in_time_counts_although_its_time_is_over_now(watched: Watched) -> None:
    run = watched.watch()
    run.deadline = time.monotonic() - 1

    def receive() -> None:
        run.deadline = None
        run.results.append(run.connection.recv())

    run.receive = receive
    run.other.send(Result())
    watched.runs.look()
    assert (run.did, run.results) == ([], [Result()])
    watched.runs.stop()


def test_to_look_does_not_wait_and_to_block_waits_for_one_thing(watched: Watched) -> None:
    run = watched.watch()
    watched.runs.look()
    run.other.send(1)
    run.other.send(2)
    watched.runs.look(block=True)
    assert [result.seconds for result in run.results] == [1, 2]
    assert watched.waits == [0, None, 0, 0]
    watched.runs.stop()
