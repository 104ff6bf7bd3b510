"""Words that are computed: what a sentence says with *never*, *only* or *may* is asked of a zoo.

A page writes `` {word}`never <adds; of backward>` ``: the word, the predicate, the parts of the
zoo. The zoo runs once a build, in a process beside the pages; when both are done, a word that does
not hold fails the build, with its line and a case that speaks against it. A word of cost,
`` {cost}`faster <one way against another>` ``, asks recorded times instead. `` {statement}`name` ``
at the end of a sentence binds it to a check by its wording. A word as in
`` {eval}`says("twice", x.grad, once)` `` asks the values of the page's cells. A
statement without any of these, or with a word of the vocabulary that is typed, is refused where a
page has more of them than `unchecked.json` says.
"""

import hashlib
import json
import os
import pickle
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx.util import logging
from sphinx.util.typing import ExtensionMetadata

import vtj_site.statements
from statements import listed, marks
from vtj_site.statements.cells import Cells
from vtj_site.statements.facts import Facts
from vtj_site.statements.pages import Judge, Judged, told
from vtj_site.statements.sentences import Sentence, counted, sentences

logger = logging.getLogger(__name__)
ROLE = re.compile(r"\{(?:word|cost|statement)\}`")
SAID = "marked_sentences"
"""Under this name Sphinx keeps them with what else it knows of a page, and forgets them with it."""
ROOM = Path(vtj_site.statements.__file__).parent
TIMES = ROOM.with_name("records") / "timings.json"


class Zoo:
    """The process in which the zoo runs, and what it says.

    Its answer is kept beside the doctrees, for builds of the same code and the same torch that
    read a page again: a writer who watches a page waits for no zoo.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
        """Start it, if a page with a mark is about to be read."""
        pages = (Path(env.doc2path(name)).read_text(encoding="utf-8") for name in docnames)
        self._file = Path(app.doctreedir, f"zoo-{app.config.statements_installed}")
        if not self._file.exists() and any(ROLE.search(page) for page in pages):
            path = os.pathsep.join(filter(None, sys.path))
            environment = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
            command = [sys.executable, "-m", "vtj_site.statements.facts", str(self._file)]
            self._process = subprocess.Popen(command, env=environment)

    def facts(self) -> Facts:
        """Wait for what it says.

        Raises:
            ExtensionError: if it failed; it has printed why.
        """
        if self._process and self._process.wait():
            raise ExtensionError("statements: the zoo of cases did not run to its end")
        found: Facts = pickle.loads(self._file.read_bytes())
        return found

    def end(self, app: Sphinx, error: Exception | None) -> None:
        """End it, if the build has failed while it ran."""
        if self._process:
            self._process.kill()
            self._process.wait()


def look(app: Sphinx, doctree: nodes.document) -> None:
    """Keep a page's marked sentences; warn of what nothing checks, if it is more than before."""
    docname = app.env.docname
    text = Path(app.env.doc2path(docname)).read_text(encoding="utf-8")
    found = list(sentences(text))
    app.env.metadata[docname][SAID] = [sentence for sentence in found if sentence.marks]
    app.env.metadata[docname][listed.COUNTED] = counted(found)
    placed = list(doctree.findall(marks.mark))
    for number, node in enumerate(placed):
        node["number"] = number
    if len(placed) != sum(len(sentence.marks) for sentence in found):
        logger.warning(
            "a mark stands where no sentence is read: in a heading, a caption or an option",
            location=(docname, None), type="statements",
        )  # fmt: skip
    cells = Cells(text)
    for mark in (mark for sentence in found for mark in told(sentence, cells) if mark.wrong):
        logger.warning("%s", mark.wrong, location=(docname, mark.line), type="statements")
    open_ones = [sentence for sentence in found if sentence.unchecked]
    allowed = unchecked(app).get(docname, 0)
    if len(open_ones) > allowed:
        for sentence in open_ones:
            logger.warning(
                "%s is typed, and nothing checks it: compute a word with {word}`…`, {cost}`…` or "
                "{eval}`says(…)`, or bind the sentence to a check with {statement}`…`, or leave it "
                "out (%s has %d such sentences, of which unchecked.json allows %d): %s",
                sentence.unchecked, docname, len(open_ones), allowed, sentence.text,
                location=(docname, sentence.line), type="statements",
            )  # fmt: skip


def unchecked(app: Sphinx) -> dict[str, int]:
    """Return how many statements of each page still have bare words; the numbers only go down."""
    if not app.config.statements_unchecked:
        return {}
    file = Path(app.confdir, app.config.statements_unchecked)
    found: dict[str, int] = json.loads(file.read_text(encoding="utf-8"))
    return found


def judge(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Judge all marks, and warn of each that does not hold; return the pages that list them."""
    said: dict[str, list[Sentence]] = {
        name: found for name in sorted(env.found_docs) if (found := env.metadata[name].get(SAID))
    }
    judging = Judge(app.statements_zoo.facts()) if said else None  # type: ignore[attr-defined]
    app.statements_judged = {}  # type: ignore[attr-defined]
    for docname, found in said.items():
        assert judging
        marked = [judging.mark(mark, sentence) for sentence in found for mark in sentence.marks]
        app.statements_judged[docname] = marked  # type: ignore[attr-defined]
        for mark in marked:
            if mark.wrong:
                place = docname, mark.line
                logger.warning("%s", mark.wrong, location=place, type="statements")
    return [name for name in env.found_docs if env.metadata[name].get(listed.LISTS)]


def show(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put into a page what its marks rest on, and the list of all where it stands."""
    judged: dict[str, list[Judged]] = app.statements_judged  # type: ignore[attr-defined]
    marks.show(doctree, docname, judged.get(docname, []), app.builder)
    listed.show(app, doctree, docname, judged)


def installed() -> str:
    """Return a digest of all that decides; when it changes, every page is read again."""
    digest = hashlib.sha256(version("torch").encode())
    for file in [*sorted(ROOM.rglob("*")), TIMES]:
        if file.suffix in (".py", ".yaml", ".json"):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the roles, the list, and the moments at which they are judged and shown."""
    app.statements_zoo = zoo = Zoo()  # type: ignore[attr-defined]
    app.add_config_value("statements_unchecked", "", "env")
    app.add_config_value("statements_installed", installed(), "env")
    app.add_node(marks.mark)
    app.add_role("word", marks.Word())
    app.add_role("cost", marks.Cost())
    app.add_role("statement", marks.Statement())
    app.add_directive("list-of-statements", listed.ListOfStatements)
    app.add_directive("count-of-statements", listed.CountOfStatements)
    app.connect("env-before-read-docs", zoo.start)
    app.connect("doctree-read", look)
    app.connect("env-updated", judge)
    app.connect("doctree-resolved", show)
    app.connect("build-finished", zoo.end)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "env_version": 1}
