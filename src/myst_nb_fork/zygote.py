"""The warm process: imports once, forks one process a page, and leaves none behind."""

import contextlib
import faulthandler
import gc
import importlib
import os
import select
import signal
import socket
import sys
import time
import traceback
from collections import deque
from multiprocessing.connection import Connection
from typing import NoReturn

from myst_nb_fork.family import adopt_orphans, children, connected, end_with_parent
from myst_nb_fork.page import SECONDS_TO_CLEAN_UP, Page, clean_up, set_backend

# What IPython imports when a page first runs a cell, and when one raises.
_LATE = ["bdb", "IPython.core.logger", "pygments.formatters.terminal256", "stack_data"]


def main() -> NoReturn:
    """Serve the socket that the first argument names; the others are modules to import."""
    del sys.path[0]  # where this package was found; pages must not see it
    control = socket.socket(fileno=int(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()  # what an import makes is not garbage soon
    page = Page()
    set_backend()  # here too: pyplot may be among the imports
    for name in [*_LATE, *sys.argv[2:]]:
        try:
            importlib.import_module(name)
        except (Exception, SystemExit) as error:  # a page that imports it gets it too
            print(f"myst_nb_fork: {name} cannot be imported in advance: {error}", file=sys.stderr)
    page.settle()
    gc.freeze()  # so that the collector does not touch, and copy, what all pages share
    gc.enable()
    Zygote(page, control).serve()
    os._exit(0)  # torch alone would take half a second to be torn down


class Zygote:
    """Forks a process for each page, as many at a time as there are cores."""

    def __init__(self, page: Page, control: socket.socket) -> None:
        self._page = page
        self._control = control
        self._cores = len(os.sched_getaffinity(0))
        self._waiting: deque[list[int]] = deque()
        self._running: dict[int, int] = {}
        self._alarm, self._bell = os.pipe()
        os.set_blocking(self._alarm, False)
        os.set_blocking(self._bell, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._bell, warn_on_full_buffer=False)
        # What a page has left running becomes a child of this process when the page ends.
        adopt_orphans()

    def serve(self) -> None:
        """Until nobody holds the other end of the control socket, or it says to stop."""
        while True:
            ready, _, _ = select.select([self._control.fileno(), self._alarm], [], [])
            if self._alarm in ready:
                self._reap()
            if self._control.fileno() in ready:
                byte, descriptors, _, _ = socket.recv_fds(self._control, 1, 3)
                if not descriptors:
                    break
                for descriptor in descriptors:
                    os.set_inheritable(descriptor, False)
                self._waiting.append(descriptors)
            while self._waiting and len(self._running) < self._cores:
                self._fork(*self._waiting.popleft())
        # Who says to stop leaves the pages that run the time to clean up.
        deadline = time.monotonic() + (SECONDS_TO_CLEAN_UP if byte else 0)
        while self._running and (left := deadline - time.monotonic()) > 0:
            select.select([self._alarm], [], [], left)
            self._reap()
        self._running.clear()
        self._kill_orphans()

    def _fork(self, connection: int, status: int, job: int) -> None:
        # Before the first parallel region of torch or numpy in this process: the threads of
        # their pools do not survive a fork, and a page would wait for them for ever. So this
        # process imports, forks, and does nothing else.
        pid = os.fork()
        if pid == 0:
            self._become_page(connection, status, job)
        self._running[pid] = status
        os.close(connection)
        os.close(job)

    def _become_page(self, connection: int, status: int, job: int) -> NoReturn:
        code = 1
        console = os.fdopen(os.dup(2), "w", 1)  # what is not the page's own goes to who builds it
        faulthandler.enable(console)
        try:
            end_with_parent()
            adopt_orphans()  # while it runs, they stay with it: none is taken for another page's
            os.setsid()
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            # As long as a page holds a copy of another's descriptors, that one cannot end.
            others = [descriptor for page in self._waiting for descriptor in page]
            for descriptor in (status, self._alarm, self._bell, *self._running.values(), *others):
                os.close(descriptor)
            self._control.close()
            with Connection(connection) as channel:
                try:
                    self._page.run(job, channel)
                    code = 0
                except (ConnectionError, EOFError):
                    pass  # Sphinx does not want this page any more
                except BaseException:
                    if connected(connection):  # else its folder may have gone, for one
                        traceback.print_exc(file=console)
            if code == 0:
                clean_up()
        finally:
            os._exit(code)

    def _reap(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.read(self._alarm, 4096)
        ended = []
        with contextlib.suppress(ChildProcessError):  # there is none left
            while (child := os.waitpid(-1, os.WNOHANG))[0]:
                if child[0] in self._running:
                    ended.append((self._running.pop(child[0]), child[1]))
        self._kill_orphans()
        for descriptor, status in ended:
            with contextlib.suppress(BrokenPipeError):  # perhaps nobody asks how it ended
                os.write(descriptor, status.to_bytes(4, "little"))
            os.close(descriptor)

    def _kill_orphans(self) -> None:
        while orphans := children() - self._running.keys():
            for pid in orphans:
                os.kill(pid, signal.SIGKILL)
            for pid in orphans:
                os.waitpid(pid, 0)
