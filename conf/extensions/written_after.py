"""Whether a file was written after another that it is made from, so that it need not be again."""

from __future__ import annotations

from pathlib import Path


def written_after(file: Path, origin: Path) -> bool:
    """Say whether both files exist and the first is the newer one.

    Args:
        file: what was made.
        origin: what it was made from.

    Example:
        >>> written_after(Path("no-such-file"), Path(__file__))
        False
    """
    if not file.exists() or not origin.exists():
        return False
    return file.stat().st_mtime_ns > origin.stat().st_mtime_ns
