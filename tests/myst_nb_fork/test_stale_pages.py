"""An incremental build runs again what would not be the same, and nothing else."""

from importlib.util import cache_from_source
from pathlib import Path

import pytest

from myst_nb_fork import stale
from myst_nb_fork.files import FilesUsed
from tests.myst_nb_fork.conftest import Built, Project, cell


@pytest.fixture
def library(project: Project, token: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A library of two modules and some data, which three pages use."""
    folder = project.folder / "src"
    (folder / "lib").mkdir(parents=True)
    (folder / "lib/__init__.py").touch()
    (folder / "lib/one.py").write_text("value = 1\n")
    (folder / "lib/two.py").write_text("value = 2\n")
    (folder / "data.txt").write_text("3")
    monkeypatch.setenv("PYTHONPATH", str(folder))
    # Modules are known to have changed by their time, which has to differ.
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    project.config["myst_nb_fork_depends"] = ["../src/**/*"]
    project.page("one", cell("from lib import one\none.value"))
    project.page("two", cell("from lib import two\ntwo.value"))
    project.page("data", cell(f"open({str(folder / 'data.txt')!r}).read()"))
    project.page("process", cell("!python -c 'from lib import one; print(one.value)'"))
    project.page("none", cell("0"))
    assert ran(project.build()) == {"one", "two", "data", "process", "none"}
    return folder


def ran(built: Built) -> set[str]:
    """The pages that ran."""
    return {line.partition(":")[0] for line in built.status.splitlines() if ": ran in" in line}


@pytest.mark.parametrize(
    ("file", "text", "pages"),
    [
        ("lib/one.py", "value = 10\n", {"one", "process"}),
        ("lib/two.py", "value = 20\n", {"two", "process"}),
        ("lib/__init__.py", "# changed\n", {"one", "two", "process"}),
        ("data.txt", "30", {"data", "process"}),
        ("new.py", "", {"process"}),
    ],
)
def test_a_page_runs_again_when_a_file_that_it_used_has_changed(
    project: Project, library: Path, file: str, text: str, pages: set[str]
) -> None:
    assert ran(project.build()) == set()
    (library / file).write_text(text)
    built = project.build()
    assert ran(built) == pages
    assert ran(project.build()) == set()
    if "one" in pages:
        assert built.text("one") == [str(10 if "one" in file else 1)]


def test_a_page_runs_again_when_a_file_that_it_used_has_gone(
    project: Project, library: Path
) -> None:
    (library / "lib/two.py").unlink()
    built = project.build()
    assert ran(built) == {"two", "process"}
    assert "two.md:9: WARNING: ImportError" in built.warnings[0]


def test_a_page_that_cannot_be_watched_to_its_end_is_taken_to_use_everything(
    project: Project, library: Path
) -> None:
    project.page("none", cell("import os\nos._exit(1)"))
    project.build()
    project.page("none", cell("0"))
    project.build()
    (library / "new.py").touch()
    assert ran(project.build()) == {"process"}


def test_what_changes_while_a_page_runs_is_not_taken_for_what_it_saw(
    project: Project, library: Path
) -> None:
    late = f"import pathlib\npathlib.Path({str(library / 'lib/one.py')!r}).write_text('value = 5')"
    project.page("one", cell(f"from lib import one\n{late}\none.value"))
    project.build()
    assert project.build().text("one") == ["5"]


def test_a_new_version_of_anything_makes_all_pages_run_again(
    project: Project, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (library / "thing-1.0.dist-info").mkdir()
    monkeypatch.syspath_prepend(library)
    everything = {"one", "two", "data", "process", "none"}
    assert ran(project.build()) == everything
    assert ran(project.build()) == set()
    (library / "thing-1.0.dist-info").rename(library / "thing-1.1.dist-info")
    assert ran(project.build()) == everything


def test_a_page_that_is_gone_is_forgotten(project: Project, library: Path) -> None:
    (project.source / "none.md").unlink()
    project.names.remove("none")
    assert project.build().warnings == []


def test_a_compiled_file_stands_for_its_source_if_it_has_one(tmp_path: Path) -> None:
    sources = [tmp_path / name for name in ("a.py", "b.pyc", "c.py")]
    for source in sources:
        source.touch()
    used = FilesUsed()
    used.note("open", (cache_from_source(str(sources[0])), "rb", 0))
    used.note("open", (bytes(sources[1]), "rb", 0))
    used.note("open", (3, "rb", 0))
    used.note("compile", (b"", str(sources[2])))
    assert used.among(frozenset(map(str, sources))) == set(map(str, sources[:2]))
    assert not used.started_processes
    used.note("os.system", (b"true",))
    assert used.started_processes


def test_digests_are_of_files_under_their_real_paths(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real/a.py").write_text("1")
    (tmp_path / "link").symlink_to("real")
    found = stale.digests(["link/**", "real/*.py"], tmp_path)
    assert list(found) == [str((tmp_path / "real/a.py").resolve())]
