"""What a page took and used is remembered: what is slow is said, what has changed runs again."""

import json
import sys
from pathlib import Path

import pytest

from myst_nb_fork import books
from myst_nb_fork.files import FilesUsed
from tests.myst_nb_fork.conftest import Built, Project, cell


def ran(built: Built) -> set[str]:
    """The pages that ran."""
    return {line.partition(":")[0] for line in built.status.splitlines() if ": ran in" in line}


def test_an_incremental_build_runs_again_what_would_not_be_the_same_and_nothing_else(
    project: Project, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = project.folder / "src"
    (folder / "lib").mkdir(parents=True)
    (folder / "lib/__init__.py").touch()
    (folder / "lib/one.py").write_text("value = 1\n")
    (folder / "lib/two.py").write_text("value = 2\n")
    (folder / "data.txt").write_text("3")
    (folder / "thing-1.0.dist-info").mkdir()
    monkeypatch.setenv("PYTHONPATH", str(folder))
    # Modules are known to have changed by their time, which has to differ.
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.syspath_prepend(folder)
    project.config["myst_nb_fork_depends"] = ["../src/**/*"]
    project.page("one", cell("from lib import one\none.value"))
    project.page("two", cell("from lib import two\ntwo.value"))
    project.page("data", cell(f"open({str(folder / 'data.txt')!r}).read()"))
    project.page("process", cell("!python -c 'from lib import one; print(one.value)'"))
    project.page("dies", cell("import os\nos._exit(1)"))
    project.page("none", cell("0"))
    everything = {"one", "two", "data", "process", "none"}
    assert everything <= ran(project.build())
    project.page("dies", cell("0"))
    assert ran(project.build()) == {"dies"}
    for file, text, pages in [
        ("lib/one.py", "value = 10\n", {"one", "process"}),
        ("lib/two.py", "value = 20\n", {"two", "process"}),
        ("lib/__init__.py", "# changed\n", {"one", "two", "process"}),
        ("data.txt", "30", {"data", "process"}),
        ("new.py", "", {"process"}),
    ]:
        (folder / file).write_text(text)
        built = project.build()
        assert ran(built) == pages, file
        assert ran(project.build()) == set(), file
    assert (built.text("one"), built.text("data")) == (["10"], ["'30'"])
    (folder / "thing-1.0.dist-info").rename(folder / "thing-1.1.dist-info")
    assert ran(project.build()) == everything | {"dies"}
    (folder / "other-1.0.dist-info").mkdir()
    assert ran(project.build()) == set()
    (folder / "thing-1.1.dist-info").rmdir()
    assert ran(project.build()) == everything | {"dies"}
    # What changes while a page runs is not taken for what it saw.
    late = f"import pathlib\npathlib.Path({str(folder / 'lib/one.py')!r}).write_text('value = 5')"
    project.page("one", cell(f"from lib import one\n{late}\none.value"))
    project.build()
    assert project.build().text("one") == ["5"]
    (folder / "lib/two.py").unlink()
    built = project.build()
    assert ran(built) == {"two", "process"}
    assert "two.md:9: WARNING: ImportError" in built.warnings[0]
    (project.source / "two.md").unlink()
    project.names.remove("two")
    assert project.build().warnings == []


def test_a_file_that_a_page_used_is_known_by_its_real_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    names = [str((tmp_path / "real" / name).resolve()) for name in ("a.py", "b.pyc", "c.py")]
    for name in names:
        Path(name).touch()
    assert list(books.digests(["link/**", "real/*.py", "none*"], tmp_path)) == names
    monkeypatch.chdir(tmp_path)
    compiled = f"real/__pycache__/a.{sys.implementation.cache_tag}.pyc"
    for opened, known in [
        ("link/a.py", names[:1]),
        (compiled, names[:1]),
        (b"real/b.pyc", names[1:2]),
        (3, []),
    ]:
        used = FilesUsed()
        used.note("open", (opened, "rb", 0))
        assert sorted(used.among(frozenset(names))) == known
        used.settle()  # opened before the pages, so by all of them
        used.note("open", (names[2], "rb", 0))
        assert sorted(used.among(frozenset(names))) == [*known, names[2]]


def test_the_slowest_are_named_and_all_is_written_as_json(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        project.page(f"p{number}", cell(f"import time\ntime.sleep({number / 2})"), cell("1"))
    project.page("fails", "{eval}`1`\n\n", cell("1 / 0"), cell("2"))
    project.notebook("book", "x = bytearray(50 << 20)", outputs=[])
    path = project.folder / "new/profile.json"
    monkeypatch.setenv("MYST_NB_FORK_PROFILE", str(path))
    said = project.build().status.partition("the slowest of 5 pages and of 8 cells that ran:\n")[2]
    pages, cells = said.splitlines()[:5], said.splitlines()[5:10]
    assert [line.split()[2] for line in pages[:2]] == ["p2", "p1"]
    assert [line.split()[2] for line in cells[:2]] == ["p2:9", "p1:9"]
    assert 1 <= float(cells[0].split()[0]) < 9
    profile = json.loads(path.read_text())
    assert sorted(profile["pages"]) == ["book", "fails", "p0", "p1", "p2"]
    assert profile["pages"]["fails"]["failed"] is True
    assert [cell["place"] for cell in profile["pages"]["fails"]["cells"]] == ["11"]
    page, book = profile["pages"]["p2"], profile["pages"]["book"]
    assert 50 << 20 < book["peak_bytes"] < 2 << 30
    assert book["cells"][0]["place"] == "cell 1"
    assert 1 <= page["cells"][0].pop("seconds") <= page["seconds"] <= profile["seconds"]
    assert page["cells"][0] == {"place": "9", "source": "import time"}
    path.unlink()
    other = project.folder / "other.json"
    assert "the slowest" not in project.build(myst_nb_fork_profile=str(other)).status.replace(
        "the slowest of 1 pages", ""
    )
    assert list(json.loads(other.read_text())["pages"]) == ["fails"]
    assert not path.exists()
