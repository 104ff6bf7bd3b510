"""The 80 lines that the post by examples prints, each held against what our code prints today."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from vtj_site.sources.claim import Claim
from vtj_site.sources.transcripts import transcript
from vtj_site.sources.verdict import Broken, Printed, Verdict
from vtj_site.trials import attempt

# example -> (line of the document, its digest, what is printed there)
PRINTED: dict[str, tuple[tuple[int, str, str], ...]] = {
    "scalar": (
        (41, "771f871034feb860", "x: tensor(1., requires_grad=True)"),
        (42, "5d0c93eb50e5f4fa", "y: tensor(1., grad_fn=<PowBackward0>)"),
        (43, "f84cddfa7e0759bc", "x.grad: tensor(2.)"),
        (55, "a6ecf38a3063852e", "J: [[2.]]"),
        (65, "2a78ee66affe51b8", "vᵀ: [[1]]"),
        (66, "d4beed0a6f976834", "vᵀ・J: [[2.]]"),
    ),
    "scalar, v = 100": (
        (82, "771f871034feb860", "x: tensor(1., requires_grad=True)"),
        (83, "5d0c93eb50e5f4fa", "y: tensor(1., grad_fn=<PowBackward0>)"),
        (84, "6368dbcb271af549", "x.grad: tensor(200.)"),
        (97, "a6ecf38a3063852e", "J: [[2.]]"),
        (98, "ac75fe5d040200c1", "vᵀ: [[100.]]"),
        (99, "7a766ce22d7aabcf", "vᵀ・J: [[200.]]"),
    ),
    "sum": (
        (114, "9bcfe4121162d600", "x: tensor([1., 2.], requires_grad=True)"),
        (115, "d4dcf120fcfda4d9", "y: tensor(3., grad_fn=<AddBackward0>)"),
        (116, "0af5b3098490175f", "x.grad: tensor([1., 1.])"),
        (128, "51dbfe12f00727a0", "J:"),
        (129, "a683e07a3b75c4eb", "[[1 1]]"),
        (139, "2a78ee66affe51b8", "vᵀ: [[1]]"),
        (140, "891113189f12a179", "vᵀ・J: [[1 1]]"),
    ),
    "sum, v = 100": (
        (155, "9bcfe4121162d600", "x: tensor([1., 2.], requires_grad=True)"),
        (156, "03bc789b35828010", "x.grad: tensor([100., 100.])"),
        (169, "51dbfe12f00727a0", "J:"),
        (170, "a683e07a3b75c4eb", "[[1 1]]"),
        (171, "ac75fe5d040200c1", "vᵀ: [[100.]]"),
        (172, "f264649a027328e7", "vᵀ・J: [[100. 100.]]"),
    ),
    "squares, v = [1, 1]": (
        (188, "9bcfe4121162d600", "x: tensor([1., 2.], requires_grad=True)"),
        (189, "2b24f3046c5ffeb5", "y: tensor([ 3., 12.], grad_fn=<MulBackward0>)"),
        (190, "83a77b3fcc4279d7", "x.grad: tensor([ 6., 12.])"),
        (203, "51dbfe12f00727a0", "J:"),
        (204, "077ef5e2e35beba3", "[[ 6. 0.]"),
        (205, "a7cc855be97326ef", "[ 0. 12.]]"),
        (215, "2880c46d8284c6be", "vᵀ: [[1. 1.]]"),
        (216, "20f6bb2a55c08486", "vᵀ・J: [[ 6. 12.]]"),
    ),
    "squares, v = [1, 10]": (
        (232, "9bcfe4121162d600", "x: tensor([1., 2.], requires_grad=True)"),
        (233, "2b24f3046c5ffeb5", "y: tensor([ 3., 12.], grad_fn=<MulBackward0>)"),
        (234, "ec71b842a4c2e247", "x.grad: tensor([ 6., 120.])"),
        (248, "51dbfe12f00727a0", "J:"),
        (249, "077ef5e2e35beba3", "[[ 6. 0.]"),
        (250, "a7cc855be97326ef", "[ 0. 12.]]"),
        (251, "2b8db74043a659bf", "vᵀ: [[ 1. 10.]]"),
        (252, "ef691f7046787ad8", "vᵀ・J: [[ 6. 120.]]"),
    ),
    "three outputs": (
        (275, "9bcfe4121162d600", "x: tensor([1., 2.], requires_grad=True)"),
        (276, "665140f3eae6d0e9", "y: tensor([ 3., 17., 20.], grad_fn=<CopySlices>)"),
        (277, "deed977632c98f20", "x.grad: tensor([ 26., 1240.])"),
        (294, "51dbfe12f00727a0", "J:"),
        (295, "077ef5e2e35beba3", "[[ 6. 0.]"),
        (296, "7d85b3a231d173cc", "[ 2. 24.]"),
        (297, "301adff7cc873c3e", "[ 0. 10.]]"),
        (307, "477bc2ad09cfdb0a", "vᵀ: [[  1.  10. 100.]]"),
        (308, "fd6186e2ea03ca83", "vᵀ・J: [[ 26. 1240.]]"),
    ),
    "vector v for x²": (
        (330, "771f871034feb860", "x: tensor(1., requires_grad=True)"),
        (331, "5d0c93eb50e5f4fa", "y: tensor(1., grad_fn=<PowBackward0>)"),
        (332, "7580928d8a90bea7", "x.grad: tensor(2222.)"),
    ),
    "four backwards of x²": (
        (345, "f84cddfa7e0759bc", "x.grad: tensor(2.)"),
        (346, "c1067c9c5cc5f306", "x.grad: tensor(22.)"),
        (347, "df19ae3a844a532a", "x.grad: tensor(222.)"),
        (348, "7580928d8a90bea7", "x.grad: tensor(2222.)"),
    ),
    "J of x² repeated": (
        (365, "a6ecf38a3063852e", "J: [[2.]]"),
        (366, "a5fe08f14820dc20", "J_broadcast:"),
        (367, "6c322f657b45bb16", "[[2.]"),
        (368, "478170c8fc3fe8c9", "[2.]"),
        (369, "478170c8fc3fe8c9", "[2.]"),
        (370, "6f87bc29865d6ebb", "[2.]]"),
        (380, "e4975c2f884b2896", "vᵀ: [[   1.   10.  100. 1000.]]"),
        (381, "af99a6edbc21d4f4", "vᵀ・J_broadcast: [[2222.]]"),
    ),
    "vector v for a sum": (
        (397, "9bcfe4121162d600", "x: tensor([1., 2.], requires_grad=True)"),
        (398, "d4dcf120fcfda4d9", "y: tensor(3., grad_fn=<AddBackward0>)"),
        (399, "540810e884112192", "x.grad: tensor([1111., 1111.])"),
    ),
    "four backwards of a sum": (
        (412, "0af5b3098490175f", "x.grad: tensor([1., 1.])"),
        (413, "cb23bb4794df81aa", "x.grad: tensor([11., 11.])"),
        (414, "80334cbb805b2a11", "x.grad: tensor([111., 111.])"),
        (415, "540810e884112192", "x.grad: tensor([1111., 1111.])"),
    ),
    "J of a sum repeated": (
        (430, "00282b65454e8c6c", "J: [[1 1]]"),
        (431, "a5fe08f14820dc20", "J_broadcast:"),
        (432, "cf971cfc637b480c", "[[1 1]"),
        (433, "2a270b52d70ded6a", "[1 1]"),
        (434, "2a270b52d70ded6a", "[1 1]"),
        (435, "82304a9a9a13f76c", "[1 1]]"),
        (445, "e4975c2f884b2896", "vᵀ: [[   1.   10.  100. 1000.]]"),
        (446, "ab00bb8e020a8bfa", "vᵀ・J_broadcast: [[1111. 1111.]]"),
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
    """Compile a loop of ours without its indentation, then take the line from the mended one."""
    flat = "for v in (1.0, 10.0):\nprint(v)"
    how = attempt(lambda: compile(flat, "<loop>", "exec"))
    return Broken(str(how), printed_today(example, index))


def claims() -> Iterator[Claim]:
    """The claims by-examples-01 to by-examples-80, in the order of the document."""
    number = 0
    for example, lines in PRINTED.items():
        for index, (line, digest, words) in enumerate(lines):
            number += 1
            verdict = declared(number)
            run: Callable[[str, int], Printed | Broken]
            run = loop_as_printed if example in LOOPS else printed_today
            yield Claim(
                id=f"by-examples-{number:02}",
                document="by-examples",
                line=line,
                words=words,
                digest=digest,
                declared=verdict,
                reason=REASONS[verdict],
                run=partial(run, example, index),
            )
