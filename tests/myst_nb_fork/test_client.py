"""MyST-NB is handed what a page has shown, as long as it asks for what was started, or anew."""

import logging
import platform
import sys
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbformat
import pytest
from myst_nb.core.config import NbParserConfig
from myst_nb.core.execute.base import EvalNameError, ExecutionError

from myst_nb_fork.client import PageClient
from myst_nb_fork.messages import Error, Job, Result, Step

TEXT = "# Title\n\n```{code-cell}\nx = 1\n```\n\n```{code-cell}\ny = 2\n```\n\n{eval}`z`\n"
ERROR = Error("E", "why", 1, ("line one", "line two"))
FATAL = Error("DeadPageError", "gone", fatal=True)


def stream(text: str) -> tuple[str, dict[str, str]]:
    return "stream", {"name": "stdout", "text": text}


def glue(key: str) -> tuple[str, dict[str, Any]]:
    metadata = {"scrapbook": {"name": key, "mime_prefix": ""}}
    return "display_data", {"data": {"text/plain": key}, "metadata": metadata, "transient": {}}


class Runs:
    """Stands for those that run, and for the executor: what it was asked for is in `did`."""

    def __init__(self, **answers: Result) -> None:
        self.answers = answers
        self.runs = self
        self.reading = ("page", TEXT)
        self.did: list[tuple[Any, ...]] = []
        self.started: Any = None
        self.ahead: Any = None

    def job(self, folder: Path | None, steps: tuple[Step, ...]) -> Job:
        return Job(str(folder), folder is None, {}, steps)

    def start(self, page: str, job: Job, config: NbParserConfig) -> Any:
        run = SimpleNamespace(page=page, job=job, steps=list(job.steps), config=config)
        run.ask = lambda step: (self.did.append(("ask", step.source)), run.steps.append(step))
        self.did.append(("start", page, job.follow, [step.source for step in job.steps]))
        assert config.execution_mode == "inline"
        self.started = run
        return run

    def take(self, page: str) -> Any:
        assert page == "page"
        return self.ahead

    def drop(self, run: Any) -> None:
        self.did.append(("drop", run.job.follow))

    def result(self, run: Any, number: int) -> Result:
        source = run.steps[number].source
        return self.answers.get(source.partition(" ")[0], Result((stream(source),)))

    def tell(self, run: Any, number: int) -> None:
        assert run is self.started
        self.did.append(("tell", number))

    def finish(self, run: Any, *, failed: bool) -> float:
        assert run is self.started
        self.did.append(("finish", failed))
        return 1.5


def cells(*sources: str, **tags: list[str]) -> Any:
    """A notebook; a source that begins with # is a text."""
    made = [
        nbformat.v4.new_markdown_cell(source)
        if source.startswith("#")
        else nbformat.v4.new_code_cell(source, metadata={"tags": tags.get(source[0], [])})
        for source in sources
    ]
    return nbformat.v4.new_notebook(cells=made)


class Said(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.warnings: list[tuple[Any, ...]] = []

    def warning(self, text: str, *, subtype: str, line: int) -> None:
        self.warnings.append((text, subtype, line))


def client(runs: Runs, notebook: Any, path: str | None = "/site/page.md", **config: Any) -> Any:
    file = None if path is None else Path(path)
    logger: Any = Said()
    executor: Any = runs
    settings = NbParserConfig(execution_mode="inline", **config)
    return PageClient(notebook, file, settings, logger, executor)


def outputs(asked: Any, number: int) -> tuple[int | None, list[str]]:
    count, shown = asked.code_cell_outputs(number)
    return count, [output.get("text") or output["data"]["text/plain"] for output in shown]


def test_what_was_started_ahead_is_used() -> None:
    runs = Runs()
    notebook = cells("x = 1", "#", "y = 2")
    asked = client(runs, notebook)
    runs.ahead = asked.start_ahead("page", TEXT)
    assert runs.ahead.page == "page"
    assert runs.ahead.config is asked.nb_config
    assert runs.ahead.job == Job("/site", False, {}, (Step("cell", "x = 1"), Step("cell", "y = 2")))
    with asked:
        assert outputs(asked, 0) == (1, ["x = 1"])
        assert outputs(asked, 1) == (None, [])
        assert outputs(asked, 2) == (2, ["y = 2"])
        assert outputs(asked, 0) == (1, ["x = 1"])
        asked.finalise_client()
    start = ("start", "page", False, ["x = 1", "y = 2"])
    assert runs.did == [start, ("tell", 0), ("tell", 1), ("finish", False)]


def test_what_will_be_asked_for_is_seen_in_the_page() -> None:
    runs = Runs()
    notebook = cells("x = 1", "# {eval}`z` {eval}`2`", "y = 2", y=["raises-exception"])
    notebook.metadata["source_map"] = [3, 5, 7]
    steps = (Step("cell", "x = 1", line=4), Step("eval", "z", True), Step("cell", "y = 2", True, 8))
    for allow in (False, True):
        asked = client(runs, notebook, execution_allow_errors=allow, eval_name_regex="^[a-z]$")
        got = asked.start_ahead("page", TEXT).job.steps
        first = Step("cell", "x = 1", allow, 4)
        assert got == (first, *steps[1:])


def test_a_page_with_nothing_to_run_is_not_started() -> None:
    runs = Runs()
    asked = client(runs, cells("# only text"))
    assert asked.start_ahead("page", TEXT) is None
    with asked:
        assert outputs(asked, 0) == (None, [])
        asked.finalise_client()
    assert runs.did == []
    assert asked.exec_metadata["succeeded"] is True
    assert asked.exec_metadata["runtime"] == 0.0


@pytest.mark.parametrize(
    ("path", "temporary", "folder"),
    [
        ("/site/deep/page.md", False, "/site/deep"),
        ("/site/deep/page.md", True, "None"),
        (None, False, "None"),
    ],
)
def test_a_page_runs_in_its_folder_or_in_a_new_one(
    path: str | None, temporary: bool, folder: str
) -> None:
    asked = client(Runs(), cells("x = 1"), path, execution_in_temp=temporary)
    assert asked.start_ahead("page", TEXT).job.folder == folder


def test_a_run_that_was_started_otherwise_is_dropped() -> None:
    runs = Runs()
    other = client(runs, cells("x = 1"), "/elsewhere/page.md")
    runs.ahead = other.start_ahead("page", TEXT)
    runs.did.clear()
    with client(runs, cells("x = 1")) as asked:
        assert runs.did == [("drop", False)]
        assert outputs(asked, 0) == (1, ["x = 1"])
    assert runs.did[1:] == [("start", "page", True, ["x = 1"]), ("tell", 0), ("finish", False)]


def test_what_was_not_foreseen_makes_the_page_run_anew_step_by_step() -> None:
    runs = Runs()
    notebook = cells("x = 1", "y = 2", "v = 3")
    with client(runs, notebook) as asked:
        runs.did.clear()
        asked._run = asked.start_ahead("page", TEXT)
        assert outputs(asked, 0) == (1, ["x = 1"])
        assert [output["text"] for output in asked.eval_variable("z")] == ["z"]
        assert outputs(asked, 1) == (2, ["y = 2"])
        assert outputs(asked, 2) == (3, ["v = 3"])
    assert runs.did == [
        ("start", "page", False, ["x = 1", "y = 2", "v = 3"]),
        ("tell", 0),
        ("drop", False),
        ("start", "page", True, ["x = 1", "z"]),
        ("tell", 1),
        ("ask", "y = 2"),
        ("tell", 2),
        ("ask", "v = 3"),
        ("tell", 3),
        ("finish", False),
    ]


def test_cells_before_the_one_that_is_asked_for_run_first() -> None:
    runs = Runs()
    with client(runs, cells("x = 1", "y = 2", "v = 3")) as asked:
        assert outputs(asked, 1) == (2, ["y = 2"])
        assert runs.did[-1] == ("tell", 1)
        asked.finalise_client()
        assert runs.did[-1] == ("tell", 2)
        assert outputs(asked, 2) == (3, ["v = 3"])


def test_what_is_handed_out_may_be_written_into() -> None:
    with client(Runs(), cells("x = 1")) as asked:
        asked.code_cell_outputs(0)[1][0]["text"] += "changed"
        assert outputs(asked, 0) == (1, ["x = 1"])


def test_a_cell_that_did_not_run_has_no_number() -> None:
    runs = Runs(x=Result(error=ERROR), y=Result(ran=False))
    with client(runs, cells("x = 1", "y = 2", "v = 3")) as asked:
        assert outputs(asked, 0) == (1, [])
        assert outputs(asked, 1) == (None, [])
        assert outputs(asked, 2) == (2, ["v = 3"])
    assert runs.did[-1] == ("finish", True)


@pytest.mark.parametrize(
    ("error", "traceback"), [(ERROR, "line one\nline two"), (FATAL, "DeadPageError: gone")]
)
def test_how_it_went_is_said(error: Error, traceback: str) -> None:
    before = datetime.now().timestamp()
    with client(Runs(x=Result(error=error)), cells("x = 1")) as asked:
        asked.finalise_client()
    said = asked.exec_metadata
    assert before <= said.pop("mtime") <= datetime.now().timestamp()
    assert said == {
        "runtime": 1.5,
        "method": "inline",
        "succeeded": False,
        "error": error.name,
        "traceback": traceback,
    }
    with client(Runs(), cells("x = 1")) as asked:
        asked.finalise_client()
    good = {"runtime": 1.5, "method": "inline", "succeeded": True, "error": None, "traceback": None}
    assert {**asked.exec_metadata, **good} == asked.exec_metadata


def test_an_error_that_is_allowed_is_none() -> None:
    runs = Runs(x=Result(error=ERROR))
    with client(runs, cells("x = 1", x=["raises-exception"])) as asked:
        asked.finalise_client()
    assert asked.exec_metadata["succeeded"] is True
    with client(runs, cells("x = 1"), execution_allow_errors=True) as asked:
        asked.finalise_client()
    assert asked.exec_metadata["succeeded"] is True


def test_a_failure_ends_the_build_if_it_shall() -> None:
    runs = Runs(x=Result(error=ERROR))
    asked = client(runs, cells("x = 1"), execution_raise_on_error=True)
    with pytest.raises(ExecutionError, match=r"^/site/page\.md$"), asked:
        asked.finalise_client()
    assert runs.did[-1] == ("tell", 0)  # what comes of the page is nobody's business any more
    assert asked.exec_metadata is None
    with client(Runs(), cells("x = 1"), execution_raise_on_error=True) as asked:
        asked.finalise_client()


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        (Result((stream("3"),)), ["3"]),
        (Result((stream("3"),), ERROR), ["3"]),
        (Result(), []),
    ],
)
def test_an_expression_has_what_it_showed(answer: Result, shown: list[str]) -> None:
    with client(Runs(z=answer), cells("x = 1")) as asked:
        assert [output["text"] for output in asked.eval_variable("z")] == shown


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Result(error=ERROR), "^E: why$"),
        (Result(error=FATAL, ran=False), "^DeadPageError: gone$"),
        (Result((stream("3"),), ran=False), "^the page has ended in a cell above$"),
    ],
)
def test_an_expression_that_fails_says_so(answer: Result, said: str) -> None:
    runs = Runs(z=answer)
    with client(runs, cells("x = 1")) as asked, pytest.raises(RuntimeError, match=said):
        asked.eval_variable("z")
    assert runs.did[-1] == ("finish", False)


def test_only_what_may_be_evaluated_is() -> None:
    runs = Runs()
    with client(runs, cells("x = 1"), eval_name_regex="^[a-y]$") as asked:
        with pytest.raises(EvalNameError, match=r"^z$"):
            asked.eval_variable("z")
        assert runs.did == []
        assert len(asked.eval_variable("a")) == 1


def test_a_display_that_an_expression_shows_may_be_changed_by_a_cell() -> None:
    there = {"data": {"text/plain": "old"}, "metadata": {}, "transient": {"display_id": "d"}}
    new = {**there, "data": {"text/plain": "new"}}
    first = Result((("display_data", there),))
    second = Result((("update_display_data", new),))
    with client(Runs(x=first, y=second), cells("x = 1", "y = 2")) as asked:
        assert outputs(asked, 0) == (1, ["old"])
        assert outputs(asked, 1) == (2, [])
        assert outputs(asked, 0) == (1, ["new"])


def test_what_is_glued_is_kept_and_twice_is_said() -> None:
    answers = {"x": Result((glue("a"), glue("b"))), "y": Result((glue("a"),))}
    notebook = cells("x = 1", "y = 2")
    notebook.metadata["source_map"] = [3, 7]
    with client(Runs(**answers), notebook) as asked:
        asked.finalise_client()
    assert sorted(asked.glue_data) == ["a", "b"]
    assert asked.glue_data["a"]["data"] == {"text/plain": "a"}
    assert asked.logger.warnings == [("glue key 'a' duplicate", "glue", 8)]


def test_a_notebook_says_its_language_and_a_markdown_page_names_its_cells() -> None:
    notebook = cells("x = 1", "#")
    before = [cell["id"] for cell in notebook.cells]
    with client(Runs(), notebook):
        pass
    assert [cell["id"] for cell in notebook.cells] == before
    assert notebook.metadata["language_info"] == {
        "codemirror_mode": {"name": "ipython", "version": sys.version_info[0]},
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "name": "python",
        "nbconvert_exporter": "python",
        "pygments_lexer": "ipython3",
        "version": platform.python_version(),
    }
    notebook.metadata["source_map"] = [3, 5]
    with client(Runs(), notebook):
        pass
    assert [cell["id"] for cell in notebook.cells] == ["cell-0", "cell-1"]
