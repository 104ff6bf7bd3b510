"""Make the zip of the built site: `nox -s publish`.

It adds to the site what belongs to a publication (the Markdown pages, notices of third parties, a
statement of what was tested where) and packs it so that the same site gives the same bytes.
"""

import argparse
import hashlib
import platform
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution, distributions, version
from pathlib import Path

ROOT = Path(__file__).parents[1]
OURS = ROOT / "conf" / "static"
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")  # as distributions call them
FIREFOX = ("firefox-esr", "firefox")
SHIPPED = {".css", ".js", ".png", ".svg", ".woff2"}
WRITTEN = {  # by the build, so that no installed file is the same; and whose template it was
    "_static/apple-touch-icon.png": "vtj",
    "_static/basic.css": "Sphinx",
    "_static/copybutton.js": "sphinx-copybutton",
    "_static/documentation_options.js": "Sphinx",
    "_static/error-messages.js": "vtj",
    "_static/explorer-functions.js": "vtj",
    "_static/favicon.svg": "vtj",
    "_static/language_data.js": "Sphinx",
    "_static/pygments.css": "Pygments",
    "_static/search-data.js": "vtj",
    "_static/social-card.png": "vtj",
    "_static/stemmer.js": "Sphinx",
    "_static/steps.css": "vtj",
    "_static/steps.js": "vtj",
}


def main(arguments: list[str] | None = None) -> Path:
    """Complete the site and pack it; return the zip."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("site", type=Path, help="the folder that Sphinx wrote as HTML")
    parser.add_argument("markdown", type=Path, help="the folder that Sphinx wrote as Markdown")
    parser.add_argument("target", type=Path, help="the folder to publish from; made anew")
    given = parser.parse_args(arguments)
    name = f"vtj-{version('vtj')}"
    shutil.rmtree(given.target, ignore_errors=True)
    folder = given.target / name
    shutil.copytree(given.site, folder, ignore=shutil.ignore_patterns(".buildinfo*"))
    for page in [*given.markdown.rglob("*.md"), *given.markdown.glob("llms*.txt")]:
        copy = folder / page.relative_to(given.markdown)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(page, copy)
    (folder / "THIRD-PARTY.txt").write_text(notices(given.site), encoding="utf-8")
    (folder / "TESTED.txt").write_text(tested(), encoding="utf-8")
    target = packed(folder)
    if unlike := different(given.site, target, name):
        raise ValueError(f"{target.name} is not the site that was tested: {', '.join(unlike)}")
    return target


def notices(site: Path) -> str:
    """Return the licenses of everything in the site that others made.

    Raises:
        LookupError: if a file of the site is neither ours nor part of an installed package.
    """
    installed = dict(_installed())
    packages = {}
    for file in sorted(path for path in site.rglob("*") if path.suffix in SHIPPED):
        name = file.relative_to(site).as_posix()
        if (OURS / name.removeprefix("_static/")).is_file():
            continue
        owner = distribution(WRITTEN[name]) if name in WRITTEN else installed.get(_digest(file))
        if owner is None:
            raise LookupError(f"{name}: no installed package holds it, so its license is not known")
        packages[owner.name] = owner
    packages.pop("vtj", None)  # what the build wrote from our own pages
    kept = ("fonts/OFL.txt", "minisearch/LICENSE.txt")  # what lies among our own files
    texts = [(OURS / name).read_text(encoding="utf-8") for name in kept]
    parts = [f"{name} {one.version}\n\n{_license(one)}" for name, one in sorted(packages.items())]
    rule = f"\n\n{'-' * 79}\n\n"
    return rule.join(["This site ships files of the following projects.", *parts, *texts])


def tested() -> str:
    """Return the statement of what was tested where, and what was not."""
    return (
        f"vtj {version('vtj')}\n\n"
        f"Every output was computed on {platform.system()} {platform.machine()} by "
        f"Python {platform.python_version()}, torch {version('torch')} (CPU) and "
        f"NumPy {version('numpy')}.\n"
        f"Every page was opened in Chromium {_release(CHROMIUM)} at 375 and 1440 pixels, "
        "light and dark, from disk and from a server under a path: "
        "no accessibility violation that axe-core finds (its color rules in both themes, "
        "the others at both widths), "
        "no console error, no request outside the site.\n"
        f"Every page was opened in Firefox {_release(FIREFOX)} at both widths, from disk: "
        "no console error, no request outside the site, no scrolling sideways; "
        "the explorer, the error box and the steps of a graph worked by keyboard alone.\n"
        "Not tested: Safari, screen readers themselves, Windows, macOS, GPUs.\n"
    )


def _release(names: tuple[str, ...]) -> str:
    browser = next(path for name in names if (path := shutil.which(name)))
    said = subprocess.run([browser, "--version"], check=True, capture_output=True, text=True)
    return next(word for word in said.stdout.split() if word[0].isdigit())


def packed(folder: Path) -> Path:
    """Zip a folder: sorted, with one time for all, so that the same files give the same bytes."""
    target = folder.with_name(f"{folder.name}-site.zip")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo(file.relative_to(folder.parent).as_posix())
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, file.read_bytes())
    return target


def different(site: Path, target: Path, name: str) -> list[str]:
    """Return the files of a built site that a zip lacks or holds with other bytes.

    None differ, or the browser's tests of the site would say nothing of what is published.
    """
    with zipfile.ZipFile(target) as archive:
        held = set(archive.namelist())
        return [
            path.relative_to(site).as_posix()
            for path in sorted(site.rglob("*"))
            if path.is_file() and not path.name.startswith(".buildinfo")
            if (inside := f"{name}/{path.relative_to(site).as_posix()}") not in held
            or archive.read(inside) != path.read_bytes()
        ]


def _installed() -> Iterator[tuple[str, Distribution]]:
    for package in distributions():
        for path in package.files or []:
            if path.suffix in SHIPPED and (file := Path(str(path.locate()))).is_file():
                yield _digest(file), package


def _license(package: Distribution) -> str:
    found = [
        Path(str(path.locate())).read_text(encoding="utf-8")
        for path in package.files or []
        if ".dist-info" in str(path) and "licen" in path.name.lower()
    ]
    if not found:
        raise LookupError(f"{package.name}: no license file is installed with it")
    return "\n\n".join(found)


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


if __name__ == "__main__":
    print(main())
