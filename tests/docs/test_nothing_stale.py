"""An edit of any input has the pages that depend on it run again, and no old output is left.

After each edit the incremental build is compared, file by file, with one from nothing.
"""

import re
import shutil

import pytest

from tests.docs.test_gate import Site
from tests.reproducible.same_bytes import first_difference

HEAD = """\
---
file_format: mystnb
kernelspec: {name: python3, language: python, display_name: Python 3}
---

# A page

It is about {py:class}`torch.Tensor`.

"""
PAGES = {
    "example": "from vtj.examples.scalar_output import square\n\nsquare().x",
    "claim": "from vtj_site.sources.blog import blog\n\nblog.claims[0].reason",
    "record": 'from vtj_site.records import history\n\nhistory.recorded()[0]["date"]',
    "neither": "'old'",
}
EVERY = set(PAGES)
PYTHON = "import platform\nplatform.python_version = lambda: '3.99.0'\n"
NONE: set[str] = set()
EDITS = {  # the input: its file, the text before and after, the pages that run, what one then shows
    "page": ("docs/neither.md", "'old'", "'new'", {"neither"}, "new"),
    "library": (
        *(
            "src/vtj/examples/scalar_output.py",
            "torch.tensor(1.0), None",
            "torch.tensor(5.0), None",
        ),
        *({"example"}, "tensor(5.)"),
    ),
    "claim": (
        *(
            "src/vtj_site/sources/blog.py",
            "Tensors print in another form",
            "Tensors print otherwise",
        ),
        *({"claim"}, "Tensors print otherwise since"),
    ),
    "recorded history": (
        *("src/vtj_site/records/history.json", '"date": "2026-', '"date": "1926-'),
        *({"record"}, "1926-"),
    ),
    "conf": ("conf/conf.py", 'html_title = "vtj"', 'html_title = "renamed"', EVERY, "renamed"),
    "extension": (
        *("conf/extensions/versions_line.py", 'f"Outputs computed by', 'f"Outputs made by'),
        *(EVERY, "Outputs made by"),
    ),
    "template": (
        *("conf/templates/page.html", "{{ versions_line }}", "Only now: {{ versions_line }}"),
        *(EVERY, "Only now: Outputs"),
    ),
    "inventory": (
        *("conf/inventories/torch.inv", "torch.Tensor class tensors", "torch.Tensor class moved"),
        *(EVERY, "moved.html"),
    ),
    "style sheet": ("conf/static/site.css", "", "/* new */", NONE, ""),
    "constraint": ("conf/constraints.txt", "torch==2.13.0", "torch==2.14.0", EVERY, ""),
    "torch": (
        *("src/torch-99.0.dist-info/METADATA", "", "Name: torch\nVersion: 99.0\n"),
        *(EVERY, "by torch 99.0,"),
    ),
    "Python": ("src/sitecustomize.py", "", PYTHON, EVERY, "Python 3.99.0"),
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The site with four small pages, built."""
    made = Site(tmp_path_factory.mktemp("stale"), "docs/how-to/index.md")
    (made.folder / "docs/how-to/index.md").unlink()
    for name, code in PAGES.items():
        text = f"{HEAD}```{{code-cell}} python\n{code}\n```\n"
        (made.folder / f"docs/{name}.md").write_text(text, encoding="utf-8")
    listing = "\n".join(PAGES)
    (made.folder / "docs/index.md").write_text(f"# Home\n\n```{{toctree}}\n{listing}\n```\n")
    code, printed = made.build()
    assert code == 0, printed
    return made


def differs_from_scratch(site: Site) -> str | None:
    """Build from nothing, and name the first difference of what is published."""
    shutil.rmtree(site.folder / "scratch", ignore_errors=True)
    site.build("scratch")
    (site.folder / "build/html/.buildinfo.bak").unlink(missing_ok=True)  # Sphinx's own notes
    return first_difference(site.folder / "scratch/html", site.folder / "build/html")


@pytest.mark.parametrize("kind", EDITS)
def test_what_depends_on_an_edited_input_runs_again(site: Site, kind: str) -> None:
    path, before, after, pages, shown = EDITS[kind]
    if before:
        site.change(path, before, after)
    else:
        (site.folder / path).parent.mkdir(exist_ok=True)
        (site.folder / path).write_text(after, encoding="utf-8")
    _, printed = site.build()
    ran = set(re.findall(r"^(\w+): ran in", printed, re.MULTILINE))
    assert ran >= pages
    for page in pages:
        assert shown in (site.folder / f"build/html/{page}.html").read_text(encoding="utf-8")
    assert differs_from_scratch(site) is None


def test_without_an_edit_nothing_runs(site: Site) -> None:
    assert "ran in" not in site.build()[1]
