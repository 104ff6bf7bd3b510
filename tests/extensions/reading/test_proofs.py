"""A cell that proves what others computed is one line: its code is in the fold of its report."""

import pytest
from reading.folds import proofs_in_one_line

CELL = (
    '<div class="cell docutils container">\n<div class="cell_input docutils container">\n'
    '<div class="highlight-ipython3 notranslate"><div class="highlight"><pre><span></span>{code}'
    '</pre></div>\n</div>\n</div>\n<div class="cell_output docutils container">\n'
    '<div class="output text_html"><details class="vtj"{opened}>\n<summary>correct</summary>\n'
    "<table></table></details></div></div>\n</div>"
)
PROOF = 'from a import b\n\nb()<span class="o">.</span>confirm(y<span>=</span>&quot;y&quot;)\n'


@pytest.mark.parametrize(
    ("code", "opened", "moved"),
    [
        (PROOF, "", True),
        (PROOF + "b().confirm(y=z)\n", "", True),
        ("kept = x.grad\n" + PROOF, "", False),
        ("import a\n", "", False),
        ("a.check(y)\n", "", False),
        (PROOF, " open", False),
    ],
    ids=["a proof", "two", "and what a later cell uses", "an import", "a check", "not correct"],
)
def test_a_proof_is_one_line_and_other_code_stays(code: str, opened: str, moved: bool) -> None:
    before = CELL.format(code=code, opened=opened)
    after = proofs_in_one_line(before + before)
    assert after.count("<pre>") == 2
    assert (after.index("<summary>") < after.index("<pre>")) is moved
    assert after.count("<div") == after.count("</div>")
    if not moved:
        assert after == before + before
