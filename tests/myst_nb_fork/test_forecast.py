"""A page is read as MyST-NB will read it, and started, unless it will not run for us."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbformat
import pytest
from myst_nb.core import execute
from myst_nb.core.config import NbParserConfig
from myst_parser.config.main import MdParserConfig

from myst_nb_fork.client import PageClient
from myst_nb_fork.forecast import forecast
from myst_nb_fork.messages import Job
from tests.myst_nb_fork.conftest import FRONT_MATTER, cell


class Site:
    """One page of a site, and what of it is started."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.path = folder / "page.md"
        self.config = NbParserConfig(execution_mode="inline", eval_name_regex="^.+$")
        self.myst = MdParserConfig()
        self.suffixes = {".md": "myst-nb", ".ipynb": "myst-nb", ".rst": "restructuredtext"}
        self.started: list[tuple[str, NbParserConfig, list[str], list[int | None]]] = []

        def client(notebook: Any, path: Any, config: NbParserConfig, logger: Any) -> Any:
            assert path == self.path
            logger.warning("nobody hears this")
            executor: Any = SimpleNamespace(
                job=lambda folder, steps: Job(str(folder), False, {}, steps), start=self.start
            )
            return PageClient(notebook, path, config, logger, executor)

        monkeypatch.setattr(execute, "NotebookClientInline", client)

    def start(self, page: str, job: Job, config: NbParserConfig) -> str:
        sources = [step.source for step in job.steps]
        self.started.append((page, config, sources, [step.line for step in job.steps]))
        return "the run"

    def forecast(self, text: str, name: str = "page.md") -> Any:
        self.path = self.path.parent / name
        self.path.write_text(text, encoding="utf-8")
        app: Any = SimpleNamespace(config=SimpleNamespace(source_suffix=self.suffixes))
        env: Any = SimpleNamespace(
            doc2path=lambda page: self.path if page == "page" else None,
            mystnb_config=self.config,
            myst_config=self.myst,
        )
        return forecast(app, env, "page")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    return Site(tmp_path, monkeypatch)


def test_a_page_is_started_with_its_steps(site: Site, capfd: pytest.CaptureFixture[str]) -> None:
    text = FRONT_MATTER + cell("x = 'ü'", ":tags: [hide-input]\n\n") + "Ü {eval}`x`\n\n" + cell("y")
    assert site.forecast("\ufeff" + text) == "the run"
    ((page, config, sources, lines),) = site.started
    assert (page, sources, lines) == ("page", ["x = 'ü'", "x", "y"], [8, None, 14])
    assert config.execution_mode == "inline"
    assert capfd.readouterr() == ("", "")


def test_what_the_page_itself_says_of_its_running_counts(site: Site) -> None:
    own = "---\nmystnb: {execution_timeout: 7, execution_in_temp: true}\n"
    site.forecast(FRONT_MATTER.replace("---\n", own, 1) + cell("1"))
    ((_, config, *_),) = site.started
    assert (config.execution_timeout, config.execution_in_temp) == (7, True)
    assert config.eval_name_regex == "^.+$"
    site.config = site.config.copy(metadata_key="other")
    site.forecast(FRONT_MATTER.replace("---\n", own, 1) + cell("1"))
    assert site.started[1][1].execution_timeout == site.config.execution_timeout


@pytest.mark.parametrize(
    "text",
    [
        "# Only text\n",
        FRONT_MATTER + "Only text.\n",
        FRONT_MATTER.replace("---\n", "---\nmystnb: {execution_mode: 'off'}\n", 1) + cell("1"),
        FRONT_MATTER.replace("---\n", "---\nmystnb: {execution_mode: nonsense}\n", 1) + cell("1"),
        FRONT_MATTER + cell("1", "---\ntags: [\n---\n"),
    ],
)
def test_what_will_not_run_is_not_started(site: Site, text: str) -> None:
    assert site.forecast(text) is None
    assert site.started == []


def test_a_file_that_myst_nb_does_not_read_is_not_started(site: Site) -> None:
    assert site.forecast(FRONT_MATTER + cell("1"), "page.rst") is None
    assert site.forecast("no notebook", "page.ipynb") is None
    site.suffixes[".md"] = "markdown"
    assert site.forecast(FRONT_MATTER + cell("1")) is None
    assert site.started == []


def test_where_kernels_have_other_names_nobody_knows_yet_who_runs_a_page(site: Site) -> None:
    site.config = site.config.copy(kernel_rgx_aliases={"py.*": "python3"})
    assert site.forecast(FRONT_MATTER + cell("1")) is None
    assert site.started == []


def test_a_page_in_a_format_of_the_site_s_own(site: Site) -> None:
    site.suffixes[".book"] = "myst-nb"
    site.config = site.config.copy(
        custom_formats={".book": ["nbformat.reads", {"as_version": 4}, False]}
    )
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("x = 1")])
    assert site.forecast(nbformat.writes(book), "page.book") == "the run"
    assert site.started[0][2] == ["x = 1"]


def test_a_page_that_is_excluded_does_not_run(site: Site) -> None:
    site.config = site.config.copy(execution_excludepatterns=["other.md"])
    assert site.forecast(FRONT_MATTER + cell("1")) == "the run"
    site.config = site.config.copy(execution_excludepatterns=["page.md"])
    assert site.forecast(FRONT_MATTER + cell("1")) is None
