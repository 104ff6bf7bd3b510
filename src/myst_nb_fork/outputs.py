"""A kernel's messages as a notebook's outputs, as a notebook front end makes them."""

from collections.abc import Callable, Iterable
from typing import Any

import nbformat
from nbformat import NotebookNode


class Outputs:
    """The outputs of one page; a display may update one that an earlier cell has shown."""

    def __init__(self) -> None:
        self._displays: dict[str, list[NotebookNode]] = {}

    def of(self, messages: Iterable[tuple[str, dict[str, Any]]]) -> list[NotebookNode]:
        """The outputs of one cell."""
        node: Callable[..., NotebookNode] = nbformat.from_dict
        outputs: list[NotebookNode] = []
        clear = False
        for kind, content in messages:
            if kind == "clear_output":
                clear = content["wait"]
                if not clear:
                    outputs.clear()
                continue
            shown = {key: value for key, value in content.items() if key != "transient"}
            display = content.get("transient", {}).get("display_id")
            for earlier in self._displays.get(display, []):
                earlier |= node(shown)
            if kind == "update_display_data":
                continue
            if clear:
                outputs.clear()
                clear = False
            output = node({"output_type": kind, **shown})
            if display is not None:
                self._displays.setdefault(display, []).append(output)
            outputs.append(output)
        return outputs
