"""What a page shows is what it would show in a Jupyter kernel, in whatever way it is built."""

import re
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from myst_nb.core import execute

from tests.myst_nb_fork.conftest import COLOR, FRONT_MATTER, Project, cell

RAISES = ":tags: [raises-exception]\n\n"
HARD = [
    cell("print('one')\n1 + 1"),
    cell("x = [1, 2]\nx"),
    cell("_ + [3]"),
    cell("import sys\nprint('out')\nprint('err', file=sys.stderr)\nprint('out again')"),
    cell("import warnings\nwarnings.warn('careful')\nwarnings.warn('careful too', FutureWarning)"),
    cell("import os\nos.system('echo from a shell')\n!echo from a magic; exit 3\n_exit_code"),
    cell("%%bash\necho one\necho two >&2"),
    cell("1 / 0", RAISES),
    cell("sys.last_type, sys.last_value, sys.last_traceback.tb_next.tb_lineno"),
    cell("x = = 1", RAISES),
    cell("raise SystemExit(3)", RAISES),
    cell("def f():\n    raise ValueError('in f')"),
    cell("f()", RAISES),
    cell("%no_such_magic", RAISES),
    cell("import asyncio\nawait asyncio.sleep(0.01, 'awaited')"),
    cell("asyncio.get_running_loop().is_running()"),
    cell("await f()", RAISES),
    cell(
        "import time\nlog = []\nasync def work():\n    for n in range(3):\n        log.append(n)\n"
        "        await asyncio.sleep(0.01)\ntask = asyncio.get_event_loop().create_task(work())"
    ),
    *[cell("time.sleep(0.1)")] * 3,
    cell("log, task.done()"),
    cell(
        "from IPython.display import HTML, Markdown, clear_output, display, update_display\n"
        "display(HTML('<b>bold</b>'), Markdown('*text*'), display_id='there')\n'last'"
    ),
    cell(
        "update_display(HTML('<i>new</i>'), display_id='there')\nupdate_display(1, display_id='no')"
    ),
    cell("print('gone')\nclear_output()\nprint('kept')"),
    cell("print('gone')\nclear_output(wait=True)\nprint('kept')\nclear_output(wait=True)"),
    cell("display({'text/plain': 'raw', 'image/png': b'\\x89PNG'}, raw=True)"),
    cell("class Shown:\n    def _repr_html_(self):\n        return '<u>shown</u>'\n\nShown()"),
    cell(
        "class Broken:\n    def __repr__(self):\n        raise KeyError('repr')\n\nBroken()", RAISES
    ),
    cell("3", ":tags: [skip-execution]\n\n"),
    cell("   "),
    cell("print(sys.stdout.isatty(), sys.stdout.encoding, os.environ['TERM'], __name__)"),
    cell("print(sys.stdout.writable(), sys.stdout.name, sys.stderr.fileno() > 0)"),
    cell("from myst_nb import glue\nglue('number', 7, display=False)"),
    cell("x.append(9)", ":tags: [remove-cell]\n\n"),
    "Then {eval}`x` and {eval}`len(x)` and {glue}`number`.\n\n",
    cell("x"),
    "After it {eval}`x`.\n",
]
ADDRESS = re.compile(r"0x[0-9a-f]+")
CELL = re.compile(r"(/tmp/ipykernel_\d+/)?\b\d+\.py|cell_\d+\.py")


def comparable(value: Any) -> Any:
    """A value without what differs from build to build, or is only color."""
    if isinstance(value, str):
        return ADDRESS.sub("0x", CELL.sub("<cell>", COLOR.sub("", value)))
    if isinstance(value, list):
        return [comparable(item) for item in value]
    if isinstance(value, dict):
        return {key: comparable(item) for key, item in value.items()}
    return value


def merged(outputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Outputs with all that was written to a stream as one; a kernel cuts it up as time goes."""
    rest, streams = [], dict[str, str]()
    for output in map(comparable, outputs):
        if output["output_type"] == "stream":
            name = output["name"]
            streams[name] = streams.get(name, "") + "".join(output["text"])
        else:
            rest.append(output)
    return [*({"stream": name, "text": text} for name, text in sorted(streams.items())), *rest]


@pytest.mark.parametrize("mode", ["inline", "force"])
def test_a_page_shows_what_it_shows_in_a_jupyter_kernel(project: Project, mode: str) -> None:
    project.config["nb_execution_mode"] = mode
    project.page("hard", *HARD)
    ours = project.build()
    cells, metadata = ours.cells("hard"), ours.notebook("hard")["metadata"]
    prose = ours.prose("hard")
    stock = project.build(fresh=True, myst_nb_fork_kernels=True)
    assert "Jupyter kernels, as myst_nb_fork_kernels says" in stock.status
    assert ("hard: ran in" in ours.status, "hard: ran in" in stock.status) == (True, False)
    for mine, theirs in zip(cells, stock.cells("hard"), strict=True):
        assert merged(mine["outputs"]) == merged(theirs["outputs"]), mine["source"]
        assert mine["execution_count"] == theirs["execution_count"], mine["source"]
    if mode == "inline":  # stock `force` drops a page's own options
        assert metadata == stock.notebook("hard")["metadata"]
    after = prose.partition("Then ")[2]
    assert after.partition(".")[0] == stock.prose("hard").partition("Then ")[2].partition(".")[0]
    assert [text.partition("WARNING")[2] for text in ours.warnings] == [
        text.partition("WARNING")[2] for text in stock.warnings
    ]


def test_a_mode_that_is_not_served_says_so(project: Project) -> None:
    built = project.build(nb_execution_mode="cache")
    assert "does not serve nb_execution_mode = 'cache'" in built.warnings[0]
    assert "'inline', 'force' and 'auto'" in built.warnings[0]


def test_auto_runs_what_has_no_outputs(project: Project) -> None:
    project.page("a", cell("1"))
    project.notebook("has", "2", outputs=[{"output_type": "stream", "name": "stdout", "text": "3"}])
    built = project.build(nb_execution_mode="auto")
    assert (built.text("a"), built.text("has")) == (["1"], ["3"])
    assert "has: ran in" not in built.status


def test_pages_run_in_kernels_where_they_cannot_be_forked(
    project: Project, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    project.page("a", cell("1"))
    built = project.build()
    assert "pages run in Jupyter kernels, as only Linux can fork them" in built.status
    assert built.text("a") == ["1"]
    assert "ran in" not in built.status


def test_arguments_that_a_newer_myst_nb_hands_its_clients_are_taken(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    create = execute.create_client

    def newer(*arguments: Any, **named: Any) -> Any:  # as on MyST-NB's main branch, to be 1.5
        with pytest.MonkeyPatch.context() as patch:
            for name in ("NotebookClientInline", "NotebookClientDirect"):
                client = partial(getattr(execute, name), kernel_manager_class=None)
                patch.setattr(execute, name, client)
            return create(*arguments, **named)

    for module in ("myst_nb.sphinx_", "myst_nb_fork.forecast"):
        monkeypatch.setattr(f"{module}.create_client", newer)
    project.page("a", cell("1"))
    built = project.build()
    assert (built.text("a"), "a: ran in" in built.status) == (["1"], True)


BACKEND = "import os\nbackend = os.environ.get('MPLBACKEND')\n"


def test_what_is_imported_in_advance_finds_the_environment_of_a_kernel(
    project: Project, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project.folder / "like_pyplot.py").write_text(BACKEND)
    (project.folder / "exits.py").write_text("raise SystemExit('early')")
    monkeypatch.setenv("PYTHONPATH", str(project.folder))
    monkeypatch.delenv("MPLBACKEND", raising=False)
    for name in ("a", "b"):
        project.page(
            name,
            cell("import like_pyplot, numpy\nlike_pyplot.backend"),
            cell("numpy.random.random()"),
        )
    project.config["myst_nb_fork_preload"] = ["exits", "like_pyplot", "numpy.random"]
    built = project.build()
    assert built.text("a")[0] == "'module://matplotlib_inline.backend_inline'"
    assert built.text("a")[1] != built.text("b")[1]  # each page has its own random state


def test_a_parallel_region_after_the_fork_does_not_hang(project: Project, token: str) -> None:
    source = "import numpy\nx = numpy.ones((512, 512))\n(x @ x).sum().item()"
    for name in ("a", "b", "c"):
        project.page(name, cell(source))
    built = project.build(myst_nb_fork_preload=["numpy"], nb_execution_timeout=60)
    assert [built.text(name) for name in "abc"] == [["134217728.0"]] * 3


@pytest.mark.parametrize("temporary", [True, False])
def test_a_page_runs_in_its_own_folder_or_in_a_new_one(project: Project, temporary: bool) -> None:
    project.page("deep/a", cell("import os, pathlib\npathlib.Path('made').touch()\nos.getcwd()"))
    for name in ("nearby", "alabaster", "json"):  # alabaster comes with Sphinx
        (project.source / f"deep/{name}.py").write_text("here = True\n")
    if not temporary:
        imports = "[hasattr(__import__(name), 'here') for name in ('nearby', 'alabaster', 'json')]"
        project.page("deep/b", cell(imports))
    built = project.build(nb_execution_in_temp=temporary)
    place = built.text("deep/a")[0].strip("'")
    assert (place == str(project.source / "deep")) is not temporary
    assert (project.source / "deep/made").exists() is not temporary
    assert not temporary or not Path(place).exists()
    assert temporary or built.text("deep/b") == ["[True, True, False]"]


def test_errors_that_are_allowed_do_not_stop_a_page(project: Project) -> None:
    project.page("allowed", cell("1 / 0"), cell("3"))
    built = project.build(nb_execution_allow_errors=True)
    assert (built.text("allowed")[1], built.warnings) == ("3", [])


def test_what_another_extension_makes_of_a_page_is_what_runs(project: Project) -> None:
    project.page("text", cell("1 / 0"))
    own = FRONT_MATTER.replace("---\n", "---\nmystnb: {execution_in_temp: false}\n", 1)
    project.page("place", cell("import os\nos.getcwd()"), front_matter=own)
    project.page("same", cell("import os\nos.environ.get('SET_LATE')"))
    change = "given[1][0] = given[1][0].replace({!r}, {!r})"
    project.extension("numbers", "source-read", change.format("1 / 0", "1 + 1"))
    project.extension("places", "source-read", change.format("temp: false", "temp: true"))
    project.extension("sets", "source-read", "os.environ['SET_LATE'] = given[0]")
    built = project.build()
    assert (built.text("text"), built.warnings) == (["2"], [])
    assert built.text("place") != [repr(str(project.source))]
    assert built.text("same") == [""]
    assert built.status.count("same: ran in") == 1  # what was started ahead was of use
    del sys.modules["os"].environ["SET_LATE"]


def test_pages_that_are_not_ours(project: Project) -> None:
    project.page("excluded", cell("1"))
    project.page("plain", "text\n", front_matter="")
    off = FRONT_MATTER.replace("---\nfile", "---\nmystnb: {execution_mode: 'off'}\nfile")
    project.page("off", cell("1"), front_matter=off)
    project.page("alias", cell("1"), front_matter=FRONT_MATTER.replace("python3", "alias"))
    names = {"nb_kernel_rgx_aliases": {"al.*": "python3"}}
    built = project.build(nb_execution_excludepatterns=["excluded.md"], **names)
    assert [built.text(name) for name in ("excluded", "off", "alias")] == [[""], [""], ["1"]]
    assert built.status.count("ran in") == 1
    project.page("other", cell("1"), front_matter=FRONT_MATTER.replace("python3", "no-such-kernel"))
    with pytest.raises(Exception, match="No such kernel named no-such-kernel"):
        project.build(**names)


def test_a_page_that_cannot_be_read_is_reported_by_its_parser(project: Project) -> None:
    project.page("bad", cell("1", "---\ntags: [\n---\n"))
    with pytest.raises(Exception, match="could not be read"):
        project.build()


def test_reading_in_several_processes_gives_the_same_pages(project: Project) -> None:
    for number in range(7):
        project.page(f"p{number}", cell(f"{number} * {number}"), cell("{'b', 'a', 'c'}"))
    project.page("p3", cell("1 / 0"))
    one = project.build(fresh=True)
    serial = {name: (one.html(name), one.notebook(name)) for name in project.names}
    two = project.build(fresh=True, parallel=2)
    assert {name: (two.html(name), two.notebook(name)) for name in project.names} == serial
    assert one.warnings == two.warnings
    assert "p3.md:9: WARNING: ZeroDivisionError" in two.warnings[0]
    assert two.status.count("the slowest of 7 pages") == 1


def test_a_notebook_s_cells_keep_their_names_and_lose_what_they_did_not_do(
    project: Project,
) -> None:
    old = [{"output_type": "stream", "name": "stdout", "text": "old"}]
    project.notebook("page", "1 / 0", "2", outputs=old)
    built = project.build()
    failed, not_run = built.cells("page")
    assert (failed["id"], failed["execution_count"]) == ("mine-0", 1)
    assert (not_run["execution_count"], not_run["outputs"]) == (None, [])
    assert (
        "page.ipynb: WARNING: ZeroDivisionError: division by zero\n    cell 1: 1 / 0"
        in (built.warnings[0])
    )
