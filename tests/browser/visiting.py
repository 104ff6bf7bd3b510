"""A page in the browser, and what went on while it was open."""

from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Response


@dataclass
class Visit:
    """A page with its errors and the addresses it asked for."""

    page: Page
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def hear(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.errors.append(message.text)

    def receive(self, answer: Response) -> None:
        if answer.status >= 400:
            self.errors.append(f"{answer.status} {answer.url}")

    def weight(self, site: Path, server: str) -> dict[str, int]:
        """Return the bytes of each file of the site that was asked for, uncompressed.

        As they lie on disk: what a browser says it received is 0 for what it still has, and comes
        late on a busy machine, when the next page is open.
        """
        paths = {unquote(urlsplit(url.removeprefix(server)).path) for url in self.requests}
        files = {path.lstrip("/") for path in paths if not path.startswith("image/")}
        return {file: (site / file).stat().st_size for file in sorted(files)}

    def go(self, address: str) -> None:
        """Open an address, and forget what went on before."""
        self.page.goto("about:blank")
        self.errors.clear()
        self.requests.clear()
        self.page.goto(address)


def visit(context: BrowserContext) -> Visit:
    """Open an empty page that keeps record of its errors and requests."""
    opened = Visit(context.new_page())
    opened.page.on("pageerror", lambda error: opened.errors.append(str(error)))
    opened.page.on("console", opened.hear)
    opened.page.on("request", lambda request: opened.requests.append(request.url))
    opened.page.on("response", opened.receive)
    return opened
