import atexit
import gc
from typing import Any

import pytest
import rare_collections


def test_collections_are_rare_and_none_is_left_for_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    ends: list[Any] = []
    monkeypatch.setattr(atexit, "register", ends.append)
    before = gc.get_threshold()
    try:
        assert rare_collections.setup(None)["parallel_read_safe"]  # type: ignore[arg-type]
        assert gc.get_threshold() == rare_collections.THRESHOLDS
    finally:
        gc.set_threshold(*before)
    assert ends == [gc.freeze]
