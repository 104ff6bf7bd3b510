"""Texts that nobody should type in the explorer, and some that many will: drawn, with a seed."""

from random import Random

PIECES = [
    *(
        "x",
        "x[0]",
        "x[1]",
        "x[-1]",
        "x[2]",
        "x[9]",
        "y",
        "pi",
        "2",
        "0",
        "1e3",
        ".5",
        "1e999",
        "007",
    ),
    *("+", "-", "*", "/", "**", "@", "^", "//", "%", "=", "==", ":", ";", ",", ".", "!", "?", "\\"),
    *(
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "((",
        "))",
        "[[",
        "]]",
        "(" * 40,
        "`",
        "'",
        '"',
        "${",
        "//",
        "/*",
    ),
    *("sin(", "exp(", "sum(x)", "mean(x)", "torch.", "torch.relu(", "stack([", ".sum()", ".abs()"),
    *("__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "__defineGetter__"),
    *(
        "x.constructor",
        "x.__proto__.polluted",
        "[].constructor",
        "sin.constructor",
        "torch.load('a')",
    ),
    *(
        "<img src=x onerror=alert(1)>",
        "<script>alert(1)</script>",
        "javascript:alert(1)",
        "&lt;",
        "&#60;",
    ),
    *(
        "alert(1)",
        "eval('1')",
        "Function('alert(1)')()",
        "import os",
        "lambda x: x",
        "__import__('os')",
    ),
    *(
        "\u202e",
        "\u200b",
        "\u00a0",
        "\x00",
        "\ud800",
        "\U0001f600",
        "\uff58",
        "٣",
        "x₁",
        "−",
        "×",
        "\n",
    ),
    *(" ", "  ", "\t"),
]
GOOD = [
    *(
        "x",
        "x[0]",
        "x[1]",
        "x[2]",
        "2",
        "0.5",
        "pi",
        "sin(x[0])",
        "x.sum()",
        "mean(x)",
        "[1, 2, 3]",
    ),
    *("tanh(x)", "(x - 1)", "relu(x[1])", "abs(x)", "exp(x[2])", "x[0] ** 2", "-x[1]", "x @ x"),
]
SIGNS = [" + ", " - ", " * ", " / ", ", ", " @ ", " ** 2 - "]


def texts(drawn: Random, count: int) -> list[str]:
    """Draw texts: of any pieces, of expressions with a piece put in, of expressions alone."""
    return [(soup, spoilt, expression)[i % 3](drawn) for i in range(count)]


def soup(drawn: Random) -> str:
    """Join pieces of any kind; now and then many."""
    many = drawn.choice([1, 2, 4, 8, 16, 200])
    return "".join(drawn.choice(PIECES) for _ in range(drawn.randint(0, many)))


def spoilt(drawn: Random) -> str:
    """Put a piece somewhere into an expression, or leave a character out."""
    text = expression(drawn)
    at = drawn.randrange(len(text))
    return text[:at] + drawn.choice([*PIECES, ""]) + text[at + drawn.randint(0, 1) :]


def expression(drawn: Random) -> str:
    """Join values that a reader may write by signs."""
    text = drawn.choice(GOOD)
    for _ in range(drawn.randint(0, 4)):
        text += drawn.choice(SIGNS) + drawn.choice(GOOD)
    return text
