"""Makes a page's job before Sphinx parses it, on what its parser is going to make of it."""

from __future__ import annotations

import logging
from typing import Any

from myst_nb.core.config import NbParserConfig
from myst_nb.core.execute import create_client
from myst_nb.core.nb_to_tokens import nb_node_to_dict
from myst_nb.core.read import create_nb_reader
from sphinx.application import Sphinx
from sphinx.util import get_filetype

from myst_nb_fork.client import PageClient
from myst_nb_fork.messages import Job

# What MyST-NB has to say it says again when it parses.
_SILENT: Any = logging.Logger(__name__, logging.CRITICAL + 1)


def forecast(app: Sphinx, env: Any, page: str) -> tuple[Job, NbParserConfig] | None:
    """Read a page as MyST-NB does; its job and options, or None if nothing of it is for us.

    Args:
        app: the Sphinx application.
        env: its environment.
        page: the page's name.
    """
    path, config = env.doc2path(page), env.mystnb_config
    if get_filetype(app.config.source_suffix, path) != "myst-nb" or config.kernel_rgx_aliases:
        return None
    text = path.read_text(encoding="utf-8-sig")
    try:
        reader = create_nb_reader(str(path), env.myst_config, config, text)
        if reader is None:
            return None
        notebook = reader.read(text)
        config = config.copy(**nb_node_to_dict(notebook.metadata.get(config.metadata_key, {})))
        client = create_client(notebook, str(path), config, _SILENT)
    except Exception:
        return None  # the parser comes upon the same fault, and reports it
    if not isinstance(client, PageClient):
        return None
    job = client.expected(text.splitlines())
    return (job, config) if job.steps else None
