"""While an author writes, what is served follows each save."""

import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from http.client import HTTPException
from pathlib import Path

import pytest

from tests.myst_nb_fork.conftest import COLOR, Project, cell, wait_until

LIVE = Path(__file__).parents[2] / "conf/live.py"


@pytest.fixture
def served(
    project: Project, token: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str], str]]:
    """What is served of a project of two pages and a module, as a function of the page's name."""
    library = project.folder / "library"
    library.mkdir()
    (library / "answers.py").write_text("answer = 41\n")
    monkeypatch.setenv("PYTHONPATH", str(library))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    project.config["myst_nb_fork_preload"] = ["json"]
    project.config["myst_nb_fork_depends"] = ["../library/*.py"]
    project.config["html_theme"] = "furo"
    project.extension("uses", "source-read", "import answers")  # as autodoc does, for one
    project.page("a", cell("from answers import answer\nprint('answer', answer)"))
    project.page("b", cell("print('b', 1 + 1)"))
    project.write()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--port", str(port), "--watch", str(library), "-d", str(project.folder / "doctrees")]
    command: list[str | Path] = [sys.executable, LIVE, *options]
    command += [project.source, project.folder / "html"]
    with (project.folder / "log").open("w") as log:
        server = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)

    def page(name: str) -> str:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/{name}.html") as answer:
                text: str = answer.read().decode()
        except (OSError, HTTPException):
            return ""  # not yet, or just being written
        return text

    assert wait_until(lambda: page("b"), 60), (project.folder / "log").read_text()
    yield page
    server.send_signal(signal.SIGKILL)
    server.wait()


def log(project: Project) -> str:
    """What the server has printed."""
    return COLOR.sub("", (project.folder / "log").read_text())


def test_an_edit_of_a_page_or_of_the_library_is_served(
    project: Project, served: Callable[[str], str]
) -> None:
    assert "answer 41" in served("a")
    project.page("b", cell("print('b', 2 + 2)"))
    assert wait_until(lambda: "b 4" in served("b"))
    runs = log(project).count("b: ran in")
    (project.folder / "library/answers.py").write_text("answer = 42\n")
    assert wait_until(lambda: "answer 42" in served("a"))
    assert log(project).count("b: ran in") == runs


def test_what_fails_is_on_the_pages_and_last_in_the_terminal_until_it_is_fixed(
    project: Project, served: Callable[[str], str]
) -> None:
    project.page("b", cell("1 / 0"))
    assert wait_until(lambda: "b.md:9: WARNING: ZeroDivisionError" in log(project))
    project.page("b", cell("print('fixed')"))
    assert wait_until(lambda: "fixed" in served("b"))
    library, conf = project.folder / "library/answers.py", project.source / "conf.py"
    for broken, source, cause in [
        (library, "answer = 41\nx = = 1\n", ":2: SyntaxError: invalid syntax (answers.py, line 2)"),
        (conf, "1 / 0\n", ":1: ZeroDivisionError: division by zero"),
    ]:
        broken.write_text(source)
        told = f"{broken}{cause}"
        for page in ("a", "b"):
            assert wait_until(lambda: told in served(page)), page  # noqa: B023
        assert wait_until(lambda: told in log(project).rpartition("Serving on")[2])  # noqa: B023
        assert "report this error" not in log(project)
        project.write()
        library.write_text(f"answer = {len(source)}\n")
        assert wait_until(lambda: f"answer {len(source)}" in served("a"))  # noqa: B023
        assert wait_until(lambda: "Not built" not in served("a") + served("b"))
