"""The messages that a user can meet on the way to a gradient, each judged: explained, or why not.

They are read from torch's installed sources (`written`), and compared with a list that was judged
by hand (`judged`). What torch's compiled part says cannot be read so; that part of the list was
made from the strings of its libraries and by provoking it (`provoked`).
"""

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

COMPILED = "compiled"
"""The part of the list that stands for torch's libraries, beside the names of files."""
LIKE = "like "
"""Before an entry that explains a message in other words than the message's own."""
KEPT = 100
"""Characters of a message that the list keeps: enough to tell any two of a file apart."""
SOURCES = {
    "autograd/__init__.py": "",
    "autograd/anomaly_mode.py": "",
    "autograd/forward_ad.py": "",
    "autograd/function.py": "",
    "autograd/functional.py": "",
    "autograd/grad_mode.py": "",
    "autograd/gradcheck.py": "",
    "autograd/graph.py": "",
    "_functorch/apis.py": "",
    "_functorch/autograd_function.py": "",
    "_functorch/eager_transforms.py": "",
    "_functorch/functional_call.py": "",
    "_functorch/utils.py": "",
    "_functorch/vmap.py": "",
    "_library/autograd.py": "",
    "utils/checkpoint.py": "",
    "utils/hooks.py": "",
    "_tensor.py": "backward|hook|grad|__deepcopy__|__array__|__dlpack__|__iter__|__len__",
    "nn/modules/module.py": "hook|_call_impl|backward|requires_grad|zero_grad",
    "nn/parallel/data_parallel.py": "",
    "nn/parallel/distributed.py": "",
    "nn/parallel/parallel_apply.py": "",
    "nn/parallel/_functions.py": "",
    "nn/parallel/scatter_gather.py": "",
    "amp/autocast_mode.py": "",
    "amp/grad_scaler.py": "",
    "cuda/amp/autocast_mode.py": "",
    "cuda/amp/grad_scaler.py": "",
    "nn/utils/clip_grad.py": "",
    "nn/utils/stateless.py": "",
}
"""Torch's files, and of a large one the functions that have to do with gradients."""
_RAISES = re.compile(r"(Error|Warning|Exception)$|^(warn|_log_and_throw|deprecated)$")
_FORMAT = re.compile(r"%[sdrf]|\{[^{}]*\}")
_HOLE = "{…}"


def written(source: str) -> list[str]:
    """Return the messages of one of torch's files, in order.

    Raises:
        FileNotFoundError: if the installed torch does not have the file.

    Example:
        >>> written("autograd/anomaly_mode.py")[0][:34]
        'Anomaly Detection has been enabled'
    """
    spec = find_spec("torch")
    assert spec is not None
    assert spec.origin is not None
    text = (Path(spec.origin).parent / source).read_text(encoding="utf-8")
    return messages_in(text, SOURCES[source])


def messages_in(text: str, functions: str = "") -> list[str]:
    """Return the messages that a Python file raises, warns of or logs, ``{…}`` for what varies.

    Where ``functions`` is given, a pattern, those of functions whose name it does not match are
    left out, and so are those that are computed as a whole.

    Example:
        >>> messages_in('raise ValueError(f"expected a tensor, got {x}")')
        ['expected a tensor, got {…}']
    """
    return list(dict.fromkeys(_messages(ast.parse(text), functions, "", {})))


def judged() -> dict[str, dict[str, list[str]]]:
    """Return the judged messages: file by file, the anchor of an entry or a reason, and messages.

    Example:
        >>> judged()["autograd/anomaly_mode.py"]["plain"][0][:34]
        'Anomaly Detection has been enabled'
    """
    found: dict[str, dict[str, list[str]]] = _list()["messages"]
    return found


def reasons() -> dict[str, str]:
    """Return why a message has no entry of its own, in words, by the reason's name.

    Example:
        >>> reasons()["other"]
        'It is not about gradients.'
    """
    found: dict[str, str] = _list()["reasons"]
    return found


def provoked() -> list[str]:
    """Return lines that raise a message of torch's compiled part, those that no page raises.

    Example:
        >>> provoked()[0][:35]
        'torch.nn.functional.leaky_relu_(x.c'
    """
    return str(_list()["provoked"]).splitlines()


def release() -> str:
    """Return the release of torch whose messages were judged.

    Example:
        >>> release()[:2]
        '2.'
    """
    return str(_list()["torch"])


@cache
def _list() -> dict[str, Any]:
    file = resources.files("vtj_site.records") / "messages.yaml"
    found: dict[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return found


def _messages(
    node: ast.AST, functions: str, inside: str, names: Mapping[str, str]
) -> Iterator[str]:
    """Yield the messages below a node of a file, where the functions around it are asked for."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        inside = f"{inside}.{node.name}"
        names = {**names, **_assigned(node)}
    if isinstance(node, ast.Call) and _RAISES.search(_name(node.func)):
        texts = (_template(argument, names) for argument in node.args)
        text = next((text for text in texts if text), None)
        if text and len(text.replace(_HOLE, "").split()) > 1 and re.search(functions, inside):
            yield " ".join(text.split())[:KEPT].rstrip()
    for child in ast.iter_child_nodes(node):
        yield from _messages(child, functions, inside, names)


def _name(function: ast.expr) -> str:
    """Return the last part of a called function's name."""
    match function:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return ""


def _assigned(function: ast.AST) -> dict[str, str]:
    """Return the texts that a function gives a name before it raises them."""
    return {
        target.id: text
        for statement in ast.walk(function)
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name) and (text := _template(statement.value, {}))
    }


def _template(node: ast.expr, names: Mapping[str, str]) -> str | None:
    """Return an expression's text with holes, or None if it is no text."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            return "".join(_template(part, names) or _HOLE for part in values)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            both = _template(left, names), _template(right, names)
            return None if both == (None, None) else "".join(part or _HOLE for part in both)
        case (
            ast.BinOp(left=left, op=ast.Mod())
            | ast.Call(func=ast.Attribute(value=left, attr="format"))
        ):
            form = _template(left, names)
            return form and _FORMAT.sub(_HOLE, form)
        case ast.Name(id=name):
            return names.get(name)
    return None
