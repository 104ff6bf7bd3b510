"""Words that have contraries: beside a computed word, such a word has to be asked too.

Each line of `CONTRARIES` is a set of words of which one could stand for another and turn a sentence
around. Those before the bar may be typed unasked, since none of them is the contrary of another one
there; each word behind it has to be asked wherever it stands. Words joined by `=` say the same, and
behind a `~` stand words that may be typed where none of the others is asked.

So a page may say that torch keeps something, and whoever turns that into "drops" has to ask for it.
A word stands for its forms too.
"""

import re
from functools import cache

CONTRARIES = """
| first second last
next | previous
| row column
| larger smaller
| more less=fewer
| higher=upper lower
| before after
| leaf non-leaf root
| right=correct wrong=incorrect=false
| real complex imaginary fake
| input output
| positive negative
| refuse=reject=forbid=deny accept=allow=permit
| free retain
| raise=crash=fail work=succeed
| two three four five six seven eight nine ten eleven twelve hundred thousand half quarter third
| ones twos zeros
| zero
once | twice thrice
one single | several
| difference sum=total mean=average product maximum minimum median variance
square | cube
argmax | argmin
add divide | subtract overwrite=replace remove multiply
multiplication addition | division subtraction
transpose | inverse=inv
keep hold find leave | lose=drop=discard=forget=destroy=erase=empty violate
give get bring make return hand | withhold lack
has have | lack
need want require | avoid spare
save store | waste
fill | empty
grow | shrink vanish
rise climb | fall=decrease
increase | decrease
double | halve
end stop | start begin
up | down
above over | below
inside within in | outside
behind beside | front
old | new
older | newer
earlier | later
late afterwards | early beforehand
large big huge | small=tiny=little
long | short
longer | shorter
largest biggest | smallest
longest | shortest
steepest | flattest
fast | slow
fastest | slowest
other another | same=identical
alike | different=differently=unlike identical
equal | unequal distinct
agree match | disagree=contradict=conflict
differ | coincide agree
true | false
depend count matter | ignore independent
~ dimension=dim=ndim element=numel
vjp vᵀ·j | jvp=j·u
own | foreign shared
apart separate separately | together
both each every either | some certain
often | rarely=hardly=barely=scarcely=seldom
back | forth ahead
true | untrue
parameter | constant variable buffer
tensor number matrix | scalar vector list tuple array dict=dictionary string
gradient derivative slope result | value integral=antiderivative
| gradient loss weight hook
error | warning
jacobian | hessian
result | argument
process | thread
memory | speed
value | index
weight activation | bias target label
score error penalty | reward
element entry pixel token batch sample | class
shape | dtype
torch python numpy | autograd
model layer network module | optimizer scaler
record take | skip
see notice show say name | miss=overlook=hide=conceal
know | doubt
run call | omit
stay remain keep | change=move=vary
pass go come arrive reach | stop=depart
| inner outer
| deep shallow deeper shallower
strict strictly | loose loosely
narrow narrower | wide wider
| strong weak stronger weaker
good better best well | bad=badly worse worst
| easy hard soft easier harder
harmful | safe=harmless unsafe
whole full | partial=partly
exact exactly | approximate=approximately=roughly=nearly=almost
linear | nonlinear quadratic cubic
descent | ascent
random | fixed=deterministic
| visible hidden
| scaled unscaled
pixel | channel
closest closer nearer | farthest farther
open | close
| symmetric diagonal triangular
| finite infinite=infinity nan
silently silent | loud=loudly=openly=noisily
| least most
| top bottom
freeze | thaw
| training evaluation
connect | disconnect
| join split
include contain | exclude
prevent | cause
| enable disable
| optional mandatory
possible | impossible
trust | distrust
along | against
spite | thanks because
since | although=though=despite
| plus minus
forward | backward=reverse
~ half double
generator | critic
positional | keyword
plain | wrapped nested
missing | known observed
| server client
| eager compiled
| cpu gpu=cuda
| dense sparse
enough | insufficient
~ model optimizer scaler
~ whole part=piece
common | rare
follow | precede
copy | view
away | toward=towards
fine | coarse
| auxiliary main
| twenty two ten hundred
| first-order second-order
convolution linear | pooling
~ generator discriminator
~ actor critic
~ encoder decoder
~ read write
~ freeze train
~ initial final
~ opposite equal same
~ cost save
~ omit pass
~ clear fill
~ multiplication addition
~ direction length
~ rate scale
~ sgd adam adamw
~ momentum decay
~ dropout normalization
~ softmax sigmoid softplus relu tanh
~ trace determinant
~ query key
~ teacher student
~ times divide
~ many few
~ add average
~ near far
~ clone view
~ round exact
~ update fixed
~ incoming outgoing
~ delete keep
~ remedy time verdict
| numerical analytical
detach | attach
common | local global
"""
FORMS = """
kept:keep held:hold found:find left:leave lost:lose gave:give given:give got:get made:make
brought:bring grew:grow grown:grow fell:fall fallen:fall rose:rise risen:rise began:begin
came:come ran:run went:go gone:go saw:see seen:see knew:know known:know froze:freeze
frozen:freeze hid:hide forgot:forget forgotten:forget shrank:shrink shrunk:shrink
lying:lie tied:tie took:take taken:take
overwritten:overwrite written:write wrote:write
"""
IRREGULAR = dict(pair.split(":") for pair in FORMS.split())
UNDONE = re.compile(r"(?:non-|un(?!der|til|ion|ique|iform|less|it))\w+", re.I)
"""Its contrary is what it says without its first syllable."""
NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve"
NUMBER = r"(?<![\w.\[]){}(?:\.0)?\b(?!\])"
"""A number, but for the place of an entry: `x[1]`."""
WRITTEN = {word: NUMBER.format(number) for number, word in enumerate(NUMBERS.split())} | {
    "array": r"numpy|\bnp\.",
    "backward": r"backward|\bgrad|vjp|jacrev",
    "channel": r"channel|shape\[1\]",
    "class": r"label|logits",
    "column": r"\[:, |column|shape\[1\]|\.T\b",
    "complex": r"\d*j\b",
    "constant": r"detach|requires_grad=False",
    "cpu": "cpu",
    "divide": r" / ",
    "difference": r"diff| - |check|report|numeric",
    "dtype": r"double|half|float|finfo",
    "first-order": "first_order",
    "first": r"\[:?0(?![.\d])|, 0\]|\(0\)",
    "evaluation": r"eval",
    "gradient": r"(?<!requires_)(?<!no_)grad|backward|[jv]vp|jac|\bJ\b",
    "half": r"/ ?2|0\.5",
    "hessian": "hess",
    "hundred": NUMBER.format(100),
    "j·u": r"J @ \w*u|jvp|\bJu\b|J1 @|push",
    "jvp": r"J @ \w*u|jvp|\bJu\b|push",
    "imaginary": "imag",
    "infinite": r"\binf",
    "infinity": r"\binf",
    "input": r"\b(?:x|samples|images?|inputs?)\b",
    "larger": ">",
    "last": r"\[-1(?![.\d])|, -1\]|-1:",
    "leaf": r"leaf|leaves",
    "loss": r"loss|criterion|entropy|mse|ctc|\bL\d?\b",
    "mean": r"/|average",
    "minimum": r"argmin",
    "minus": "-",
    "multiply": r"\*",
    "numpy": r"\bnp\.",
    "ones": r"sum\(|" + NUMBER.format(1),
    "optimizer": r"optim|SGD|Adam",
    "output": r"\b(?:y|out|model|logits|outputs?|J)\b",
    "plus": r"\+",
    "product": r"@|\*|mul|push|[jv]vp",
    "reverse": r"backward|\bgrad|vjp|jacrev",
    "right": r"correct",
    "row": r"\[(?:0|1|-1)\]|row|len\(|J\[",
    "scalar": r"\.sum\(\)|item|ndim",
    "second-order": r"second_order|hess",
    "second": r"\[1(?![.\d])|, 1\]|\(1\)",
    "small": r"1e-|tiny",
    "smaller": "<",
    "smallest": r"\bmin\(",
    "sum": r"@|\+|\bones|expand|cumsum|\badd\b",
    "times": r" \* | @ ",
    "thousand": NUMBER.format(1000),
    "training": r"\.train\(|training=True",
    "tuple": r", \)",
    "twenty": NUMBER.format(20),
    "twos": NUMBER.format(2),
    "value": r"\by\b|item",
    "vector": r"\bv\b|vec|one_hot|ones\(\d",
    "view": "_base",
    "warning": "warn",
    "weight": r"weight|model|param|layer|linear|\bnet|\b[vwhW]T?\d?\b",
    "wrong": r"\bcheck\(|report",
    "zero": r"zero|any\(|" + NUMBER.format(0),
    "zeros": r"zero|" + NUMBER.format(0),
}
"""How code says such a word where no name does."""


@cache
def stems(word: str) -> frozenset[str]:
    """Return what a word may be a form of, and itself.

    Examples:
        >>> sorted(stems("dropped"))
        ['drop', 'dropp', 'droppe', 'dropped']
    """
    word = word.lower().removesuffix("'s")
    found = {word, IRREGULAR.get(word, word)}
    for ending, instead in ("s", ""), ("es", ""), ("d", ""), ("ed", ""), ("ing", ""), ("ing", "e"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            found.add(base := word.removesuffix(ending) + instead)
            if ending in ("ed", "ing") and base[-2:-1] == base[-1:]:
                found.add(base[:-1])
    if word.endswith(("ies", "ied")):
        found.add(f"{word[:-3]}y")
    return frozenset(found)


FIELD = frozenset(
    {
        "argument",
        "gradient",
        "hessian",
        "hook",
        "index",
        "loss",
        "speed",
        "thread",
        "warning",
        "weight",
    }
)
"""Nouns that are asked too by the line that first made what is asked: `of_sum` is a gradient."""
ROWS = [
    (tuple(free.strip("~ ").split()), tuple(tuple(each.split("=")) for each in asked.split()))
    for free, _, asked in (
        row.replace("~", "~|").partition("|") for row in CONTRARIES.strip().splitlines()
    )
]
ASKED = frozenset(
    word
    for row in CONTRARIES.strip().splitlines()
    for word in row.partition("|")[2].replace("=", " ").split()
)
"""Words that are asked wherever they stand."""
LISTED = frozenset(re.findall(r"[\w-]+", CONTRARIES))


def asked_as(word: str) -> str:
    """Return the word of `CONTRARIES` as whose form a word has to be asked, or "".

    Examples:
        >>> asked_as("loses"), asked_as("keeps"), asked_as("unwatched")
        ('lose', '', 'unwatched')
    """
    found = sorted(stems(word) & ASKED, key=len)
    return found[-1] if found else word.lower() if UNDONE.fullmatch(word) else ""


@cache
def alike(word: str) -> frozenset[str]:
    """Return the words that say the same, and what the word may be a form of."""
    forms = stems(word)
    return forms.union(*(each for _, asked in ROWS for each in asked if forms & {*each}))


@cache
def rivals(word: str) -> frozenset[tuple[str, ...]]:
    """Return what could stand for a word and turn its sentence around; what is alike, together."""
    forms, found = stems(word), set[tuple[str, ...]]()
    for free, asked in ROWS:
        mine = [each for each in asked if forms & {*each}]
        if mine or forms & {*free}:
            found |= {*asked} - {*mine} | {(each,) for each in (free if mine else ())}
    return frozenset(found)


def contraries(word: str) -> list[str]:
    """Return the contraries of a word, in its form.

    Examples:
        >>> contraries("Last"), contraries("drops"), contraries("unwatched")
        (['first', 'second'], ['finds', 'holds', 'keeps', 'leaves', 'violates'], ['watched'])
    """
    found = sorted(each for group in rivals(word) for each in group)
    if not found and UNDONE.fullmatch(word):
        return [re.sub(r"^(?:non-|un)", "", word, flags=re.I)]
    inflected = word.endswith("s") and word.lower() not in LISTED
    return [with_s(each) if inflected else each for each in found]


def with_s(word: str) -> str:
    """Return a verb's third person, or a noun's plural."""
    return re.sub(r"([^aeo])y$", r"\1ie", re.sub(r"(sh|ch|ss|x|z)$", r"\1e", word)) + "s"
