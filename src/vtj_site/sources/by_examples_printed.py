"""The 80 lines that the post by examples prints, each held against what our code prints today."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from vtj_site.outcomes.trials import attempt
from vtj_site.sources.claim import Claim
from vtj_site.sources.transcripts import transcript
from vtj_site.sources.verdict import Broken, Printed, Verdict

# example -> (line of the document, what is printed there)
PRINTED: dict[str, tuple[tuple[int, str], ...]] = {
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
        (204, "[[ 6. 0.]"),
        (205, "[ 0. 12.]]"),
        (215, "vᵀ: [[1. 1.]]"),
        (216, "vᵀ・J: [[ 6. 12.]]"),
    ),
    "squares, v = [1, 10]": (
        (232, "x: tensor([1., 2.], requires_grad=True)"),
        (233, "y: tensor([ 3., 12.], grad_fn=<MulBackward0>)"),
        (234, "x.grad: tensor([ 6., 120.])"),
        (248, "J:"),
        (249, "[[ 6. 0.]"),
        (250, "[ 0. 12.]]"),
        (251, "vᵀ: [[ 1. 10.]]"),
        (252, "vᵀ・J: [[ 6. 120.]]"),
    ),
    "three outputs": (
        (275, "x: tensor([1., 2.], requires_grad=True)"),
        (276, "y: tensor([ 3., 17., 20.], grad_fn=<CopySlices>)"),
        (277, "x.grad: tensor([ 26., 1240.])"),
        (294, "J:"),
        (295, "[[ 6. 0.]"),
        (296, "[ 2. 24.]"),
        (297, "[ 0. 10.]]"),
        (307, "vᵀ: [[  1.  10. 100.]]"),
        (308, "vᵀ・J: [[ 26. 1240.]]"),
    ),
    "vector v for x²": (
        (330, "x: tensor(1., requires_grad=True)"),
        (331, "y: tensor(1., grad_fn=<PowBackward0>)"),
        (332, "x.grad: tensor(2222.)"),
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
        (368, "[2.]"),
        (369, "[2.]"),
        (370, "[2.]]"),
        (380, "vᵀ: [[   1.   10.  100. 1000.]]"),
        (381, "vᵀ・J_broadcast: [[2222.]]"),
    ),
    "vector v for a sum": (
        (397, "x: tensor([1., 2.], requires_grad=True)"),
        (398, "y: tensor(3., grad_fn=<AddBackward0>)"),
        (399, "x.grad: tensor([1111., 1111.])"),
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
        (433, "[1 1]"),
        (434, "[1 1]"),
        (435, "[1 1]]"),
        (445, "vᵀ: [[   1.   10.  100. 1000.]]"),
        (446, "vᵀ・J_broadcast: [[1111. 1111.]]"),
    ),
}

LOOPS = ("four backwards of x²", "four backwards of a sum")

COSMETIC = {*(30, 31, 36, 38, 39, 41, 44, 46, 47, 48, 50), *(61, 62, 63, 76, 77, 78)}
NO_LONGER = {53, 68}
BROKEN = {*(54, 55, 56, 57), *(69, 70, 71, 72)}

REASONS: dict[Verdict, str] = {
    "reproduces": "Printed again, character for character.",
    "cosmetic": "The web page collapsed the white space that aligns the columns.",
    "no longer holds": "Since torch 1.3.0 the gradient must have the output's shape.",
    "broken as printed": "The page lost the loop's indentation; indented again, it prints this.",
}


def declared(number: int) -> Verdict:
    """Return the verdict that line `number` of the 80 must lead to."""
    if number in COSMETIC:
        return "cosmetic"
    if number in NO_LONGER:
        return "no longer holds"
    return "broken as printed" if number in BROKEN else "reproduces"


def printed_today(example: str, index: int) -> Printed:
    """Return one line of what an example prints."""
    return Printed(transcript(example)[index])


def loop_as_printed(example: str, index: int) -> Broken:
    """Compile a loop of ours without its indentation, then take the line from the fixed one."""
    flat = "for v in (1.0, 10.0):\nprint(v)"
    how = attempt(lambda: compile(flat, "<loop>", "exec"))
    return Broken(str(how), printed_today(example, index))


def claims() -> Iterator[Claim]:
    """The claims by-examples-01 to by-examples-80, in the order of the document."""
    number = 0
    for example, lines in PRINTED.items():
        for index, (line, words) in enumerate(lines):
            number += 1
            verdict = declared(number)
            run: Callable[[str, int], Printed | Broken]
            run = loop_as_printed if example in LOOPS else printed_today
            yield Claim(
                id=f"by-examples-{number:02}",
                document="by-examples",
                line=line,
                words=words,
                declared=verdict,
                reason=REASONS[verdict],
                run=partial(run, example, index),
            )
