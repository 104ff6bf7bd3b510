"""Where a long line of code goes on in the next one, on a phone: at a bracket or before a dot.

Without such places a browser breaks it within a word, behind a line with nothing but its
indentation: ``    mean_loss(part).backward(counted[part].sum())`` has no space to break at.
"""

import re

# Characters that a phone shows of a line: a shorter one needs no place, and each weighs five bytes.
FITS = 32
_CELL = '<div class="highlight-ipython3 notranslate"><div class="highlight"><pre>'
_CODE = re.compile(rf"(?<={_CELL}).*?(?=</pre>)", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_PLACE = re.compile(r'(?<=[(\[])(?=[^\s)\]])|(?=<span class="o">\.</span>)')


def breakable(body: str) -> str:
    r"""Return a page's body with these places, in the long lines of its cells.

    Example:
        >>> lines = 'short(x)\na_name_of_many_letters<span class="o">.</span>sum(another_name)'
        >>> print(breakable(f"{_CELL}{lines}</pre>").partition("<pre>")[2])
        short(x)
        a_name_of_many_letters<wbr><span class="o">.</span>sum(<wbr>another_name)</pre>
    """
    return _CODE.sub(_in_cell, body)


def _in_cell(cell: re.Match[str]) -> str:
    lines = cell[0].split("\n")
    return "\n".join(
        _PLACE.sub("<wbr>", line) if len(_TAG.sub("", line)) > FITS else line for line in lines
    )
