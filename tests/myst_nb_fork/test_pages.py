"""What pages show: many of them, in one build."""

from pathlib import Path
from typing import Any

import pytest

from myst_nb_fork.warm import Warm
from tests.myst_nb_fork.conftest import Built, built_once, cell

RAISES = ":tags: [raises-exception]\n\n"
MIB = 1 << 20
FORK = "import os, warnings\nwarnings.simplefilter('ignore')  # from Python 3.12 on, of threads\n"
ASK = "StdinNotImplementedError: a page cannot ask for input: it runs when the site is built"

PAGES: dict[str, tuple[list[str], list[str]]] = {
    # What is written, in the order in which it was written.
    "order": (
        [
            cell(
                "import ctypes, os, subprocess, sys\n"
                "print('python')\n"
                "os.write(1, b'descriptor\\n')\n"
                "subprocess.run(['sh', '-c', 'echo shell; echo device > /dev/stdout'])\n"
                "print('again')\nsys.stderr.write('err\\n')\nprint('last');"
            ),
            cell("sys.__stdout__.write('old');"),
            cell("ctypes.CDLL(None).puts(b'from C');"),
        ],
        ["python\ndescriptor\nshell\ndevice\nagain\nerr\nlast\n", "old", "from C\n"],
    ),
    "displayed": (
        [
            cell(
                "import os\nfrom IPython.display import display\n"
                "os.write(1, b'first')\ndisplay(1)\nos.write(1, b'second')\n3"
            )
        ],
        ["first1second3"],
    ),
    "letters": (
        [
            cell("import os\nos.write(1, 'ü'.encode()[:1])\nos.write(1, 'ü'.encode()[1:]);"),
            cell("os.write(1, b'\\xff|')\nos.write(1, '€'.encode()[:2]);"),
            cell("os.write(1, '€'.encode()[2:]);"),
        ],
        ["ü", "\ufffd|", "€"],
    ),
    "surrogate": (
        [
            cell("print('a\\ud800')"),
            cell("from IPython.display import Markdown\nMarkdown('b\\ud800')"),
            cell("raise ValueError('c\\ud800')", RAISES),
            cell("'still here'"),
        ],
        [
            "a\\ud800\n",
            "<IPython.core.display.Markdown object>",
            "ValueError: c\\ud800",
            "'still here'",
        ],
    ),
    "much": (
        [
            cell(f"import os\nos.set_blocking(1, False)\nn = os.write(1, bytes({MIB}))"),
            cell("print(n)\nos.set_blocking(1, True)"),
            cell(f"os.system(\"head -c {3 * MIB} /dev/zero | tr '\\\\0' x >&2\");"),
        ],
        ["\0" * MIB, f"{MIB}\n", "x" * 3 * MIB],
    ),
    "closed": (
        [
            cell("import sys\nsys.__stdout__.close()\nsys.__stderr__ = None"),
            cell("print('still')\nsys.stdout.write(b'1')", RAISES),
        ],
        ["", "still\nTypeError: write() argument must be str, not bytes"],
    ),
    "streams": (
        [
            cell(
                "import os, sys\n"
                "for stream in (sys.stdout, sys.stderr):\n"
                "    print(stream.name, stream.encoding, stream.fileno(), stream.isatty())\n"
                "os.read(0, 9)"
            )
        ],
        ["stdout UTF-8 1 False\nstderr UTF-8 2 False\nb''"],
    ),
    "threads": (
        [
            cell(
                "import threading\nthread = threading.Thread(target=print, args=['threaded'])\n"
                "thread.start()\nthread.join()\n"
                "all(thread.daemon for thread in threading.enumerate()[1:])"
            )
        ],
        ["threaded\nTrue"],
    ),
    "workers": (
        [
            cell(
                "import multiprocessing\nfrom IPython.display import display\n"
                "def work(n):\n    print('ü' * n)\n    display('not shown')\n"
                "fork = multiprocessing.get_context('fork')\n"
                "worker = fork.Process(target=work, args=[200_000])\n"
                "worker.start()\nworker.join()\nprint(worker.exitcode)"
            )
        ],
        ["ü" * 200_000 + "\n0\n"],
    ),
    "fork_left_to_go_on": (
        [cell(f"{FORK}child = os.fork()"), cell("print('once')\nos.waitpid(child, 0)[1]")],
        ["", "once\n0"],
    ),
    "warning": (
        [cell("import warnings\n\nwarnings.warn('careful')")],
        ["cell_1.py:3: UserWarning: careful\n  warnings.warn('careful')\n"],
    ),
    # What a page finds.
    "input": (
        [cell("input('?')", RAISES), cell("import getpass\ngetpass.getpass(prompt='')", RAISES)],
        [ASK, ASK],
    ),
    "fresh": (
        [
            cell("import sys\nsorted(n for n in globals() if n[0] != '_')"),
            cell(
                "'sphinx' in sys.modules, sys.argv, sys.path.count(''), 'LEFT' in os.environ"
            ).replace("code-cell} python\n", "code-cell} python\nimport os\n"),
            cell("get_ipython().history_manager.enabled, __name__, __import__('gc').isenabled()"),
            cell("[p for p in sys.path[:1] if os.path.isdir(p + '/myst_nb_fork')]"),
        ],
        [
            "['In', 'Out', 'exit', 'get_ipython', 'open', 'quit', 'sys']",
            "(False, [''], 1, False)",
            "(False, '__main__', True)",
            "[]",
        ],
    ),
    "untidy": (
        [cell("import os, json, sys\njson.x = 1\nos.environ['LEFT'] = ''\nsys.path.append('')")],
        [""],
    ),
    "tidy": ([cell("import json\nhasattr(json, 'x')")], ["False"]),
    "environment": (
        [
            cell("import os\nos.environ['TERM'], os.environ['PAGER'], os.environ['MPLBACKEND']"),
            cell("{'b', 'a', 'c'}, os.environ['PYTHONHASHSEED']"),
        ],
        [
            "('xterm-color', 'cat', 'module://matplotlib_inline.backend_inline')",
            "({'a', 'b', 'c'}, '0')",
        ],
    ),
    # How cells run.
    "expressions": (
        [cell("41"), "{eval}`_ + 1`\n\n", cell("_, In[-1], len(In)")],
        ["41", "(42, '_, In[-1], len(In)', 3)"],
    ),
    "no_kernel_to_ask_for_a_gui": ([cell("get_ipython().enable_gui('inline')\n1")], ["1"]),
    "shown_by_the_cell_itself": (
        [cell("try:\n    1 / 0\nexcept Exception:\n    get_ipython().showtraceback()"), cell("2")],
        ["ZeroDivisionError: division by zero", "2"],
    ),
    "tags": (
        [
            cell("x = 1", ":tags: [remove-cell]\n\n"),
            cell("x = 2", ":tags: [skip-execution]\n\n"),
            cell("x", ":tags: [hide-output]\n\n"),
            cell("1 / 0", RAISES),
            cell("x + 1"),
        ],
        ["", "", "1", "ZeroDivisionError: division by zero", "2"],
    ),
    "orphan": (
        [
            cell("import subprocess, time\nsubprocess.run(['sh', '-c', 'sleep 0.1 &']);"),
            cell("time.sleep(0.3)\nprint('still here')"),
        ],
        ["", "still here\n"],
    ),
    "nothing_to_run": (["Text.\n"], []),
    # With these there are more than are started ahead.
    **{f"one_of_many_{n}": ([cell(f"{n}")], [f"{n}"]) for n in range(20)},
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, shared: Warm) -> Built:
    with pytest.MonkeyPatch.context() as environment:
        environment.delenv("PYTHONHASHSEED", raising=False)
        environment.delenv("PYTHONPATH", raising=False)
        return built_once(tmp_path_factory.mktemp("pages"), shared, {}, PAGES)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_shows(built: Built, page: str) -> None:
    assert built.text(page) == PAGES[page][1]


def test_nothing_but_what_the_pages_ask_for_is_said(built: Built) -> None:
    assert built.warnings == []
    assert built.status.count(": ran in") == len(PAGES) - 1


def test_cells_that_ran_are_counted(built: Built) -> None:
    assert [cell["execution_count"] for cell in built.cells("tags")] == [1, None, 2, 3, 4]


PROSE: dict[str, tuple[list[str], str]] = {
    "roles": (
        [
            cell("x = [1]"),
            "{eval}`x` and ``{eval}`gone` `` stay.\n\n```{eval} len(x)\n```\n\n",
            cell("x.append(2)"),
            "```{note}\n{eval}`x`\n```\n\n| a |\n|---|\n| {eval}`x` |\n",
        ],
        "[1] and {eval}`gone` stay. 1 x.append(2) Note [1, 2]",
    ),
    "not_foreseen": ([cell("x = 5"), "Now {{ x }}.\n\n", cell("x = 6"), "Then {{ x }}.\n"], "6."),
    "nothing": (["{eval}`x = 1`\n\n", cell("1")], ""),
    "no_such_name": (["{eval}`nothing`\n\n", cell("1")], ""),
    "glued": (
        [
            cell("from myst_nb import glue\nglue('a', 7, display=False)"),
            "Glued {glue}`a`.\n\n",
            cell("glue('a', 2, display=False)"),
        ],
        "Glued 7.",
    ),
}


@pytest.fixture(scope="module")
def prose(tmp_path_factory: pytest.TempPathFactory, shared: Warm) -> Built:
    config: dict[str, Any] = {
        "myst_enable_extensions": ["substitution"],
        "myst_substitutions": {"x": "{eval}`x`"},
    }
    return built_once(tmp_path_factory.mktemp("prose"), shared, config, PROSE)


@pytest.mark.parametrize("page", PROSE)
def test_what_is_computed_stands_in_sentences(prose: Built, page: str) -> None:
    assert PROSE[page][1] in prose.prose(page)
    assert page != "not_foreseen" or "Now 5." in prose.prose(page)


def test_sentences_that_cannot_be_computed_warn_as_with_a_kernel(prose: Built) -> None:
    said = sorted(text.rpartition("/")[2] for text in prose.warnings)
    assert [text.partition(" [")[0] for text in said] == [
        "glued.md:16: WARNING: glue key 'a' duplicate",
        "no_such_name.md:8: WARNING: NameError: name 'nothing' is not defined",
        "nothing.md:8: WARNING: expression 'x = 1' does not return any outputs",
    ]


def test_two_pages_read_alike_are_the_same_bytes(
    built: Built, tmp_path: Path, shared: Warm
) -> None:
    some = {name: PAGES[name] for name in ("order", "environment", "tags")}
    for part in ("a", "b"):
        (tmp_path / part).mkdir()
    one, two = (built_once(tmp_path / part, shared, {}, some).folder for part in ("a", "b"))
    made = [path.relative_to(one) for path in one.glob("*/*") if path.suffix in {".html", ".ipynb"}]
    assert len(made) > len(some)
    assert all((one / path).read_bytes() == (two / path).read_bytes() for path in made)
