"""Where a long line of code goes on in the next one, on a phone: at a bracket or before a dot.

Without such places a browser breaks it within a word, behind a line with nothing but its
indentation: ``    mean_loss(part).backward(counted[part].sum())`` has no space to break at.

The style sheet has the rest of a line begin a little to the right of where lines in a loop do. A
line that is indented further says how far, so that its rest does not stand left of it.
"""

import re

# A phone of 320 pixels shows 33 characters: a shorter line needs no place, which weighs five bytes.
FITS = 32
# Columns: the rest of a line begins at 6, and by how much it is to stand right of its line is 2.
DEEP = 6
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

        >>> deep = "        a_name_of_many_letters(another_name)"
        >>> print(breakable(f"{_CELL}{deep}</pre>").partition("<pre>")[2].partition("  ")[0])
        <span class="deep" style="--by: 8ch">
    """
    return _CODE.sub(_in_cell, body)


def _in_cell(cell: re.Match[str]) -> str:
    return "\n".join(map(_in_line, cell[0].split("\n")))


def _in_line(line: str) -> str:
    text = _TAG.sub("", line)
    if len(text) <= FITS:
        return line
    broken = _PLACE.sub("<wbr>", line)
    deep = len(text) - len(text.lstrip())
    return f'<span class="deep" style="--by: {deep}ch">{broken}</span>' if deep > DEEP else broken
