"""The 80 lines that the post by examples prints, each held against what our code prints today."""

from collections.abc import Iterator
from functools import partial
from itertools import count

from vtj_site.sources.claim import Claim
from vtj_site.sources.transcripts import loop_without_indentation, transcript
from vtj_site.sources.verdict import Broken, Printed, Verdict

# example -> (line of the document, what is printed there), and the verdict where it differs today
PRINTED: dict[str, tuple[tuple[int, str] | tuple[int, str, Verdict], ...]] = {
    "scalar": (
        (41, "x: tensor(1., requires_grad=True)"),
        (42, "y: tensor(1., grad_fn=<PowBackward0>)"),
        (43, "x.grad: tensor(2.)"),
        (55, "J: [[2.]]"),
        (65, "vᵀ: [[1]]"),
        (66, "vᵀ・J: [[2.]]"),
    ),
    "scalar, v = 100": (
        (82, "x: tensor(1., requires_grad=True)"),
        (83, "y: tensor(1., grad_fn=<PowBackward0>)"),
        (84, "x.grad: tensor(200.)"),
        (97, "J: [[2.]]"),
        (98, "vᵀ: [[100.]]"),
        (99, "vᵀ・J: [[200.]]"),
    ),
    "sum": (
        (114, "x: tensor([1., 2.], requires_grad=True)"),
        (115, "y: tensor(3., grad_fn=<AddBackward0>)"),
        (116, "x.grad: tensor([1., 1.])"),
        (128, "J:"),
        (129, "[[1 1]]"),
        (139, "vᵀ: [[1]]"),
        (140, "vᵀ・J: [[1 1]]"),
    ),
    "sum, v = 100": (
        (155, "x: tensor([1., 2.], requires_grad=True)"),
        (156, "x.grad: tensor([100., 100.])"),
        (169, "J:"),
        (170, "[[1 1]]"),
        (171, "vᵀ: [[100.]]"),
        (172, "vᵀ・J: [[100. 100.]]"),
    ),
    "squares, v = [1, 1]": (
        (188, "x: tensor([1., 2.], requires_grad=True)"),
        (189, "y: tensor([ 3., 12.], grad_fn=<MulBackward0>)"),
        (190, "x.grad: tensor([ 6., 12.])"),
        (203, "J:"),
        (204, "[[ 6. 0.]", "cosmetic"),
        (205, "[ 0. 12.]]", "cosmetic"),
        (215, "vᵀ: [[1. 1.]]"),
        (216, "vᵀ・J: [[ 6. 12.]]"),
    ),
    "squares, v = [1, 10]": (
        (232, "x: tensor([1., 2.], requires_grad=True)"),
        (233, "y: tensor([ 3., 12.], grad_fn=<MulBackward0>)"),
        (234, "x.grad: tensor([ 6., 120.])", "cosmetic"),
        (248, "J:"),
        (249, "[[ 6. 0.]", "cosmetic"),
        (250, "[ 0. 12.]]", "cosmetic"),
        (251, "vᵀ: [[ 1. 10.]]"),
        (252, "vᵀ・J: [[ 6. 120.]]", "cosmetic"),
    ),
    "three outputs": (
        (275, "x: tensor([1., 2.], requires_grad=True)"),
        (276, "y: tensor([ 3., 17., 20.], grad_fn=<CopySlices>)"),
        (277, "x.grad: tensor([ 26., 1240.])", "cosmetic"),
        (294, "J:"),
        (295, "[[ 6. 0.]", "cosmetic"),
        (296, "[ 2. 24.]", "cosmetic"),
        (297, "[ 0. 10.]]", "cosmetic"),
        (307, "vᵀ: [[  1.  10. 100.]]"),
        (308, "vᵀ・J: [[ 26. 1240.]]", "cosmetic"),
    ),
    "vector v for x²": (
        (330, "x: tensor(1., requires_grad=True)"),
        (331, "y: tensor(1., grad_fn=<PowBackward0>)"),
        (332, "x.grad: tensor(2222.)", "no longer holds"),
    ),
    "four backwards of x²": (
        (345, "x.grad: tensor(2.)"),
        (346, "x.grad: tensor(22.)"),
        (347, "x.grad: tensor(222.)"),
        (348, "x.grad: tensor(2222.)"),
    ),
    "J of x² repeated": (
        (365, "J: [[2.]]"),
        (366, "J_broadcast:"),
        (367, "[[2.]"),
        (368, "[2.]", "cosmetic"),
        (369, "[2.]", "cosmetic"),
        (370, "[2.]]", "cosmetic"),
        (380, "vᵀ: [[   1.   10.  100. 1000.]]"),
        (381, "vᵀ・J_broadcast: [[2222.]]"),
    ),
    "vector v for a sum": (
        (397, "x: tensor([1., 2.], requires_grad=True)"),
        (398, "y: tensor(3., grad_fn=<AddBackward0>)"),
        (399, "x.grad: tensor([1111., 1111.])", "no longer holds"),
    ),
    "four backwards of a sum": (
        (412, "x.grad: tensor([1., 1.])"),
        (413, "x.grad: tensor([11., 11.])"),
        (414, "x.grad: tensor([111., 111.])"),
        (415, "x.grad: tensor([1111., 1111.])"),
    ),
    "J of a sum repeated": (
        (430, "J: [[1 1]]"),
        (431, "J_broadcast:"),
        (432, "[[1 1]"),
        (433, "[1 1]", "cosmetic"),
        (434, "[1 1]", "cosmetic"),
        (435, "[1 1]]", "cosmetic"),
        (445, "vᵀ: [[   1.   10.  100. 1000.]]"),
        (446, "vᵀ・J_broadcast: [[1111. 1111.]]"),
    ),
}

LOOPS = ("four backwards of x²", "four backwards of a sum")
"""The page lost their indentation, so that they are broken as printed, every line."""

REASONS: dict[Verdict, str] = {
    "reproduces": "Printed again, character for character.",
    "cosmetic": "The web page collapsed the white space that aligns the columns.",
    "no longer holds": "Since torch 1.3.0 the gradient must have the output's shape.",
    "broken as printed": "The page lost the loop's indentation; indented again, it prints this.",
}


def printed_today(example: str, index: int) -> Printed:
    """Return one line of what an example prints."""
    return Printed(transcript(example)[index])


def loop_as_printed(example: str, index: int) -> Broken:
    """Compile a loop of ours without its indentation, then take the line from the fixed one."""
    return Broken(str(loop_without_indentation()), printed_today(example, index))


def claims() -> Iterator[Claim]:
    """The claims by-examples-01 to by-examples-80, in the order of the document."""
    number = count(1)
    for example, lines in PRINTED.items():
        run = loop_as_printed if example in LOOPS else printed_today
        usual: Verdict = "broken as printed" if example in LOOPS else "reproduces"
        for index, (line, words, *verdict) in enumerate(lines):
            declared = verdict[0] if verdict else usual
            yield Claim(
                id=f"by-examples-{next(number):02}",
                document="by-examples",
                line=line,
                words=words,
                declared=declared,
                reason=REASONS[declared],
                run=partial(run, example, index),
            )
