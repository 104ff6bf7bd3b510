"""How long after saving a page a browser shows its new output, with `conf/live.py`."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from playwright.sync_api import sync_playwright

LIVE = Path(__file__).parents[3] / "conf/live.py"


def latencies(source: Path, conf: Path, page: str, folder: Path, times: int) -> list[float]:
    """Serve a site, edit one of its pages some times, and wait for a browser to show it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    serve: list[str | Path] = [sys.executable, LIVE, "--port", str(port), "-q", "-c", conf]
    command = [*serve, "-d", folder / "doctrees", source, folder / "html"]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        return edited(source / f"{page}.md", f"http://127.0.0.1:{port}/{page}.html", times)
    finally:
        server.send_signal(signal.SIGKILL)
        server.wait()


def edited(file: Path, address: str, times: int) -> list[float]:
    """Edit a file and wait for what is served at an address to show it."""
    wait_for(address)
    text, taken = file.read_text(), []
    with sync_playwright() as playwright:
        program = os.environ.get("CHROMIUM", "/usr/bin/chromium")
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        tab = browser.new_page()
        tab.goto(address)
        for number in range(times):
            time.sleep(2)  # nobody saves twice a second
            cell = f"\n```{{code-cell}} python\nprint('seen', {number} + 1000)\n```\n"
            saved = time.perf_counter()
            file.write_text(text + cell)
            shows = f"document.body?.innerText.includes('seen {number + 1000}\\n')"
            tab.wait_for_function(shows, timeout=60_000, polling=10)
            taken.append(time.perf_counter() - saved)
        browser.close()
    file.write_text(text)
    return taken


def wait_for(address: str) -> None:
    """Until something is served at an address, for at most five minutes."""
    deadline = time.monotonic() + 300
    while True:
        try:
            urllib.request.urlopen(address).close()
        except (urllib.error.URLError, ConnectionError):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)
        else:
            return
