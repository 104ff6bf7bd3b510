"""Write every page again when a name that pages show of each other has changed.

The navigation of each page holds the titles of all pages, and a link may take its text from where
it leads. Sphinx writes only the pages that it has read again, so that an incremental build would
leave the old names on all others. They are written, not read: nothing runs again.
"""

from __future__ import annotations

import hashlib
from typing import Any

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.typing import ExtensionMetadata

SHOWN = {  # by domain, what links take their texts and targets from
    "std": ("labels", "anonlabels", "objects", "terms"),
    "py": ("objects", "modules"),
    "math": ("objects",),
}


def names(env: BuildEnvironment) -> str:
    """Return a digest of all that a page can show of others.

    Args:
        env: the build environment.
    """
    shown: list[Any] = [
        sorted((docname, title.astext()) for docname, title in env.titles.items()),
        sorted(env.toctree_includes.items()),
        sorted((docname, str(page.get("myst_slugs"))) for docname, page in env.metadata.items()),
    ]
    for domain, kinds in SHOWN.items():
        for kind in kinds:
            entries = env.domaindata[domain][kind].items()
            # As text: some of Sphinx's own names are translated only when they are written.
            shown.append(sorted((str(name), *map(str, entry)) for name, entry in entries))
    return hashlib.sha256(repr(shown).encode()).hexdigest()


def pages_to_write(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Return every page if a name has changed since this builder last wrote, else none.

    Args:
        app: the Sphinx application.
        env: the build environment, which keeps what the last build found.
    """
    if not hasattr(env, "names_across_pages"):
        env.names_across_pages = {}  # type: ignore[attr-defined]
    before: dict[str, str] = env.names_across_pages  # type: ignore[attr-defined]
    now = names(env)
    known = before.get(app.builder.name) == now
    before[app.builder.name] = now
    return [] if known else sorted(env.found_docs)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Look at the names once all pages are read."""
    app.connect("env-updated", pages_to_write)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "env_version": 1}
