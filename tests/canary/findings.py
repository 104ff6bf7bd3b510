"""What a canary finds: an answer that changed, a wording, what a dependency broke, or noise."""

import builtins
import re
from typing import NamedTuple

ANSWER, WORDING, DEPENDENCY, NOISE = "answer", "wording", "dependency", "noise"
NOTHING = "nothing"

# What the authors of a package tell those who call it: no answer of torch, and no user's concern.
OF_AUTHORS = re.compile(r"(?:Future|Deprecation|PendingDeprecation|RemovedInSphinx\d+)Warning: ")
RAISED = re.compile(r"([A-Za-z_.]+(?:Error|Warning)): ")
VALUE = re.compile(r"(?<![\w.])\d+(?:\.\d*)?(?:e[-+]?\d+)?(?!\w)|True|False|None|nan|inf")


class Finding(NamedTuple):
    """One thing that is not as recorded; `now` is what a run with another torch has given."""

    kind: str
    place: str  # docs/faq.md:12, or what else names it
    was: str
    now: str


def of_texts(place: str, was: str, now: str) -> Finding:
    """Tell a wording from an answer: the type of the error is the same, or each value is.

    Who catches a RuntimeError catches a NotImplementedError too, so from it to this is a wording.

    Examples:
        >>> [of_texts("", "ValueError: a", now).kind for now in ("ValueError: b 2", "TypeError: a")]
        ['wording', 'answer']
        >>> of_texts("", "RuntimeError: no Half", "NotImplementedError: no Half").kind
        'wording'
        >>> [of_texts("", "y is tensor(1.)", now).kind for now in ("y: tensor(1.)", "y is 0")]
        ['wording', 'answer']
    """
    before, after = RAISED.match(was), RAISED.match(now)
    if before or after:
        same = before and after and caught(before[1], after[1])
    else:
        same = VALUE.findall(was) == VALUE.findall(now) != []
    return Finding(WORDING if same else ANSWER, place, was, now)


def caught(before: str, after: str) -> bool:
    """Whether `except before` catches an error of the type that is now raised."""
    old, new = (getattr(builtins, name, None) for name in (before, after))
    known = isinstance(old, type) and isinstance(new, type)
    return before == after or (known and issubclass(new, old))


def of_warning(place: str, text: str) -> Finding:
    """Return what a warning is that nobody declared: noise, if a package's authors address others.

    Examples:
        >>> of_warning("", "x.py:1: FutureWarning: `f` is deprecated.\\n  warnings.warn(").now
        'FutureWarning: `f` is deprecated.'
    """
    lines = [line for line in text.splitlines() if "Warning: " in line] or text.splitlines()[:1]
    said = re.sub(r"^\S+:\d+: ", "", lines[0].strip()) if lines else ""
    return Finding(NOISE if OF_AUTHORS.match(said) else WORDING, place, NOTHING, said)
