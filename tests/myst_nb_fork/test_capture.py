"""What a page writes and shows arrives as messages, in the order in which it was written."""

import base64
from typing import Any

import pytest

from myst_nb_fork.warm import Warm
from tests.myst_nb_fork.conftest import alone, said


def messages(process: Warm, *cells: str) -> list[tuple[tuple[str, dict[str, Any]], ...]]:
    return [result.messages for result in alone(process, *cells).results]


def stream(name: str, text: str) -> tuple[str, dict[str, str]]:
    return "stream", {"name": name, "text": text}


def test_the_streams_stand_in_their_order_and_are_joined(shared: Warm) -> None:
    source = (
        "import os, sys\n"
        "print('a')\nprint('b', end='', flush=True)\nsys.stderr.write('c')\nprint(end='')\n"
        "os.write(1, b'd')\nos.write(2, b'e')\nprint('f')\nos.system('echo g >&2; echo h');"
    )
    got, again = messages(shared, source, "print('i')")
    assert got[:3] == (stream("stdout", "a\nb"), stream("stderr", "c"), stream("stdout", "d"))
    assert got[3:] == (
        stream("stderr", "e"),
        stream("stdout", "f\nh\n"),
        stream("stderr", "g\n"),
    )
    assert again == (stream("stdout", "i\n"),)


def test_what_is_displayed_stands_after_what_was_written_before(shared: Warm) -> None:
    source = (
        "import os\n"
        "from IPython.display import clear_output, display, update_display\n"
        "os.write(1, b'first')\n"
        "display(1, display_id='there')\n"
        "display({'image/png': b'\\x89PNG'}, raw=True)\n"
        "os.write(1, b'second')\n"
        "update_display(2, display_id='there')\n"
        "clear_output(wait=True)\n"
        "3"
    )
    (got,) = messages(shared, source)
    there = {"display_id": "there"}
    picture = base64.b64encode(b"\x89PNG").decode()
    assert got == (
        stream("stdout", "first"),
        ("display_data", {"data": {"text/plain": "1"}, "metadata": {}, "transient": there}),
        ("display_data", {"data": {"image/png": picture}, "metadata": {}, "transient": {}}),
        stream("stdout", "second"),
        ("update_display_data", {"data": {"text/plain": "2"}, "metadata": {}, "transient": there}),
        ("clear_output", {"wait": True}),
        ("execute_result", {"data": {"text/plain": "3"}, "metadata": {}, "execution_count": 1}),
    )


def test_letters_are_put_together_and_what_is_no_letter_is_replaced(shared: Warm) -> None:
    cells = (
        "import os\nos.write(1, 'ü'.encode()[:1])\nprint(end='-')\nos.write(1, 'ü'.encode()[1:]);",
        "os.write(2, b'\\xff|')\nos.write(1, '€'.encode()[:2]);",
        "os.write(1, '€'.encode()[2:])\nprint('ß');",
    )
    first, second, third = messages(shared, *cells)
    assert first == (stream("stdout", "-ü"),)
    assert second == (stream("stderr", "\ufffd|"),)
    assert third == (stream("stdout", "€ß\n"),)


def test_what_c_code_and_the_old_streams_hold_back_belongs_to_the_cell(shared: Warm) -> None:
    assert said(
        alone(
            shared,
            "import ctypes, sys\nsys.__stdout__.write('old');",
            "sys.__stderr__.write('old error');",
            "ctypes.CDLL(None).puts(b'from C');",
            "sys.__stdout__.close()\nsys.__stderr__.write('open');",
            "sys.__stdout__ = sys.__stderr__ = None",
            "print('still')",
        )
    ) == ["old", "old error", "from C\n", "open", "", "still\n"]


def test_there_is_nothing_to_read(shared: Warm) -> None:
    source = "import os\nprint(os.read(0, 9), os.path.realpath('/dev/fd/0'))"
    assert said(alone(shared, source)) == ["b'' /dev/null\n"]


def test_much_may_be_written_at_once_and_more_does_not_wait_for_ever(shared: Warm) -> None:
    mebibyte = 1 << 20
    once = f"import os\nos.set_blocking(1, False)\nn = os.write(1, bytes({mebibyte}))"
    more = "os.set_blocking(1, True)\nos.system(\"head -c 1600000 /dev/zero | tr '\\\\0' x >&2\");"
    run = alone(shared, once, "print(n)", more)
    assert said(run) == ["\0" * mebibyte, f"{mebibyte}\n", "x" * 1_600_000]


def test_a_fork_writes_into_the_page_and_displays_nothing(shared: Warm) -> None:
    source = (
        "import os, sys, warnings\n"
        "warnings.simplefilter('ignore')  # from Python 3.12 on, of threads\n"
        "def forked(work):\n"
        "    if (child := os.fork()) == 0:\n"
        "        work()\n"
        "        os._exit(0)\n"
        "    return os.waitpid(child, 0)[1]\n"
    )
    work = (
        "from IPython.display import display\n"
        "def work():\n"
        "    display('no')\n"
        "    print('ü' * 200_000)\n"
        "    sys.stderr.write('err')\n"
        "print('before')\n"
        "print(forked(work))"
    )
    _, got = messages(shared, source, work)
    joined = dict.fromkeys(("stdout", "stderr"), "")
    for kind, content in got:
        assert kind == "stream"
        joined[content["name"]] += content["text"]
    assert joined == {"stdout": "before\n" + "ü" * 200_000 + "\n0\n", "stderr": "err"}


def test_the_streams_are_as_a_kernel_s(shared: Warm) -> None:
    source = (
        "import sys\n"
        "for stream in (sys.stdout, sys.stderr):\n"
        "    print(stream.name, stream.encoding, stream.fileno(), stream.writable())\n"
        "print(sys.stdout.write('four'), sys.stdout.isatty(), sys.stdout.write(''))"
    )
    text = "stdout UTF-8 1 True\nstderr UTF-8 2 True\nfour4 False 0\n"
    assert said(alone(shared, source)) == [text]


@pytest.mark.parametrize(("value", "kind"), [("b'1'", "bytes"), ("None", "NoneType")])
def test_only_text_is_written(shared: Warm, value: str, kind: str) -> None:
    (text,) = said(alone(shared, f"import sys\nsys.stderr.write({value})"))
    assert text == f"TypeError: write() argument must be str, not {kind}"


def test_threads_write_too_and_none_keeps_the_page(shared: Warm) -> None:
    source = (
        "import threading\n"
        "threads = [threading.Thread(target=print, args=[name * 9]) for name in 'ab']\n"
        "for thread in threads:\n    thread.start()\n    thread.join()\n"
        "all(thread.daemon for thread in threading.enumerate()[1:])"
    )
    assert said(alone(shared, source)) == ["a" * 9 + "\n" + "b" * 9 + "\nTrue"]
