"""How readers get the library: its wheel stands in the site, and where it is imported, it is said.

The wheel is made of the checkout that builds the site, so it is the one whose numbers the pages
show. Where the site has an address (``html_baseurl``), one line installs it from there. A copy on
a disk has none: there, the line takes the file that it links to.
"""

import os
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

ROOT = Path(__file__).parents[3]
FOLDER = "downloads"
NAME = f"vtj-{version('vtj')}-py3-none-any.whl"
IMPORTED = re.compile(r"^\s*(?:from|import) vtj\b", re.MULTILINE)


class Wheel:
    """Makes the wheel while the pages run."""

    def start(self, app: Sphinx) -> None:
        """Start to make it: the same bytes whenever and wherever that is."""
        if app.builder.format != "html":
            return
        self.folder = Path(app.outdir, FOLDER)
        for old in self.folder.glob("*.whl"):
            old.unlink()
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d"]
        # It is the time of the last commit, which is not known where git trusts nobody.
        kept = {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
        self.making = subprocess.Popen(
            [*command, str(self.folder)],
            cwd=ROOT,
            env=kept,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def finish(self, app: Sphinx, exception: Exception | None) -> None:
        """Wait for it.

        Raises:
            ExtensionError: if it was not made, or is not the one that the pages name.
        """
        if app.builder.format != "html":
            return
        with self.making:  # which closes what it writes to
            if exception is not None:
                return
            said, _ = self.making.communicate()
        found = [file.name for file in self.folder.glob("*.whl")]
        if found != [NAME]:
            raise ExtensionError(f"expected the wheel {NAME}, found {found}: {said.strip()}")


def command(address: str) -> str:
    """Return the line that installs the library from a site, whose address may be empty.

    Example:
        >>> command("https://example.org").rpartition("vtj")[0]
        'pip install https://example.org/downloads/'
    """
    folder = f"{address.rstrip('/')}/{FOLDER}/" if address else ""
    return f"pip install {folder}{NAME}"


def needed(address: str) -> str:
    """Return what a script or a notebook says that imports the library."""
    where = "" if address else f", a file in the folder `{FOLDER}` of the site"
    return f"Needs the library of this site, `vtj`: `{command(address)}`{where}."


class GetLibrary(Directive):
    """A place that says how to get the library: ``{get-library}``."""

    def run(self) -> list[nodes.Node]:
        """Leave the place empty: the way to the wheel is known when the page is written."""
        return [nodes.paragraph(classes=["get-library"])]


def say(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Say how to get the library where a page asks for it, or else under its first import."""
    if app.builder.format != "html":
        return
    asked = (part for part in doctree.findall(nodes.paragraph) if "get-library" in part["classes"])
    if place := next(asked, None) or _under_the_first_import(doctree):
        wheel = "../" * docname.count("/") + f"{FOLDER}/{NAME}"
        place += [nodes.literal("", "vtj"), nodes.Text(" is the library of this site: ")]
        place += [nodes.literal("", command(app.config.html_baseurl)), nodes.Text(" (")]
        place += [nodes.reference("", "the file", refuri=wheel, internal=True), nodes.Text(").")]


def _under_the_first_import(doctree: nodes.document) -> nodes.paragraph | None:
    for shown in doctree.findall(nodes.container):
        if shown.get("nb_element") == "cell_code_source" and IMPORTED.search(shown.astext()):
            cell, place = shown.parent, nodes.paragraph(classes=["get-library"])
            cell.parent.insert(cell.parent.index(cell) + 1, place)
            return place
    return None
