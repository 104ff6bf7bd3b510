"""What a page shows is what it would show in a Jupyter kernel."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.myst_nb_fork.conftest import COLOR, FRONT_MATTER, Project, cell

HARD = [
    cell("print('one')\n1 + 1"),
    cell("x = [1, 2]\nx"),
    cell("_ + [3]"),
    cell("import sys\nprint('out')\nprint('err', file=sys.stderr)\nprint('out again')"),
    cell("import warnings\nwarnings.warn('careful')\nwarnings.warn('careful too', FutureWarning)"),
    cell("import os\nos.system('echo from a shell')\n!echo from a magic; exit 3\n_exit_code"),
    cell("%%bash\necho one\necho two >&2"),
    cell("1 / 0", ":tags: [raises-exception]\n\n"),
    cell("sys.last_type, sys.last_value, sys.last_traceback.tb_next.tb_lineno"),
    cell("x = = 1", ":tags: [raises-exception]\n\n"),
    cell("raise SystemExit(3)", ":tags: [raises-exception]\n\n"),
    cell("def f():\n    raise ValueError('in f')"),
    cell("f()", ":tags: [raises-exception]\n\n"),
    cell("%no_such_magic", ":tags: [raises-exception]\n\n"),
    cell("import asyncio\nawait asyncio.sleep(0.01, 'awaited')"),
    cell("asyncio.get_running_loop().is_running()"),
    cell("await f()", ":tags: [raises-exception]\n\n"),
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
        "class Broken:\n    def __repr__(self):\n        raise KeyError('repr')\n\nBroken()",
        ":tags: [raises-exception]\n\n",
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


def test_a_page_shows_what_it_shows_in_a_jupyter_kernel(project: Project) -> None:
    project.page("hard", *HARD)
    ours = project.build()
    cells, metadata = ours.cells("hard"), ours.notebook("hard")["metadata"]
    stock = project.build(fresh=True, myst_nb_fork_kernels=True)
    assert "Jupyter kernels" in stock.status
    for mine, theirs in zip(cells, stock.cells("hard"), strict=True):
        assert merged(mine["outputs"]) == merged(theirs["outputs"]), mine["source"]
        assert mine["execution_count"] == theirs["execution_count"], mine["source"]
    assert metadata == stock.notebook("hard")["metadata"]


def test_what_is_written_stands_in_the_order_in_which_it_was_written(project: Project) -> None:
    project.page(
        "order",
        cell(
            "import ctypes, os, subprocess, sys\n"
            "libc = ctypes.CDLL(None)\n"
            "print('python')\n"
            "os.write(1, b'descriptor\\n')\n"
            "subprocess.run(['sh', '-c', 'echo shell; echo device > /dev/stdout'])\n"
            "print('python again')\n"
            "sys.__stdout__.write('old stdout\\n')\n"
            "libc.puts(b'C');"
        ),
        cell("print('ü' * 2)\nos.write(2, 'é'.encode()[:1])\nos.write(2, 'é'.encode()[1:]);"),
    )
    order, letters = project.build().text("order")
    assert order.splitlines()[:5] == ["python", "descriptor", "shell", "device", "python again"]
    assert sorted(order.splitlines()[5:]) == ["C", "old stdout"]
    assert letters == "üü\né"


def test_a_process_that_writes_more_than_a_pipe_holds_does_not_wait_for_ever(
    project: Project,
) -> None:
    size = 3 << 20
    source = f"import os\nos.system(\"head -c {size} /dev/zero | tr '\\\\0' x >&2\");"
    project.page("much", cell(source))
    assert len(project.build(nb_execution_timeout=60).text("much")[0]) == size


def test_workers_of_the_page_write_into_it_but_display_nothing(project: Project) -> None:
    project.page(
        "workers",
        cell(
            "import multiprocessing\n"
            "from IPython.display import display\n"
            "def work(n):\n"
            "    print('worker', n)\n"
            "    display('shown')\n"
            "worker = multiprocessing.get_context('fork').Process(target=work, args=[7])\n"
            "worker.start()\n"
            "worker.join()\n"
            "print(worker.exitcode)"
        ),
    )
    assert project.build().text("workers") == ["worker 7\n0\n"]


# From Python 3.12 on it warns of threads.
FORK = "import os, warnings\nwarnings.simplefilter('ignore')\nchild = os.fork()"
WAIT = "print('once')\n_, status = os.waitpid(child, 0)\nstatus"


def test_a_fork_that_a_cell_leaves_to_go_on_ends_with_the_cell(project: Project) -> None:
    project.page("fork", cell(FORK), cell(WAIT))
    assert project.build().text("fork") == ["", "once\n0"]


def test_a_process_whose_parent_ended_may_end_before_the_page(project: Project) -> None:
    project.page(
        "orphan",
        cell("import subprocess, time\nsubprocess.run(['sh', '-c', 'sleep 0.2 &'])\ntime.sleep(1)"),
        cell("print('still here')"),
    )
    assert project.build().text("orphan") == ["", "still here\n"]


def test_a_warning_names_the_cell_and_no_path_of_this_machine(project: Project) -> None:
    project.page("warn", cell("import warnings\n\nwarnings.warn('careful')"))
    text = "cell_1.py:3: UserWarning: careful\n  warnings.warn('careful')\n"
    assert project.build().text("warn") == [text]


def test_input_is_refused(project: Project) -> None:
    tags = ":tags: [raises-exception]\n\n"
    project.page("ask", cell("input('?')", tags), cell("import getpass\ngetpass.getpass()", tags))
    refusal = (
        "StdinNotImplementedError: a page cannot ask for input: it runs when the site is built"
    )
    assert project.build().text("ask") == [refusal, refusal]


def test_only_text_can_be_written(project: Project) -> None:
    options = ":tags: [raises-exception]\n\n"
    project.page("write", cell("import sys\nsys.stdout.write(b'1')", options))
    assert project.build().text("write") == ["TypeError: write() argument must be str, not bytes"]


def test_streams_that_a_page_closes_are_not_missed(project: Project) -> None:
    project.page("close", cell("import sys\nsys.__stdout__.close()\n1"), cell("print(2)"))
    assert project.build().text("close") == ["1", "2\n"]


def test_a_transformation_that_fails_is_shown_as_with_a_kernel(project: Project) -> None:
    project.page(
        "transform",
        cell("get_ipython().input_transformers_post.append(lambda lines: 1 / 0)"),
        cell("1", ":tags: [raises-exception]\n\n"),
    )
    assert project.build().text("transform") == ["", "ZeroDivisionError: division by zero"]


def test_pages_start_fresh(project: Project) -> None:
    project.page(
        "a",
        cell(
            "import os, sys, json\nx = json.x = 1\nos.environ['LEFT'] = 'here'\n"
            "os.chdir('/')\nsys.path.append('left')\n'sphinx' in sys.modules"
        ),
    )
    names = "[name for name in ('x', 'json', 'sphinx') if name in globals()]"
    project.page(
        "b",
        cell(f"import json, os, sys\n[*{names}, hasattr(json, 'x')]"),
        cell("'LEFT' in os.environ, os.getcwd() == '/', 'left' in sys.path"),
    )
    built = project.build()
    assert built.text("a") == ["False"]
    assert built.text("b") == ["['json', False]", "(False, False, False)"]


def test_numpy_s_random_state_is_not_shared_by_the_pages(project: Project) -> None:
    for name in ("a", "b"):
        project.page(name, cell("import numpy\nnumpy.random.random()"))
    built = project.build(myst_nb_fork_preload=["numpy.random"])
    assert built.text("a") != built.text("b")


def test_a_parallel_region_after_the_fork_does_not_hang(project: Project) -> None:
    source = "import torch\nx = torch.ones(512, 512)\n(x @ x).sum().item()"
    for name in ("a", "b", "c"):
        project.page(name, cell(source))
    built = project.build(myst_nb_fork_preload=["torch"], nb_execution_timeout=60)
    assert [built.text(name) for name in "abc"] == [["134217728.0"]] * 3


@pytest.mark.parametrize("temporary", [True, False])
def test_a_page_runs_in_its_own_folder_or_in_a_new_one(project: Project, temporary: bool) -> None:
    project.page("deep/a", cell("import os, pathlib\npathlib.Path('made').touch()\nos.getcwd()"))
    (project.source / "deep/nearby.py").write_text("value = 42\n")
    if not temporary:
        project.page("deep/b", cell("import nearby\nnearby.value"))
    built = project.build(nb_execution_in_temp=temporary)
    place = built.text("deep/a")[0].strip("'")
    assert (place == str(project.source / "deep")) is not temporary
    assert (project.source / "deep/made").exists() is not temporary
    assert not temporary or not Path(place).exists()
    assert temporary or built.text("deep/b") == ["42"]


def test_what_a_page_registers_for_its_end_runs_then(project: Project) -> None:
    mark = project.folder / "ended"
    project.page(
        "end", cell(f"import atexit, pathlib\natexit.register(pathlib.Path({str(mark)!r}).touch);")
    )
    project.build()
    assert mark.exists()


def test_cells_that_are_tagged_or_allowed(project: Project) -> None:
    project.page(
        "tags",
        cell("x = 1", ":tags: [remove-cell]\n\n"),
        cell("x = 2", ":tags: [skip-execution]\n\n"),
        cell("x", ":tags: [hide-output]\n\n"),
        cell("1 / 0", ":tags: [raises-exception]\n\n"),
        cell("x + 1"),
    )
    built = project.build()
    assert built.warnings == []
    assert built.text("tags") == ["", "", "1", "ZeroDivisionError: division by zero", "2"]
    assert [cell["execution_count"] for cell in built.cells("tags")] == [1, None, 2, 3, 4]
    project.page("tags", cell("1 / 0"), cell("3"))
    assert project.build(nb_execution_allow_errors=True).text("tags")[1] == "3"


def test_a_removed_cell_after_the_last_that_is_shown_runs_too(project: Project) -> None:
    project.page("end", cell("1"), cell("assert False, 'checked'", ":tags: [remove-cell]\n\n"))
    built = project.build()
    assert "end.md:15: WARNING: AssertionError: checked" in built.warnings[0]


def test_expressions_are_evaluated_where_they_stand(project: Project) -> None:
    project.page(
        "eval",
        cell("x = [1]"),
        "{eval}`x` and ``{eval}`gone` `` stay.\n\n```{eval} len(x)\n```\n\n",
        cell("x.append(2)"),
        "```{note}\n{eval}`x`\n```\n\n{eval}`x.append(3)`\n\n| a |\n|---|\n| {eval}`x` |\n",
    )
    built = project.build()
    assert "[1] and {eval}`gone` stay. 1 x.append(2) Note [1, 2]" in built.prose("eval")
    assert "a [1, 2, 3]" in built.prose("eval")
    assert len(built.warnings) == 1
    assert "expression 'x.append(3)' does not return any outputs" in built.warnings[0]


def test_an_expression_that_could_not_be_foreseen_is_evaluated_all_the_same(
    project: Project,
) -> None:
    substitutions = "myst: {substitutions: {value: '{eval}`x`'}}\n"
    front_matter = FRONT_MATTER.replace("---\nfile", f"---\n{substitutions}file")
    project.page(
        "eval",
        cell("x = 5"),
        "Now {{ value }}.\n\n",
        cell("x = 6"),
        "Then {{ value }}.\n",
        front_matter=front_matter,
    )
    built = project.build(myst_enable_extensions=["substitution"])
    assert "Now 5." in built.prose("eval")
    assert "Then 6." in built.prose("eval")
    assert built.warnings == []


def test_a_page_that_ends_itself_where_it_could_not_be_foreseen(project: Project) -> None:
    substitutions = "myst: {substitutions: {exit: '{eval}`os._exit(4)`', value: '{eval}`2`'}}\n"
    front_matter = FRONT_MATTER.replace("---\nfile", f"---\n{substitutions}file")
    text = "{{ value }} {{ exit }} {{ value }}\n\n"
    project.page("eval", cell("import os"), text, cell("1"), front_matter=front_matter)
    built = project.build(myst_enable_extensions=["substitution"])
    assert "exited with status 4" in built.warnings[0]
    assert built.text("eval") == ["", ""]


def test_expressions_that_fail_warn_as_with_a_kernel(project: Project) -> None:
    project.page("eval", "{eval}`nothing`, {eval}`not a name`\n\n", cell("1"))
    built = project.build(nb_eval_name_regex="^[a-z]+$")
    assert "eval.md:8: WARNING: NameError: name 'nothing' is not defined" in built.warnings[0]
    assert "'not a name' is not valid" in built.warnings[1]


def test_a_key_that_is_glued_twice_warns(project: Project) -> None:
    project.page("glue", cell("from myst_nb import glue\nglue('a', 1)"), cell("glue('a', 2)"))
    (warning,) = project.build().warnings
    assert "glue.md:14: WARNING: glue key 'a' duplicate" in warning


def test_what_another_extension_makes_of_the_text_is_what_runs(project: Project) -> None:
    (project.folder / "changes.py").write_text(
        "def change(app, page, text):\n"
        "    text[0] = text[0].replace('1 / 0', '1 + 1')\n\n"
        "def setup(app):\n    app.connect('source-read', change)\n"
    )
    project.page("changed", cell("1 / 0"))
    with pytest.MonkeyPatch.context() as path:
        path.syspath_prepend(project.folder)
        built = project.build(extensions=["myst_nb_fork", "myst_nb", "changes"])
    assert built.text("changed") == ["2"]
    assert built.warnings == []


def test_where_another_extension_says_that_a_page_runs_it_runs(project: Project) -> None:
    (project.folder / "moves.py").write_text(
        "def change(app, page, text):\n"
        "    text[0] = text[0].replace('in_temp: false', 'in_temp: true')\n\n"
        "def setup(app):\n    app.connect('source-read', change)\n"
    )
    front_matter = FRONT_MATTER.replace("---\n", "---\nmystnb: {execution_in_temp: false}\n", 1)
    project.page("moved", cell("import os\nprint(os.getcwd())"), front_matter=front_matter)
    stays = project.build().text("moved")
    assert stays == [f"{project.source}\n"]
    with pytest.MonkeyPatch.context() as path:
        path.syspath_prepend(project.folder)
        built = project.build(fresh=True, extensions=["myst_nb_fork", "myst_nb", "moves"])
    assert built.text("moved") != stays
    assert built.status.count(": ran in") == 1


def test_what_is_set_while_sphinx_reads_is_no_page_s_business(project: Project) -> None:
    (project.folder / "sets.py").write_text(
        "import os\n\ndef change(app, page, text):\n    os.environ['SET_LATE'] = page\n\n"
        "def setup(app):\n    app.connect('source-read', change)\n"
    )
    for name in ("a", "b"):
        project.page(name, cell("import os\nos.environ['SET_LATE']"))
    with pytest.MonkeyPatch.context() as path:
        path.syspath_prepend(project.folder)
        path.setenv("SET_LATE", "no")
        built = project.build(extensions=["myst_nb_fork", "myst_nb", "sets"])
    assert built.text("a") == built.text("b") == ["'no'"]
    assert built.status.count(": ran in") == 2  # once each: what was started ahead was of use


def test_more_pages_than_are_started_ahead(project: Project) -> None:
    names = [f"p{number:02}" for number in range(40)]
    for name in names:
        project.page(name, cell(f"'{name}'"))
    built = project.build()
    assert [built.text(name) for name in names] == [[f"'{name}'"] for name in names]


def test_a_page_with_nothing_to_run(project: Project) -> None:
    project.page("empty", "Text.\n")
    assert project.build().warnings == []


def test_pages_whose_kernel_has_another_name_run_too(project: Project) -> None:
    project.page("a", cell("1"), front_matter=FRONT_MATTER.replace("python3", "alias"))
    assert project.build(nb_kernel_rgx_aliases={"al.*": "python3"}).text("a") == ["1"]


def test_a_page_of_another_language_is_left_to_its_kernel(project: Project) -> None:
    project.page("other", cell("1"), front_matter=FRONT_MATTER.replace("python3", "no-such-kernel"))
    with pytest.raises(Exception, match="No such kernel named no-such-kernel"):
        project.build()


def test_modes_in_which_nothing_is_to_run_for_us(project: Project) -> None:
    project.page("off", cell("1"))
    project.page("plain", "text\n", front_matter="")
    front_matter = FRONT_MATTER.replace("---\nfile", "---\nmystnb: {execution_mode: 'off'}\nfile")
    project.page("page_off", cell("1"), front_matter=front_matter)
    built = project.build(nb_execution_excludepatterns=["off.md"])
    assert built.text("off") == built.text("page_off") == [""]
    assert "ran in" not in built.status


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
    assert [text.split("\n")[0] for text in one.warnings] == [
        text.split("\n")[0] for text in two.warnings
    ]
    assert "p3.md:9: WARNING: ZeroDivisionError" in two.warnings[0]


def test_two_builds_give_the_same_bytes(project: Project) -> None:
    project.page("a", cell("print({'b', 'a', 'c'})\nimport os\nos.environ['PYTHONHASHSEED']"))
    files = []
    for _ in range(2):
        project.build(fresh=True)
        made = [
            *(project.folder / "html").rglob("*"),
            *(project.folder / "jupyter_execute").rglob("*"),
        ]
        files.append({path: path.read_bytes() for path in made if path.is_file()})
    assert files[0] == files[1]


def test_an_ipynb_page_keeps_the_names_of_its_cells(project: Project) -> None:
    page = {
        "cells": [
            {
                "id": "mine",
                "cell_type": "code",
                "source": "1 / 0",
                "metadata": {},
                "outputs": [],
                "execution_count": None,
            }
        ],
        "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    (project.source / "page.ipynb").write_text(json.dumps(page))
    project.names.append("page")
    built = project.build()
    assert built.cells("page")[0]["id"] == "mine"
    assert (
        "page.ipynb: WARNING: ZeroDivisionError: division by zero\n    1 / 0" in built.warnings[0]
    )
