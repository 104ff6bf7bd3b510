"""What was said of torch's own operators and modules, by whom, and who is right.

`wild.json` is what `nox -s wild -- --all` found, `wild_cuda.json` what it found on a GPU, with
`--device cuda`, and `wild.yaml` what a person judged of both.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib import resources
from typing import Any

import yaml  # type: ignore[import-untyped]

from vtj_site.markup import Shown, TableRow, code, table

WAYS = {
    "check": "check",
    "certify": "certify",
    "slow": "gradcheck",
    "fast": "fast",
}
"""Who was asked, and how a page calls it."""
SAID = {
    "correct": ("correct", "pass"),
    "wrong": ("wrong", "fail"),
    "undecided": ("undecided",),
    "raised": ("raised",),
    "late": ("late",),
}
"""What can be said, in the words of vtj and of gradcheck."""
RIGHT = {
    "all": "all of them",
    "vtj": "vtj",
    "check": "vtj.check",
    "gradcheck": "gradcheck",
    "others": "the others",
    "nobody": "nobody",
}
"""Who can be right: `all` where they agree, `nobody` where there is nothing to be right about."""
KINDS = {
    "finding": "torch itself is wrong",
    "gradcheck": "gradcheck is wrong",
    "formula": "a formula of torch is too coarse to judge",
    "no number": "y or x holds no number to compare",
    "rounding": "an entry of J is zero, and rounding alone is left to compare",
    "jump": "y jumps at x",
    "refusal": "refused",
    "device": "an assertion of the device ends the run",
    "late": "late",
    "miss": "vtj passes over a mistake",
    "false alarm": "vtj accuses what is right",
}
"""What a judgment can be of."""


@dataclass(frozen=True)
class Judgment:
    """Who is right about some samples, and why."""

    names: tuple[str, ...]  # of operators and modules
    said: tuple[str, ...]  # each what the four said, in order
    kind: str
    right: str
    why: str

    def is_of(self, sample: Mapping[str, Any]) -> bool:
        """Whether it judges this listed sample."""
        return sample["name"] in self.names and said_of(sample) in self.said


def said_of(sample: Mapping[str, Any]) -> str:
    """Return what the four said of a sample, as a judgment writes it.

    Examples:
        >>> said_of({way: {"said": "wrong"} for way in WAYS})
        'wrong, wrong, wrong, wrong'
    """
    return ", ".join(sample[way]["said"] for way in WAYS)


@cache
def recorded(device: str = "cpu") -> dict[str, Any]:
    """Return the record of the last complete run on a device, ``"cpu"`` or ``"cuda"``."""
    name = {"cpu": "wild.json", "cuda": "wild_cuda.json"}[device]
    file = resources.files("vtj_site.records") / name
    record: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return record


@cache
def judgments() -> tuple[Judgment, ...]:
    """Return what a person judged."""
    file = resources.files("vtj_site.records") / "wild.yaml"
    return tuple(
        Judgment(tuple(one["names"]), tuple(one["said"]), one["kind"], one["right"], one["why"])
        for one in yaml.safe_load(file.read_text(encoding="utf-8"))
    )


def judgment(sample: Mapping[str, Any]) -> Judgment | None:
    """Return the judgment on a listed sample, or None."""
    return next((one for one in judgments() if one.is_of(sample)), None)


def unjudged(listed: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a sentence for each listed sample that no person has judged.

    Examples:
        >>> raised = {way: {"said": "raised"} for way in WAYS}
        >>> print(*unjudged([{"kind": "operator", "name": "nobody's", "sample": 0, **raised}]))
        operator nobody's, sample 0: raised, raised, raised, raised: find out who is right \
(nox -s wild -- nobody's), and write it into src/vtj_site/records/wild.yaml
    """
    for sample in listed:
        if judgment(sample) is None:
            yield (
                f"{sample['kind']} {sample['name']}, sample {sample['sample']}: "
                f"{said_of(sample)}: find out who is right (nox -s wild -- {sample['name']}), "
                "and write it into src/vtj_site/records/wild.yaml"
            )


def count(kind: str, way: str, said: str, device: str = "cpu") -> int:
    """Return of how many samples of a kind something was said."""
    found = recorded(device)["kinds"][kind]["ways"][way]["said"]
    return sum(found.get(word, 0) for word in SAID[said])


def judged(kind: str, device: str = "cpu") -> int:
    """Return how many listed samples have a judgment of this kind, one of KINDS."""
    if kind not in KINDS:
        raise ValueError(f"no judgment is of kind {kind!r}; expected one of {', '.join(KINDS)}")
    listed = recorded(device)["listed"]
    found = Counter(one.kind for sample in listed if (one := judgment(sample)))
    return found[kind]


def samples(device: str = "cpu") -> int:
    """Return how many samples were asked about, of all kinds."""
    return sum(found["samples"] for found in recorded(device)["kinds"].values())


def left_out() -> str:
    """Return the names of what had no sample."""
    names = [one for found in recorded()["kinds"].values() for one in found["without a sample"]]
    return f"{', '.join(names[:-1])} and {names[-1]}"


def undecided(way: str) -> list[Judgment | None]:
    """Return the judgments on what a way leaves undecided, one for each sample."""
    found = recorded()["listed"]
    return [judgment(sample) for sample in found if sample[way]["said"] == "undecided"]


def share(way: str, *apart: str) -> str:
    """Return how many percent a way leaves undecided, without some kinds of judgment.

    Raises:
        ValueError: When there is no such kind.
    """
    if unknown := set(apart) - set(KINDS):
        raise ValueError(f"no kind {', '.join(unknown)}; expected some of {', '.join(KINDS)}")
    others = [one for one in undecided(way) if one is None or one.kind not in apart]
    return f"{100 * len(others) / samples():.1f} %"


def table_of_counts(kind: str, device: str = "cpu") -> Shown:
    """Return what each way said of samples of a kind, how often, and how often it called `f`.

    Each way is a column: a phone has room for four of these, and not for all that may be said.
    """
    found = recorded(device)["kinds"][kind]
    calls = [found["ways"][way]["calls"] for way in WAYS]
    lines = [
        *((said, [count(kind, way, said, device) for way in WAYS]) for said in SAID),
        ("calls of f", [one["median"] for one in calls]),
        ("at most", [one["most"] for one in calls]),
    ]
    head = ("said", *WAYS.values())
    rows = [TableRow((said, *(f"{number:,.0f}" for number in numbers))) for said, numbers in lines]
    where = "" if device == "cpu" else ", on a GPU"
    caption = (
        f"What was said of {found['samples']:,} samples of {found['entries']:,} {kind}s{where}"
    )
    text = "\n".join(", ".join(cells) for cells in (head, *(row.cells for row in rows)))
    return Shown(text, table(caption, head, rows))


def table_of_judgments(*kinds: str, device: str = "cpu") -> Shown:
    """Return what some kinds of judgment are of: who said what, who was right, and why."""
    head = ("of", "said", "right", "why")
    groups: dict[tuple[Judgment, str, str], dict[str, None]] = {}
    for sample in recorded(device)["listed"]:
        one = judgment(sample)
        if one is not None and one.kind in kinds:
            why = f"{one.why}: {_values(sample)}" if one.kind == "formula" else one.why
            groups.setdefault((one, _in_words(sample), why), {})[sample["name"]] = None
    text, rows = [", ".join(head)], []
    for (one, said, why), names in sorted(
        groups.items(), key=lambda group: kinds.index(group[0][0].kind)
    ):
        told = [said, RIGHT[one.right], why]
        text.append(", ".join((*names, *told)))
        rows.append(TableRow((", ".join(map(code, names)), *map(escape, told))))
    caption = "; ".join(KINDS[kind] for kind in kinds)
    return Shown("\n".join(text), table(f"{caption[:1].upper()}{caption[1:]}", head, rows))


def _in_words(sample: Mapping[str, Any]) -> str:
    """Return what was said, the two of vtj and the two of gradcheck as one where they agree."""
    check, certify, slow, fast = (sample[way]["said"] for way in WAYS)
    vtj = f"vtj: {check}" if check == certify else f"check: {check}, certify: {certify}"
    other = f"gradcheck: {slow}" if slow == fast else f"gradcheck: {slow}, fast: {fast}"
    return f"{vtj}; {other}"


def _values(sample: Mapping[str, Any]) -> str:
    """Return the values that differ: ``backward 0.1, forward 0.1, numeric 0.2``."""
    text: str = sample["check"]["text"]
    return text.partition("]: ")[2].partition(": ")[0] or text


def made_with(device: str = "cpu") -> str:
    """Return when it was made, at which commit, with what, and how long it took."""
    record = recorded(device)
    return (
        f"Asked {record['date']} at commit {record['commit']}, torch {record['torch']},\n"
        f"NumPy {record['numpy']}, Python {record['python']}, {record['minutes']} minutes"
    )
