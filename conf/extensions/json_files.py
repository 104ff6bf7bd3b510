"""Data that a page shows, written beside it as JSON.

conf.py names each file, relative to the output, and the function that returns its data::

    json_files = {"reference/outcomes.json": "vtj_site.outcomes.tables:as_json"}
"""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import ConfigError
from sphinx.util.typing import ExtensionMetadata


def data(function: str) -> object:
    """Call the function that `module:name` names and return its data.

    Args:
        function: a module and a function in it that takes no argument.

    Raises:
        ConfigError: if there is no such function.

    Examples:
        >>> data("platform:python_implementation")
        'CPython'
    """
    module, _, name = function.partition(":")
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(
            f"json_files: {function!r} cannot be called ({error}); expected 'module:function'"
        ) from error
    return found()


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write every configured file once the pages are there.

    Args:
        app: the Sphinx application.
        exception: what ended the build early, or None.
    """
    if exception is not None or app.builder.format != "html":
        return
    for name, function in app.config.json_files.items():
        path = Path(app.outdir) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(data(function), ensure_ascii=False, indent=1, allow_nan=False)
        path.write_bytes(f"{text}\n".encode())


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the configuration value and the writer."""
    app.add_config_value("json_files", {}, "html")
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
