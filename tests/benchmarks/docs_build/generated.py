"""Sites of any number of pages, to measure: text, mathematics and eight torch cells a page.

Every page constructs an optimizer, as tutorials on torch do; the first one imports much.
"""

from __future__ import annotations

from pathlib import Path

CELLS = [
    "import torch\n\ntorch.manual_seed({n})\nx = torch.arange(1.0, 5.0, requires_grad=True)\nx",
    "y = x**2 + {n} * x\ny",
    "y.backward(gradient=torch.tensor([1.0, 10.0, 100.0, 1000.0]))\nx.grad",
    "nn = torch.nn\nmodel = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))\nmodel",
    "optimizer = torch.optim.SGD(model.parameters(), lr=0.5)\nlosses = []",
    "for _ in range(5):\n    optimizer.zero_grad()\n    loss = model(x.detach()).pow(2).sum()\n"
    "    loss.backward()\n    optimizer.step()\n    losses.append(round(loss.item(), 3))\nlosses",
    "torch.autograd.functional.jacobian(lambda x: x**2, torch.tensor([{n}.0, 2.0]))",
    "print('page', {n}, 'ends with', len(losses), 'losses')",
]
TEXT = """\
A sentence about $y_i = x_i^2 + {n} x_i$ and its Jacobian, followed by a table and a formula, as on
a page that somebody reads. The next cell goes on from there, see [the first page](p0).

| row | what it says |
|---|---|
| one | the gradient argument has the shape of y |
| two | the result has the shape of x |

$$
\\frac{{\\partial y_i}}{{\\partial x_j}} = (2 x_i + {n}) \\, \\delta_{{ij}}
$$
"""
FRONT_MATTER = """\
---
file_format: mystnb
kernelspec: {name: python3, language: python, display_name: Python 3}
---
"""
CONF = """\
import atexit, gc, sys

gc.set_threshold(50_000, 20, 100)
atexit.register(gc.freeze)
sys.path.insert(0, {extensions!r})
extensions = ["myst_nb_fork", "myst_nb", "sphinx_copybutton", "sphinx_design"]
html_theme = "furo"
myst_enable_extensions = ["dollarmath"]
nb_execution_mode = "inline"
nb_execution_in_temp = True
nb_merge_streams = True
myst_nb_fork_preload = ["torch", "numpy", "torch._dynamo"]
"""
GALLERY = """\
extensions = ["sphinx_gallery.gen_gallery", "sphinx_copybutton"]
html_theme = "furo"
sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "auto",
    "filename_pattern": "/p",
    "image_scrapers": (),  # nor does a page draw anything
    "reset_modules": (),
}
"""


def write_pages(folder: Path, count: int) -> Path:
    """Write a site for MyST-NB of so many pages; its folder."""
    folder.mkdir(parents=True)
    names = "\n".join(f"p{n}" for n in range(count))
    (folder / "index.md").write_text(f"# Pages\n\n```{{toctree}}\n{names}\n```\n")
    extensions = str(Path(__file__).parents[3] / "conf/extensions")
    (folder / "conf.py").write_text(CONF.format(extensions=extensions))
    for n in range(count):
        cells = [f"```{{code-cell}} python\n{cell.format(n=n)}\n```\n" for cell in CELLS]
        sections = [
            f"## Part {part}\n\n{TEXT.format(n=n)}\n{cell}" for part, cell in enumerate(cells)
        ]
        (folder / f"p{n}.md").write_text(f"{FRONT_MATTER}\n# Page {n}\n\n" + "\n".join(sections))
    return folder


def write_gallery(folder: Path, count: int) -> Path:
    """Write the same pages as scripts for sphinx-gallery; the site's folder."""
    (folder / "examples").mkdir(parents=True)
    (folder / "index.rst").write_text("Pages\n=====\n\n.. toctree::\n\n   auto/index\n")
    (folder / "conf.py").write_text(GALLERY)
    (folder / "examples/README.rst").write_text("Examples\n========\n")
    for n in range(count):
        lines = [f'"""\nPage {n}\n{"=" * 12}\n"""']
        for cell in CELLS:
            text = "\n".join(f"# {line}".rstrip() for line in TEXT.format(n=n).splitlines())
            lines.append(f"# %%\n{text}\n\n{cell.format(n=n)}\n")
        (folder / f"examples/p{n}.py").write_text("\n".join(lines))
    return folder
