"""Digests of what a page may have used."""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from collections.abc import Iterable
from glob import glob
from pathlib import Path


def installed() -> str:
    """A digest of this Python and of the name and version of everything that it can import."""
    folders = {Path(entry) for entry in sys.path if os.path.isdir(entry)}
    names = {found.name for folder in folders for found in folder.glob("*.dist-info")}
    return _digest("\n".join([platform.python_version(), *sorted(names)]).encode())


def digests(patterns: Iterable[str], root: Path) -> dict[str, str]:
    """A digest for each file that one of the patterns finds, under its real path."""
    found = (path for pattern in patterns for path in glob(str(root / pattern), recursive=True))
    files = {os.path.realpath(path) for path in found if os.path.isfile(path)}
    return {file: _digest(Path(file).read_bytes()) for file in sorted(files)}


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
