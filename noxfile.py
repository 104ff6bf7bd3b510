#!/usr/bin/env -S uv run --script
# /// script
# dependencies = ["nox>=2025.2.9"]
# ///
"""Every command there is: `nox -l` is the map, `nox -s NAME` runs one."""

import argparse
import shutil
import sys
from pathlib import Path

import nox

nox.needs_version = ">=2025.2.9"
# uv does not look where pip is configured to find the CPU build of torch.
nox.options.default_venv_backend = "virtualenv"
nox.options.reuse_venv = "yes"
nox.options.error_on_external_run = True
nox.options.sessions = ["lint", "types", "tests", "doctest", "docs"]

PROJECT = nox.project.load_toml("pyproject.toml")
CONSTRAINTS = "conf/constraints.txt"
HTML = Path("build/html")
AS_THE_BUILD = {"PYTHONPATH": "conf/extensions", "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"}
STRICT = ["-n", "-W", "--keep-going", "-c", "conf"]


def install(session: nox.Session, *groups: str) -> None:
    """Install the package and dependency groups, at the versions of conf/constraints.txt."""
    session.install("-c", CONSTRAINTS, "-e", ".", *nox.project.dependency_groups(PROJECT, *groups))


@nox.session
def docs(session: nox.Session) -> None:
    """Build the site into build/html: every page runs. `-- --profile FILE` writes the times."""
    parser = argparse.ArgumentParser(prog="nox -s docs --", add_help=False)
    parser.add_argument(
        "--profile", metavar="FILE", help="where to write each page's and cell's time"
    )
    options, sphinx = parser.parse_known_args(session.posargs)
    profile = {"PAGE_EXECUTOR_PROFILE": options.profile} if options.profile else {}
    install(session, "docs")
    session.run("python", "conf/build.py", "build", "docs", *STRICT, *sphinx, env=profile)


@nox.session(name="docs-live", default=False)
def docs_live(session: nox.Session) -> None:
    """Serve the site and rebuild what you change, while you write."""
    install(session, "live")
    folders = ["--watch", "src", "--watch", "conf", "-c", "conf", "-d", "build/live/doctrees"]
    session.run("python", "conf/live.py", *folders, *session.posargs, "docs", "build/live/html")


@nox.session
def tests(session: nox.Session) -> None:
    """Run every test and every docstring's example, with branch coverage."""
    install(session, "tests")
    session.run("pytest", *(session.posargs or ["--cov"]))


@nox.session
def doctest(session: nox.Session) -> None:
    """Run the examples in docstrings and pages, compared character by character."""
    install(session, "tests")
    session.run("pytest", "--doctest-glob=*.md", "src", "docs", "README.md", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style and format."""
    session.install("-c", CONSTRAINTS, *nox.project.dependency_groups(PROJECT, "lint"))
    session.run("ruff", "check", *session.posargs)
    session.run("ruff", "format", "--check")


@nox.session
def types(session: nox.Session) -> None:
    """Check the annotations, strictly."""
    install(session, "types")
    session.run("mypy", "src", "conf", *session.posargs)


@nox.session(default=False)
def kernels(session: nox.Session) -> None:
    """Build the site with Jupyter kernels too, and compare every output of every cell."""
    install(session, "docs")
    compare = "tests/benchmarks/docs_build/kernels.py"
    session.run("python", compare, *session.posargs, "docs", "conf", "build/kernels")


@nox.session(default=False)
def reproducible(session: nox.Session) -> None:
    """Build what is committed several times, each otherwise, and compare every byte."""
    install(session, "tests")
    compare = "tests/reproducible/same_bytes.py"
    session.run("python", compare, *session.posargs, "build/reproducible")


@nox.session(default=False)
def mutants(session: nox.Session) -> None:
    """Plant faults one at a time, in pages and the library, and see each caught."""
    install(session, "mutants")
    session.run("python", "-m", "tests.mutants", *session.posargs, env=AS_THE_BUILD)


@nox.session(default=False)
def shown(session: nox.Session) -> None:
    """Write down what every page shows now; read the difference before you commit it."""
    install(session, "tests")
    session.run("python", "-m", "tests.docs.shown", env=AS_THE_BUILD)


@nox.session(default=False)
def browser(session: nox.Session) -> None:
    """Open every page of the built site in Chromium: accessible, light, from disk and server."""
    install(session, "browser")
    session.run("npm", "ci", "--prefix", "tests/browser", external=True)
    session.run("pytest", "tests/browser", *session.posargs)


@nox.session(default=False)
def publish(session: nox.Session) -> None:
    """Make the zip of the site, complete and checked, from the site that `nox -s docs` built."""
    install(session, "browser")
    session.run("npm", "ci", "--prefix", "tests/browser", external=True)
    doctrees = ["-d", "build/doctrees"]
    session.run("sphinx-build", *STRICT, *doctrees, "-b", "markdown", "docs", "build/markdown")
    published, opened = Path("build/published"), Path("build/unzipped")
    session.run("python", "conf/publish.py", str(HTML), "build/markdown", str(published))
    shutil.rmtree(opened, ignore_errors=True)
    shutil.unpack_archive(next(published.glob("*.zip")), opened)
    site = str(next(opened.iterdir()))
    session.run("pytest", *(session.posargs or ["tests/browser"]), "--site", site)


@nox.session(default=False)
def bench(session: nox.Session) -> None:
    """Time the oracle against every peer that is installed: one table of ratios."""
    install(session, "bench")
    one = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    session.run("python", "-m", "tests.benchmarks.oracle.ratios", *session.posargs, env=one)


@nox.session(name="bench-docs", default=False)
def bench_docs(session: nox.Session) -> None:
    """Time the build of the site: `-- --only PART …` measures less, `-- --record FILE` keeps it."""
    install(session, "bench")
    bench = "tests/benchmarks/docs_build/bench.py"
    session.run("python", bench, *session.posargs, env={"PYTHONPATH": "conf/extensions"})


@nox.session(venv_backend="none", default=False)
def history(session: nox.Session) -> None:
    """Ask old releases of torch again, and record what they answer (gigabytes of downloads)."""
    session.run(sys.executable, "conf/history/record.py", *session.posargs, external=True)
