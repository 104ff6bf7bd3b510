"""The processes in which much of `myst_nb_fork` runs: with a mutant, or traced.

A warm process starts in a quarter of a second, which is much for one mutant. Here it is a fork of
an ancestor that has imported what it imports. For each mutant the ancestor forks a keeper, which
forks the warm processes that the tests ask for, and in the end kills all that is left.
"""

import atexit
import ctypes
import gc
import marshal
import os
import pickle
import select
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from tempfile import NamedTemporaryFile
from types import CodeType, FrameType, FunctionType, SimpleNamespace
from typing import Any, NamedTuple, NoReturn
from unittest import mock

from myst_nb_fork import warm
from myst_nb_fork.family import adopt_orphans, children
from tests.mutants.codes import place

ROOT = Path(__file__).parents[2]
PACKAGE = str(Path(warm.__file__).parent.parent)
TOKEN = "MYST_NB_FORK_TEST"
"""By this the tests know the processes that they have started, in what Linux says of them."""
START = (
    "import sys; sys.path[0] = sys.argv[1]; sys.path.insert(0, sys.argv[2]); "
    "from tests.mutants import elsewhere; del sys.path[:2]; elsewhere.fork_keepers()"
)


class Order(NamedTuple):
    """A warm process to be forked.

    Attributes:
        preload: the modules that it shall import.
        environment: its own.
        folder: where it starts.
        changes: the place of a function and its marshaled code with a mutant, or nothing.
        trace: the file for the places of what it and its forks call, or "".
    """

    preload: Sequence[str]
    environment: dict[str, str]
    folder: str
    changes: tuple[str, bytes] | None
    trace: str


class Ancestor:
    """The process that all others come from; it ends with the last that holds its socket."""

    def __init__(self) -> None:
        self._control, theirs = socket.socketpair()
        settings = {"PYTHONHASHSEED": "0", "PYTHONPATH": "", TOKEN: "0" * 32}
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-c", START, PACKAGE, str(ROOT), str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env={**os.environ, **settings},
                start_new_session=True,
            )

    @contextmanager
    def keeper(self) -> Iterator[socket.socket]:
        """Have a keeper forked; in the end, wait until it has killed all that it kept."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            socket.send_fds(self._control, [b"."], [theirs.fileno()])
        with ours:
            try:
                yield ours
            finally:
                ours.shutdown(socket.SHUT_WR)
                while ours.recv(64):
                    pass

    def end(self) -> None:
        """End it, once no keeper is needed any more."""
        self._control.close()
        self._process.wait()


class Process:
    """What `subprocess.Popen` would be to `warm`, for a process that a keeper has forked."""

    def __init__(self, pid: int, keeper: socket.socket) -> None:
        self.pid, self._keeper, self._ended = pid, keeper, os.pidfd_open(pid)
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """How it has ended, if it has."""
        if self.returncode is None and select.select([self._ended], [], [], 0)[0]:
            self.wait()
        return self.returncode

    def wait(self) -> int:
        """Wait for its end."""
        if self.returncode is None:
            select.select([self._ended], [], [])
            self._keeper.send(self.pid.to_bytes(4, "little"))
            self.returncode = int.from_bytes(self._keeper.recv(64), "little", signed=True)
        return self.returncode

    def kill(self) -> None:
        """End it, if it runs."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)


_ancestor: Ancestor | None = None


def ready() -> None:
    """Start the ancestor, once for all forks of this process."""
    global _ancestor
    if _ancestor is None:
        _ancestor = Ancestor()
        atexit.register(end)


def end() -> None:
    """End the ancestor."""
    global _ancestor
    if _ancestor is not None:
        _ancestor.end()
        _ancestor = None


def kept() -> Any:
    """A keeper for all that is started within; None without an ancestor."""
    return _ancestor.keeper() if _ancestor else nullcontext()


@contextmanager
def started_by(
    keeper: socket.socket | None,
    changes: tuple[str, CodeType] | None = None,
    trace: str = "",
) -> Iterator[None]:
    """Have a keeper fork the warm processes; a mutant of `warm` needs one that it starts itself.

    Args:
        keeper: it; None leaves all as it is.
        changes: the place of a function, and its code with a mutant.
        trace: the file for what is called.
    """
    if keeper is None or (changes and changes[0].startswith(f"{warm.__file__}:")):
        yield
        return
    mutant = changes and (changes[0], marshal.dumps(changes[1]))

    def start(command: list[str], pass_fds: list[int], env: dict[str, str], **_: object) -> Process:
        order = Order(command[5:], dict(env), os.getcwd(), mutant, trace)
        socket.send_fds(keeper, [pickle.dumps(tuple(order))], [*pass_fds, 1, 2])
        return Process(int.from_bytes(keeper.recv(64), "little"), keeper)

    stand_in = SimpleNamespace(Popen=start, DEVNULL=subprocess.DEVNULL)
    with mock.patch.object(warm, "subprocess", stand_in):
        yield


@contextmanager
def traced() -> Iterator[set[str]]:
    """The places of what is called in the warm processes that are started within, at the end."""
    places: set[str] = set()
    with NamedTemporaryFile("r", encoding="utf-8") as file:
        with kept() as keeper, started_by(keeper, trace=file.name):
            yield places
        places.update(file.read().splitlines())


def fork_keepers() -> NoReturn:
    """Be the ancestor: fork a keeper for each socket that comes."""
    import importlib

    from myst_nb_fork import zygote

    for name in zygote._LATE:
        importlib.import_module(name)
    control = socket.socket(fileno=int(sys.argv[3]))
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks how a keeper has ended
    while True:
        _, descriptors, *_ = socket.recv_fds(control, 1, 1)
        if not descriptors:
            os._exit(0)
        connection = socket.socket(fileno=descriptors[0])
        if os.fork() == 0:
            control.close()
            keep(connection)
        connection.close()


def keep(connection: socket.socket) -> NoReturn:
    """Be a keeper: fork a warm process for each order that comes, and kill them all at its end."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    adopt_orphans()
    while True:
        data, descriptors, *_ = socket.recv_fds(connection, 1 << 18, 3)
        if not data:
            break
        if not descriptors:  # the number of one that has ended, to be told how
            status = os.waitpid(int.from_bytes(data, "little"), 0)[1]
            code = os.waitstatus_to_exitcode(status)
            connection.send(code.to_bytes(4, "little", signed=True))
            continue
        pid = os.fork()
        if pid == 0:
            connection.close()
            become_warm(Order(*pickle.loads(data)), *descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        connection.send(pid.to_bytes(4, "little"))
    while left := children():
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        for pid in left:
            os.waitpid(pid, 0)
    os._exit(0)


def become_warm(order: Order, control: int, stdout: int, stderr: int) -> NoReturn:
    """Be a warm process, as `warm` would start it."""
    try:
        os.setsid()
        os.chdir(order.folder)
        for standard, descriptor in ((1, stdout), (2, stderr)):
            os.dup2(descriptor, standard)
            os.close(descriptor)
        _be_marked(order.environment.get(TOKEN, ""))
        os.environ.clear()
        os.environ.update(order.environment)
        sys.dont_write_bytecode = "PYTHONDONTWRITEBYTECODE" in order.environment
        places = order.environment.get("PYTHONPATH", "").split(os.pathsep)
        sys.path[:0] = [PACKAGE, *(entry for entry in places if entry not in sys.path)]
        sys.argv[:] = ["-c", str(control), *order.preload]
        if order.changes:
            _plant(*order.changes)
        if order.trace:
            _trace(order.trace)
        from myst_nb_fork import zygote

        zygote.main()
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


def _be_marked(token: str) -> None:
    """Write a token where Linux shows the environment that the ancestor was started with."""
    getenv = ctypes.CDLL(None).getenv
    getenv.restype = ctypes.c_void_p
    ctypes.memmove(getenv(TOKEN.encode()), token.encode(), min(len(token), 32))


def _plant(where: str, marshaled: bytes) -> None:
    after = marshal.loads(marshaled)
    for thing in gc.get_objects():
        if type(thing) is FunctionType and place(thing.__code__) == where:
            thing.__code__ = after


def _trace(path: str) -> None:
    seen: set[CodeType] = set()

    def note(frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        if code.co_filename.startswith(PACKAGE) and code not in seen:
            seen.add(code)
            file = os.open(path, os.O_WRONLY | os.O_APPEND)
            os.write(file, f"{place(code)}\n".encode())
            os.close(file)

    threading.settrace(note)
    sys.settrace(note)
