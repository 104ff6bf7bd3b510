"""One small site with everything that readers get, built once for the tests that look at it."""

import platform
from dataclasses import dataclass
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from tests.extensions.conftest import FRONT_MATTER, built

RUNS = """\
(label)=
# A page

It has a {doc}`link <still>` and a [site](https://example.org).

```{code-cell} python
import sys
a = 2
a + 1
```

```{code-cell} python
:tags: [raises-exception]
raise ValueError("as it should")
```

```{code-cell} python
:tags: [hide-input]
print(sys.last_value)
```

```{code-cell} python
:tags: [remove-cell, site-only]
import vtj_site
```

Twice that is {eval}`2 * a`.
"""
FIRST = """\
---
file_format: mystnb
kernelspec: {name: python3, language: python, display_name: Python 3}
myst:
  html_meta:
    keywords: "one, two"
    "description lang=en": "About the “first”."
---
# First

```{code-cell} python
if False:  # it takes long
    import vtj

class Both:
    def _repr_html_(self): return "<b>" + "html</b>"
    def __repr__(self): return "plain words"
Both()
```

```{code-cell} python
from IPython.display import Math
Math("x_1")
```

:::{admonition} Beware
Of *this*.
:::
"""
CARDS = """\
# Cards

$x_1$

Plain words of `cards(v)`.

::::{grid} 2
:::{grid-item-card} Learn
:link: still
:link-type: doc
In order
:::
::::

```
no language
```

{abbr}`VJP (vector-Jacobian product)` and {abbr}`JVP (Jacobian-vector product)`

```{raw} html
<p>only in</p>
```
```{raw} html
<p>a browser</p>
```
"""
TABLES = """\
# Tables

| call | gives |
| --- | --- |
| `y.backward(v)` | one |
| *same* | two |
| same | three |

|  | head |
| --- | --- |
| side | cell |

<table class="vtj" data-filter="verdict"><thead><tr><th scope="col">a</th></tr></thead><tbody>
<tr id="mine"><th scope="row">1</th></tr>
<tr id="linked"><th scope="row"><a href="#linked">2</a></th></tr>
<tr><td></td></tr>
</tbody></table>

<div class="vtj-figure" style="overflow-x: auto"><svg><text>one</text></svg></div>
<div class="vtj-figure"><svg></svg></div>
"""
QUESTIONS = """\
# Questions

## Some

(faq-first)=
### First?

Yes.

(faq-second)=
### Second?

No.

## Others

(other)=
### Third?

Perhaps.
"""
PAGES = {
    "runs": FRONT_MATTER + RUNS,
    "first": FIRST,
    "still": f"{FRONT_MATTER}# Still\n\nNo cell.\n",
    "cards": CARDS,
    "tabs": "# Tabs\n\n::::{tab-set}\n:::{tab-item} One\ntext\n:::\n::::\n",
    "deep/code": "# Code\n\n```python\nx = f(1)\n```\n\nCall `y.backward(v)` <i>now</i>.\n",
    "tables": TABLES,
    "questions": QUESTIONS,
}
CONF = Path(__file__).parents[3] / "conf"
SETTINGS = {
    "extensions": [
        *("myst_nb_fork", "myst_nb", "sphinx_design", "sphinx_copybutton"),
        *("reading", "sphinxext.opengraph"),
    ],
    "html_theme": "furo",
    "html_title": "A site",
    "html_context": {"versions_line": "Outputs computed by a test."},
    "html_css_files": ["figures.css", "tables.css"],
    "html_js_files": ["filter.js", "fold.js"],
    "templates_path": [str(CONF / "templates")],
    "pygments_dark_style": "a11y-high-contrast-dark",
    "myst_update_mathjax": False,
    "nb_execution_raise_on_error": False,
    "ogp_site_url": "https://example.org/",
    "ogp_social_cards": {"enable": False},
    "folded_sections": {"questions": ["faq-*"]},
    "page_data": {"deep/code": "tests.extensions.reading.conftest:squares"},
}


def squares() -> dict[str, object]:
    """What a page shows."""
    return {"y": ["x²", platform.python_implementation()]}


@dataclass(frozen=True)
class Site:
    """A built site and the warnings of its build."""

    folder: Path
    warnings: list[str]

    def text(self, name: str) -> str:
        return (self.folder / "html" / name).read_text(encoding="utf-8")

    def soup(self, page: str) -> BeautifulSoup:
        return BeautifulSoup(self.text(f"{page}.html"), "html.parser")


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return make(tmp_path_factory.mktemp("site"))


def make(folder: Path, builder: str = "html") -> Site:
    """Build the site, or go on from the build in the folder with another builder."""
    warnings = built(folder, PAGES, SETTINGS, fresh=builder == "html", builder=builder)
    # Furo makes its option known later than Sphinx looks for it in what a test sets.
    lines = [line for line in warnings.splitlines() if "'pygments_dark_style'" not in line]
    return Site(folder, lines)
