"""Time pages as Lighthouse does, on a slow phone: five runs a page, recorded.

`nox -s bench-pages` runs it on the site that `nox -s docs` built.
"""

import gzip
import json
import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from tests.browser.conftest import HERE, ROOT, chromium_path

SITE = ROOT / "build" / "html"
RECORD = ROOT / "src/vtj_site/records/phone.json"
PAGES = {
    "index.html": "the front page",
    "tutorials/three_outputs.html": "a tutorial",
    "how-to/errors.html": "a how-to",
    "explanation/history.html": "an explanation",
    "reference/outcomes.html": "a reference",
}
RUNS = 5
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")


class Host(SimpleHTTPRequestHandler):
    """Answers as hosts of pages do: text is compressed, and a connection is kept."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        file = Path(self.translate_path(self.path))
        if not file.is_file():
            self.send_error(404)
            return
        kind, body = self.guess_type(file), file.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        if kind.startswith("text/") or kind.endswith(("javascript", "json", "svg+xml")):
            body = gzip.compress(body)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Say nothing: Lighthouse reports what failed."""


@contextmanager
def served(site: Path) -> Iterator[str]:
    """Serve a folder; yield its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Host, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def scores(address: str) -> dict[str, int]:
    """Return what Lighthouse gives a page in each category, of 100, on its slow phone."""
    with TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        subprocess.run(
            [
                HERE / "node_modules" / ".bin" / "lighthouse",
                address,
                f"--only-categories={','.join(CATEGORIES)}",
                "--chrome-flags=--headless=new --no-sandbox",
                "--output=json",
                f"--output-path={report}",
                "--quiet",
            ],
            check=True,
            timeout=300,
            env={**os.environ, "CHROME_PATH": chromium_path()},
        )
        said = json.loads(report.read_text(encoding="utf-8"))
    return {name: round(100 * said["categories"][name]["score"]) for name in CATEGORIES}


def main() -> None:
    """Measure each page, and write the record."""
    rows = []
    with served(SITE) as address:
        for page, kind in PAGES.items():
            runs = [scores(f"{address}/{page}") for _ in range(RUNS)]
            row: dict[str, Any] = {"page": page, "kind": kind}
            row["performance"] = [run["performance"] for run in runs]
            row |= {name: min(run[name] for run in runs) for name in CATEGORIES[1:]}
            rows.append(row)
            print(f"{page}: {median(row['performance'])}: {row}", flush=True)
    tools = json.loads((HERE / "package.json").read_text(encoding="utf-8"))["devDependencies"]
    recording = {
        "date": date.today().isoformat(),
        "lighthouse": tools["lighthouse"],
        "chromium": Path(chromium_path()).name,
        "rows": rows,
    }
    RECORD.write_text(json.dumps(recording, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
