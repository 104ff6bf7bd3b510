"""How the site is built: options, each with its reason, and nothing else."""

import atexit
import gc
import os
import platform
import sys
from importlib.metadata import version as installed_version
from pathlib import Path

CONF = Path(__file__).parent
ROOT = CONF.parent
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
sys.path.insert(0, str(CONF / "extensions"))

# Doctrees and imported packages are millions of objects that live as long as the build does: most
# collections of garbage walk through them in vain, 3 s of each build after an edit of a page.
gc.set_threshold(50_000, 20, 100)
atexit.register(gc.freeze)

# One thread a page: pages run side by side, and no last digit may depend on the number of cores.
os.environ.setdefault("OMP_NUM_THREADS", "1")

language = "en"
project = "vtj"
author = "the vtj authors"
project_copyright = "the vtj authors; text CC BY 4.0, code BSD-3-Clause"
version = release = installed_version("vtj")  # typed once, in pyproject.toml

# The address the site is published at, if it is: only then are there a sitemap and social metadata.
# Where its source is public is told in SOURCE_URL, which vtj_site.records.extent reads.
html_baseurl = os.environ.get("SITE_URL", os.environ.get("READTHEDOCS_CANONICAL_URL", ""))
sitemap_url_scheme = "{link}"
sitemap_excludes = ["search.html", "genindex.html", "404.html"]
ogp_site_url = html_baseurl
ogp_social_cards = {"enable": False}  # they would need matplotlib
ogp_image = "_static/social-card.png"  # drawn by the room identity
ogp_image_alt = "Rows of a Jacobian, each with its weight, and their sum in x.grad"

# The order of what they do: gates.RULES for a page that was read, reading.setup for one to be
# written. Nothing else here asks for a place of its own (tests/extensions/test_declarations.py).
extensions = [
    "myst_nb_fork",  # first: the pages' imports run while Sphinx does its own
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.intersphinx",
    "sphinx_autodoc_typehints",  # after napoleon, which it reads
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_last_updated_by_git",  # the date of a page is that of its last commit
    "mathematics",  # formulas are MathML when the page is built: no script, no CDN
    "gates",  # what refuses a page
    "devices.explorer",
    "devices.landscape",
    "devices.painter",
    "devices.shapes",
    "devices.steps",
    "recorded",  # versions and quotations
    "errors",
    "identity",  # the mark, the icons, the front page's picture
    "finding",  # the search
    "statements",  # words that are computed
    "reading",  # before opengraph, which looks for a page's description
    *(["sphinx_sitemap", "sphinxext.opengraph"] if html_baseurl else []),
]

myst_nb_fork_preload = [
    "torch",
    "numpy",
    "torch._dynamo",  # the first optimizer imports it
    # Forward mode imports it when it is first used, and since 2.14.0 torch then warns of its own
    # use of torch.jit.script: once here, before the pages run, and not on each of them.
    "torch._decomp.decompositions_for_jvp",
]
myst_nb_fork_depends = [
    "../src/**/*.py",
    "../src/**/*.json",
    "../src/vtj_site/records/wild.yaml",
    "../tests/zoo/*.py",  # what the bug zoo's page runs
    "../tests/benchmarks/oracle/looks.py",
    "../tests/benchmarks/oracle/record*",
]
confirmed_sections_pages = ["index", "tutorials/*"]
confirmed_sections_oracle = "vtj"
html_math_renderer = "mathml"
finding_weights = {  # what a section counts as an answer: these speak of the site, or list others
    "reference/sources.html*": 0.3,
    "reference/statements.html*": 0.2,
    "reference/bug-zoo.html*": 0.5,
    "reference/wrong-answers.html*": 0.5,
    "reference/outcomes.html*": 0.5,
    "reference/api*": 0.6,
    "explanation/how-*": 0.6,
    "explanation/the-oracle-*": 0.6,
    "explanation/history.html*": 0.4,
    "explanation/change*": 0.6,
    "reference/glossary.html*": 0.7,
    "how-to/rarer-errors.html*": 0.7,  # a pasted message counts four times all the same
    "how-to/errors.html*": 0.85,
    "reference/backward-cost.html*": 0.8,  # what "freeze" or "retain_graph" costs is asked less
    "faq*": 1.1,
    "*index.html*": 0.5,
    "*#next": 0.1,
    "*#predict-*": 0.3,  # exercises use the words of the section they follow
}
folded_sections = {  # a reader of a long page looks for one of its sections, or guesses first
    **{page: ["faq-*"] for page in ("faq", "faq-losses", "faq-jacobians")},
    "how-to/errors": ["error-*"],
    "how-to/traps": ["trap-*"],
    "reference/wrong-answers": ["wrong-*"],
    "reference/sources": ["claims-*"],
    "reference/outcomes": ["*"],
    "reference/bug-zoo": ["zoo-*"],
    **{f"tutorials/{page.stem}": ["predict-*"] for page in TUTORIALS if page.stem != "index"},
    "explanation/history": ["every-question-*", "where-the-*"],
    "explanation/changes": ["calls-*", "warnings", "which-*"],
    "explanation/changes-torch-1": ["early-warnings"],
    "explanation/changed-errors": ["refused-*", "new-*"],
    "explanation/changed-errors-torch-1": ["early-refused", "early-new", "early-calls"],
    "explanation/how-this-site-is-checked": ["every-*", "the-examples-*"],
}
statements_unchecked = "unchecked.json"  # how many words of each page nothing checks yet
page_data = {"reference/outcomes": "vtj_site.outcomes.tables:as_json"}  # written beside it as JSON
explorer_functions = {
    "two inputs, three outputs": "vtj.examples.three_outputs:three_outputs_stacked",
    "3x²": "vtj.examples.elementwise:elementwise_weights",
    "sum": "vtj.examples.scalar_output:total",
    "cumsum": "vtj.examples.mixing:running_sum",
    "softmax": "vtj.examples.mixing:softmax_weights",
}

# Pages run when they are read; `{eval}` in a sentence needs this mode. No cache can go stale.
nb_execution_mode = "inline"
nb_execution_timeout = 60
nb_execution_raise_on_error = False  # every failing page is reported; -W makes the build fail
nb_execution_show_tb = True
nb_execution_in_temp = True  # a page neither reads nor leaves a file beside its source
nb_eval_name_regex = r"^.+$"  # any expression, not only a variable's name
nb_code_prompt_show = "Show the {type}"
nb_code_prompt_hide = "Hide the {type}"
nb_merge_streams = True  # the order of stdout and stderr must not depend on timing
nb_output_stderr = "show"  # the gate stray_warnings refuses what no cell declares
nb_render_markdown_format = "myst"  # or $…$ in an output would stay raw
nb_ipywidgets_js: dict[str, dict[str, str]] = {}  # the default loads from a CDN
myst_enable_extensions = [
    "amsmath",
    "attrs_block",
    "attrs_inline",
    "colon_fence",
    "deflist",
    "dollarmath",
]
myst_heading_anchors = 3
# It depends on the builder, and the Markdown would run every page again.
myst_update_mathjax = False

nitpicky = True
nitpick_ignore = [  # parts of a Formula and an Explanation: to be printed, not to be imported
    ("py:class", "vtj.show.failing.Failure"),
    ("py:class", "vtj.show.svg.Figure"),
    ("py:class", "vtj.show.equations.Lines"),
    ("py:class", "vtj.engines.symbolic.derivation.Symbolic"),
]
intersphinx_mapping = {
    "python": ("https://docs.python.org/3", str(CONF / "inventories" / "python.inv")),
    "numpy": ("https://numpy.org/doc/stable", str(CONF / "inventories" / "numpy.inv")),
    "torch": ("https://docs.pytorch.org/docs/stable", str(CONF / "inventories" / "torch.inv")),
}
intersphinx_disabled_reftypes = ["std:*"]  # a page's label never resolves to another project

autodoc_typehints_format = "short"
napoleon_use_ivar = True  # a dataclass's attributes are described once, in its docstring
autodoc_member_order = "bysource"
python_use_unqualified_type_names = True
always_document_param_types = True
typehints_defaults = "comma"

html_theme = "furo"
html_title = "vtj"
html_additional_pages = {"404": "404.html"}
identity_example = "vtj.examples.three_outputs:three_outputs_stacked"
html_css_files = [
    "site.css",
    "tables.css",
    "figures.css",
    "cheat-sheet.css",
    "statements.css",
    "front.css",
]
html_js_files = [  # classic scripts: a module would be refused from disk
    ("a11y.js", {"defer": "defer"}),
    ("filter.js", {"defer": "defer"}),
    ("fold.js", {"defer": "defer"}),
    ("found.js", {"defer": "defer"}),  # after it: what is folded has no place to scroll to
]
# Where the source is, if that is known: each page says it at its foot.
source_url = os.environ.get("SOURCE_URL", os.environ.get("READTHEDOCS_GIT_CLONE_URL", ""))
html_context = {  # pages run in the environment that builds them: what is installed is what ran
    "versions_line": f"Outputs computed by torch {installed_version('torch')}, "
    f"NumPy {installed_version('numpy')}, Python {platform.python_version()}.",
    "source_url": source_url,
}
html_theme_options = {
    "top_of_page_buttons": [],  # the source is offered at the foot, in words
    "light_css_variables": {"color-brand-primary": "#0b5cad", "color-brand-content": "#0b5cad"},
    "dark_css_variables": {"color-brand-primary": "#6cb6ff", "color-brand-content": "#6cb6ff"},
}
pygments_dark_style = "a11y-high-contrast-dark"  # the default underlines imports like links
html_last_updated_fmt = "%Y-%m-%d"
git_last_updated_timezone = "UTC"  # not that of whoever builds
git_untracked_show_sourcelink = True
suppress_warnings = ["git.too_shallow", "git.subprocess_error"]  # no history: no dates, no failure
html_static_path = ["static"]
templates_path = ["templates"]
copybutton_selector = "div:not(.output) > div.highlight pre"
copybutton_exclude = ".linenos, .gp, .go"
