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
from packaging.requirements import Requirement

nox.needs_version = ">=2025.2.9"
# uv does not look where pip is configured to find the CPU build of torch.
nox.options.default_venv_backend = "virtualenv"
nox.options.reuse_venv = "yes"
nox.options.error_on_external_run = True
nox.options.error_on_missing_interpreters = False  # it says which was not found, also in CI
nox.options.sessions = ["lint", "types", "tests", "docs"]

PROJECT = nox.project.load_toml("pyproject.toml")
CONSTRAINTS = "conf/constraints.txt"
HTML = Path("build/html")
AS_THE_BUILD = {"PYTHONPATH": "conf/extensions", "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"}
LIBRARY = ["src/vtj", "tests/vtj"]
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
SIDE_BY_SIDE = ["-n", "logical", "--dist", "worksteal"]  # tests of a file stay together at first
IN_PAGES = ["--doctest-glob=*.md", "docs", "README.md"]  # not in tests, whose pages lie
PAGE_BY_PAGE = ["-n", "logical", "--dist", "loadgroup"]  # what looks at a page shares its opening
STRICT = ["-n", "-W", "--keep-going", "-c", "conf"]


def install(session: nox.Session, *groups: str) -> None:
    """Install the package and dependency groups, at the versions of conf/constraints.txt."""
    session.install("-c", CONSTRAINTS, "-e", ".", *nox.project.dependency_groups(PROJECT, *groups))


@nox.session
def docs(session: nox.Session) -> None:
    """Build the site: every page runs. `-- --target FOLDER` builds it elsewhere than in build.

    `-- --torch VERSION` builds it for another torch, in build/torch-VERSION, with an environment of
    its own. `-- --profile FILE` writes the times.
    """
    parser = argparse.ArgumentParser(prog="nox -s docs --", add_help=False)
    parser.add_argument("--target", metavar="FOLDER", help="the folder that is to hold html")
    parser.add_argument("--torch", metavar="VERSION", help="the release of torch to build for")
    parser.add_argument(
        "--profile", metavar="FILE", help="where to write each page's and cell's time"
    )
    options, sphinx = parser.parse_known_args(session.posargs)
    profile = {"MYST_NB_FORK_PROFILE": options.profile} if options.profile else {}
    if options.torch:
        python = python_with_torch(session, options.torch, "docs")
        target = options.target or f"build/torch-{options.torch}"
    else:
        install(session, "docs")
        python, target = "python", options.target or "build"
    build = ["conf/build.py", target, "docs", *STRICT, *sphinx]
    session.run(python, *build, env=profile, external=bool(options.torch))


def python_with_torch(session: nox.Session, version: str, *groups: str) -> str:
    """Install as `install` does, but this torch, beside the session's environment."""
    folder = Path(session.virtualenv.location).with_name(f"{session.name}-torch-{version}")
    python = str(folder / "bin" / "python")
    if not folder.exists():
        session.run_install("python", "-m", "venv", str(folder))
    pinned = Path(CONSTRAINTS).read_text(encoding="utf-8")
    constraints = Path(session.create_tmp(), "constraints.txt")
    constraints.write_text(pinned.replace(torch_of_the_site(), f"torch=={version}"), "utf-8")
    wanted = ["-c", str(constraints), "-e", ".", *nox.project.dependency_groups(PROJECT, *groups)]
    session.run_install(python, "-m", "pip", "install", *wanted, external=True)
    return python


@nox.session(name="docs-live", default=False)
def docs_live(session: nox.Session) -> None:
    """Serve the site and rebuild what you change, while you write.

    A changed title shows in other pages' menus, and a deleted page goes, after a restart. An edit
    of conf reaches the pages that are read next.
    """
    install(session, "live")
    shutil.rmtree("build/live", ignore_errors=True)  # what another checkout of conf has built
    folders = ["--watch", "src", "--watch", "conf", "-c", "conf", "-d", "build/live/doctrees"]
    session.run("python", "conf/live.py", *folders, *session.posargs, "docs", "build/live/html")


@nox.session
def tests(session: nox.Session) -> None:
    """Run every test, and every example in docstrings and pages, on all cores.

    `-- tests/vtj` runs the library's alone.
    """
    install(session, "tests")
    session.run("pytest", *SIDE_BY_SIDE, *session.posargs, env=ONE_THREAD)
    if not session.posargs:
        session.run("pytest", *IN_PAGES)


@nox.session
def doctest(session: nox.Session) -> None:
    """Run the examples in docstrings and pages alone, compared character by character."""
    install(session, "tests")
    session.run("pytest", "src", *IN_PAGES, *session.posargs)


@nox.session(default=False)
def coverage(session: nox.Session) -> None:
    """Run every test and say which lines and branches none of them runs: half as long again."""
    install(session, "tests")
    session.run("pytest", *SIDE_BY_SIDE, "--cov", *session.posargs, env=ONE_THREAD)


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


@nox.session(venv_backend="none", default=False)
def nightly(session: nox.Session) -> None:
    """Run what is too slow for every change: coverage, drawn functions, all planted faults, …."""
    for slow in ("coverage", "drawn", "mutants", "triton", "kernels", "reproducible", "places"):
        session.notify(slow)


@nox.session(default=False)
def canary(session: nox.Session) -> None:
    """Say what is no longer true with the newest torch, and the newest of all that the site needs.

    `-- --torch VERSION` takes that torch. The exit status is a sum: 16 if an answer changed, 32 if
    a wording did, 64 if a dependency broke something; 0 if nothing but noise was found.
    """
    parser = argparse.ArgumentParser(prog="nox -s canary --", add_help=False)
    parser.add_argument("--torch", metavar="VERSION", help="the release of torch to try")
    options, others = parser.parse_known_args(session.posargs)
    torch = [f"torch=={options.torch}"] if options.torch else ["--pre", "torch"]
    session.install("--upgrade", *torch)
    asked = "from importlib.metadata import version; print('torch==' + version('torch'))"
    kept = Path(session.create_tmp(), "torch.txt")
    kept.write_text(session.run("python", "-c", asked, silent=True) or "", encoding="utf-8")
    newest = ["--upgrade", "--upgrade-strategy", "eager", "-c", str(kept)]
    groups = nox.project.dependency_groups(PROJECT, "tests")
    session.install(*newest, "-e", ".", *groups)
    status = Path(session.create_tmp(), "status")
    command = ["python", "-m", "tests.canary", "--status", str(status), *others]
    session.run(*command, env={**AS_THE_BUILD, "PYTHONPATH": "conf/extensions:."})
    sys.exit(int(status.read_text(encoding="utf-8")))  # nox itself would always make it 1


@nox.session(default=False)
def drawn(session: nox.Session) -> None:
    """Try the oracle on 2,000 functions that chance has drawn; `nox -s tests` tries 300."""
    install(session, "tests")
    several = {**ONE_THREAD, "DRAWN": "2000"}
    session.run("pytest", *SIDE_BY_SIDE, "tests/vtj/test_random_functions.py", env=several)


@nox.session(default=False)
def triton(session: nox.Session) -> None:
    """Check Triton kernels without a GPU, in Triton's interpreter; `tests` does so on a GPU."""
    install(session, "triton")
    interpreted = {**ONE_THREAD, "TRITON_INTERPRET": "1"}
    session.run("pytest", "tests/vtj/test_triton.py", *session.posargs, env=interpreted)


@nox.session(default=False)
def reproducible(session: nox.Session) -> None:
    """Build what is committed several times, each otherwise, and compare every byte.

    The builds differ in folder (one has a space and letters that are not ASCII in its path), date,
    time zone, locale, hash seed and number of cores.
    """
    install(session, "tests")
    compare = "tests/reproducible/same_bytes.py"
    session.run("python", compare, *session.posargs, "build/reproducible")


@nox.session(default=False)
def places(session: nox.Session) -> None:
    """Build the site without a network, read-only, as root and a user, on a full disk (Linux).

    Each place is a namespace: where the system lets nobody make one, this fails.
    """
    install(session, "tests")
    namespace = ["unshare", "--user", "--map-root-user", "--mount"]
    session.run(*namespace, "pytest", "tests/places", *session.posargs, external=True)


@nox.session(default=False)
@nox.parametrize("part", ["library", "site"])
def minimums(session: nox.Session, part: str) -> None:
    """Test the library, and build the site, on the lowest versions that pyproject.toml allows.

    The site is of one torch, which conf/constraints.txt names, so its build gets that one. The
    library's tests get the lowest, whose wheel may bring gigabytes of CUDA.
    """
    group = {"library": "tests", "site": "docs"}[part]
    groups = nox.project.dependency_groups(PROJECT, group)
    constraints = [lowest(needed) for needed in [*PROJECT["project"]["dependencies"], *groups]]
    if part == "site":
        others = [line for line in constraints if not line.startswith("torch==")]
        constraints = [torch_of_the_site(), *others]
    file = Path(session.create_tmp(), f"{part}.txt")
    file.write_text("\n".join(constraints), encoding="utf-8")
    session.log("with " + ", ".join(constraints))
    session.install("-c", str(file), "-e", ".", *groups)
    if part == "library":
        session.run("pytest", *(session.posargs or LIBRARY))
    else:
        session.run("python", "conf/build.py", "build/minimums", "docs", *STRICT)


def torch_of_the_site() -> str:
    """The one torch whose outputs the site shows, as a requirement."""
    lines = Path(CONSTRAINTS).read_text(encoding="utf-8").splitlines()
    return next(line for line in lines if line.startswith("torch=="))


def lowest(requirement: str) -> str:
    """The lowest version that a requirement allows, as a constraint for pip."""
    needed = Requirement(requirement)
    bounds = [bound.version for bound in needed.specifier if bound.operator in {">=", "=="}]
    if len(bounds) != 1:
        raise ValueError(f"pyproject.toml: expected one lower bound, found {requirement!r}")
    return f"{needed.name}=={bounds[0]}"


@nox.session(python=["3.12", "3.13", "3.14"], default=False)
def pythons(session: nox.Session) -> None:
    """Run the tests on another Python, if it is found and torch has a wheel for it.

    If not, it says so and why. pyenv's are found if they are active, as PYENV_VERSION says.
    """
    ask = ["pip", "install", "--dry-run", "--ignore-installed", "--no-deps"]
    ask += ["--only-binary", ":all:"]
    said = session.run(*ask, torch_of_the_site(), silent=True, success_codes=[0, 1]) or ""
    if "Would install torch" not in said:
        session.skip(f"not run on Python {session.python}: {said.strip().splitlines()[-1]}")
    install(session, "tests")
    session.run("pytest", *session.posargs)


@nox.session(default=False)
def mutants(session: nox.Session) -> None:
    """Plant every fault in pages, examples and claims, one at a time, and see each caught.

    Then every contrary of a sentence whose words are checked, and as a control some rewordings that
    leave such a sentence true. `-- docs/faq.md` plants in one page, and with `--record` its row is
    written anew. `-- --some` plants one fault of three in twelve files, those of the last day
    first, but for what `no_faults.yaml` names, and contraries in one page of three; others for each
    commit.
    """
    install(session, "tests")
    session.run("python", "-m", "tests.mutants", *session.posargs, env=AS_THE_BUILD)
    pages = [each for each in session.posargs if each.endswith(".md")]
    whole = session.posargs in ([], ["--record"])
    some = session.posargs == ["--some"]
    if pages or whole or some:
        of_pages = session.posargs if whole or some else pages
        session.run("python", "-m", "tests.mutants.sentences", *of_pages, env=AS_THE_BUILD)
    if whole:
        session.run("python", "-m", "tests.mutants.rewordings", *session.posargs, env=AS_THE_BUILD)


@nox.session(default=False)
def mutmut(session: nox.Session) -> None:
    """Run the library's tests on mutants: `-- "vtj.contraction*"` for one module, or hours.

    `-- results` names those that nothing caught, `-- show NAME` shows one.
    """
    install(session, "mutants")
    command = () if session.posargs[:1] in (["results"], ["show"]) else ("run",)
    session.run("mutmut", *command, *session.posargs, env={"OMP_NUM_THREADS": "1"})


@nox.session(default=False)
def shown(session: nox.Session) -> None:
    """Write down what every page shows now; read the difference before you commit it."""
    install(session, "tests")
    session.run("python", "-m", "tests.docs.shown", env=AS_THE_BUILD)


@nox.session(default=False)
def browser(session: nox.Session) -> None:
    """Open every page of the built site in Chromium: accessible, light, from disk and server.

    Firefox opens every page too: without an error, without scrolling sideways, by keyboard.
    """
    install(session, "browser")
    session.run("npm", "ci", "--prefix", "tests/browser", external=True)
    session.run("pytest", *PAGE_BY_PAGE, "tests/browser", *session.posargs)


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
    session.run("pytest", *PAGE_BY_PAGE, *(session.posargs or ["tests/browser"]), "--site", site)


@nox.session(default=False)
def bench(session: nox.Session) -> None:
    """Time the oracle against every peer that is installed: one table of ratios."""
    install(session, "bench")
    one = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    session.run("python", "-m", "tests.benchmarks.oracle.ratios", *session.posargs, env=one)


@nox.session(name="bench-costs", default=False)
def bench_costs(session: nox.Session) -> None:
    """Time what the pages say of costs, and record it: two ways to one gradient, over sizes."""
    install(session, "bench")
    record = "src/vtj_site/records/timings.json"
    session.run("python", "-m", "tests.benchmarks.costs", record, env=ONE_THREAD)


@nox.session(name="bench-docs", default=False)
def bench_docs(session: nox.Session) -> None:
    """Time the build of the site: `-- --only PART …` measures less, `-- --record FILE` keeps it."""
    install(session, "bench")
    bench = "tests/benchmarks/docs_build/bench.py"
    session.run("python", bench, *session.posargs, env={"PYTHONPATH": "conf/extensions"})


@nox.session(name="bench-pages", default=False)
def bench_pages(session: nox.Session) -> None:
    """Ask Lighthouse about five kinds of pages on its slow phone, and record what it gives them."""
    install(session, "browser")
    session.run("npm", "ci", "--prefix", "tests/browser", external=True)
    session.run("python", "-m", "tests.benchmarks.pages")


@nox.session(venv_backend="none", default=False)
def changes(session: nox.Session) -> None:
    """Ask old releases of torch for many gradients, and record them: `-- VERSION …` for some.

    Each release brings gigabytes, one at a time; a run that was interrupted goes on.
    """
    session.run(sys.executable, "conf/history/changes.py", *session.posargs, external=True)


@nox.session(venv_backend="none", default=False)
def history(session: nox.Session) -> None:
    """Ask old releases of torch again, and record what they answer (gigabytes of downloads)."""
    session.run(sys.executable, "conf/history/record.py", *session.posargs, external=True)


@nox.session(venv_backend="none", default=False)
def torches(session: nox.Session) -> None:
    """Run the library's tests on several releases of torch, and record it: `-- VERSION[:PYTHON] …`.

    Each has an environment of its own, removed afterwards (gigabytes of downloads).
    """
    session.run(sys.executable, "conf/history/torches.py", *session.posargs, external=True)


@nox.session(default=False)
def wild(session: nox.Session) -> None:
    """Ask the oracle about some of torch's own operators and modules, and gradcheck beside it.

    `-- --all` asks all, goes on where it stopped, and records it; `-- sin` tells one in full.
    """
    install(session, "wild")
    path = {"PYTHONPATH": "conf/history"}
    session.run("python", "-m", "wild", *session.posargs, env={**ONE_THREAD, **path})
