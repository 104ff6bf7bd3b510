"""Lighthouse on one page of each kind: best practices and search at 100.

What it counts as accessibility are rules of axe, which test_pages.py asks of every page.
"""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.browser.conftest import HERE, kinds_of

CATEGORIES = ("best-practices", "seo")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    metafunc.parametrize("kind", kinds_of(metafunc.config))


def test_lighthouse_finds_nothing_to_better(
    kind: str, server: str, chromium: str, tmp_path: Path
) -> None:
    report = tmp_path / "report.json"
    subprocess.run(
        [
            HERE / "node_modules" / ".bin" / "lighthouse",
            f"{server}/{kind}",
            f"--only-categories={','.join(CATEGORIES)}",
            "--chrome-flags=--headless=new --no-sandbox",
            "--throttling-method=provided",  # nothing that depends on the network is asked
            "--output=json",
            f"--output-path={report}",
            "--quiet",
        ],
        check=True,
        timeout=120,
        env={**os.environ, "CHROME_PATH": chromium},
        capture_output=True,
    )
    said = json.loads(report.read_text(encoding="utf-8"))
    audits = said["audits"]
    failed = [
        f"{name}: {reference['id']}: {audits[reference['id']]['title']}"
        for name in CATEGORIES
        for reference in said["categories"][name]["auditRefs"]
        if reference["weight"] and audits[reference["id"]]["score"] not in (None, 1)
    ]
    assert failed == []
    assert [said["categories"][name]["score"] for name in CATEGORIES] == [1] * len(CATEGORIES)
