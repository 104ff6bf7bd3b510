"""Debian's Firefox, driven through WebDriver BiDi, which it speaks itself: Playwright cannot."""

import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

NAMES = ("firefox-esr", "firefox")  # as distributions call it
PATIENCE = 60.0  # seconds for one answer: a first start on a busy machine took 20
SETTINGS = """\
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("ui.prefersReducedMotion", 1);
"""
KEYS = {"Tab": "\ue004", "End": "\ue010", "Home": "\ue011", "Right": "\ue014", "Down": "\ue015"}
"""What WebDriver calls the keys that write no character."""


class Firefox:
    """One tab, with the errors and the addresses that the page in it has asked for."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection
        self.asked = 0
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.send("session.new", capabilities={})
        self.tab = self.send("browsingContext.getTree")["contexts"][0]["context"]
        events = ["log.entryAdded", "network.beforeRequestSent"]
        self.send("session.subscribe", events=events)

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command and return its result; what is told meanwhile is kept.

        Raises:
            RuntimeError: if Firefox refuses the command, or its script raises.
        """
        self.asked += 1
        command = {"id": self.asked, "method": method, "params": params}
        self.connection.send(json.dumps(command))
        while (said := json.loads(self.connection.recv(PATIENCE))).get("id") != self.asked:
            self.hear(said)
        result: dict[str, Any] = said.get("result", {})
        if said["type"] == "error" or result.get("type") == "exception":
            raise RuntimeError(f"Firefox: {method}: {json.dumps(said)[:500]}")
        return result

    def hear(self, event: dict[str, Any]) -> None:
        """Keep an error, a warning or the address of a request."""
        params = event.get("params", {})
        if event.get("method") == "network.beforeRequestSent":
            self.requests.append(params["request"]["url"])
        elif params.get("level") in {"error", "warn"}:
            self.errors.append(params["text"])

    def resize(self, width: int) -> None:
        """Make the window as wide as this."""
        size = {"width": width, "height": 900}
        self.send("browsingContext.setViewport", context=self.tab, viewport=size)

    def go(self, address: str) -> None:
        """Open an address, and forget what went on before."""
        self.send("browsingContext.navigate", context=self.tab, url="about:blank", wait="complete")
        self.errors.clear()
        self.requests.clear()
        self.send("browsingContext.navigate", context=self.tab, url=address, wait="complete")

    def evaluate(self, expression: str) -> Any:
        """Return the value of an expression, or of what it promises, in the page."""
        written = f"Promise.resolve({expression}).then((value) => JSON.stringify(value ?? null))"
        target = {"context": self.tab}
        given = self.send("script.evaluate", expression=written, target=target, awaitPromise=True)
        return json.loads(given["result"]["value"])

    def press(self, key: str, times: int = 1) -> None:
        """Press a key: one of KEYS, or a character."""
        value = KEYS.get(key, key)
        once = [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        actions = [{"type": "key", "id": "keyboard", "actions": once * times}]
        self.send("input.performActions", context=self.tab, actions=actions)


@contextmanager
def firefox() -> Iterator[Firefox]:
    """Start Firefox with a profile of its own, and end it.

    Raises:
        FileNotFoundError: if there is none.
        RuntimeError: if it ends before it can be driven.
    """
    found = [path for name in NAMES if (path := shutil.which(name))]
    if not found:
        raise FileNotFoundError("no Firefox: apt-get install firefox-esr")
    with tempfile.TemporaryDirectory() as profile:
        Path(profile, "user.js").write_text(SETTINGS, encoding="utf-8")
        options = ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port=0"]
        running = subprocess.Popen(
            [found[0], *options], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
        )
        try:
            yield from _connected(running)
        finally:
            running.terminate()
            running.communicate(timeout=PATIENCE)


def _connected(running: "subprocess.Popen[str]") -> Iterator[Firefox]:
    assert running.stderr is not None
    said = []
    for line in running.stderr:  # until it says where it listens
        said.append(line)
        if address := re.search(r"WebDriver BiDi listening on (ws://\S+)", line):
            with connect(f"{address[1]}/session", max_size=None) as connection:
                yield Firefox(connection)
            return
    raise RuntimeError(f"Firefox ended before it could be driven: {''.join(said)}")
