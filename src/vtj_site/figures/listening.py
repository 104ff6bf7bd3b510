"""What processes do that share a model: what each is given, sends, and hands to backward."""

import pickle
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.modules.module import register_module_forward_hook

Event = tuple[str, Tensor | None]
"""A layer's forward with its input, what was sent, or a backward with its `v`, None without one."""


@contextmanager
def listening() -> Iterator[list[list[Event]]]:
    """Fill a list with the events of each process that is forked within, in order of rank.

    The processes are those of `torch.distributed`; they send with its `send`, or prepare an `isend`
    with `P2POp`, as its pipelines do. A forward counts if a backward goes through it: a pipeline
    runs one more, to learn the shapes. The list is filled when the context ends.
    """
    events: list[list[Event]] = []
    with TemporaryDirectory() as folder, ExitStack() as stack:
        heard = _Heard(Path(folder))
        stack.enter_context(mock.patch.object(dist, "send", partial(heard.send, dist.send)))
        prepare = dist.P2POp.__init__
        stack.enter_context(
            mock.patch.object(
                dist.P2POp, "__init__", lambda *a, **k: heard.prepare(prepare, *a, **k)
            )
        )
        backward = partial(heard.backward, torch.autograd.backward)
        stack.enter_context(mock.patch.object(torch.autograd, "backward", backward))
        stack.callback(register_module_forward_hook(heard.forward).remove)
        yield events
        for file in sorted(Path(folder).iterdir(), key=lambda file: int(file.name)):
            events.append(_counted(file))


class _Heard:
    """Writes events down, in a file for each process: a pipe that nobody empties can be full."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.numbers, self.in_backward = folder, count(), False

    def write(self, kind: str, tensor: Tensor | None = None, number: int = -1) -> None:
        if tensor is not None:
            tensor = tensor.detach().clone()
        with (self.folder / str(dist.get_rank())).open("ab") as file:
            pickle.dump((kind, tensor, number), file)

    def forward(self, layer: nn.Module, given: Any, output: Any) -> None:
        if not any(True for _ in layer.parameters(recurse=False)) or not output.requires_grad:
            return  # a loss, or a container, which only holds layers
        number = next(self.numbers)

        def through(grad: Tensor) -> None:
            if self.in_backward:
                self.write("through", number=number)

        self.write("forward", given[0], number)
        output.register_hook(through)

    def send(self, send: Any, tensor: Tensor, *args: Any, **kwargs: Any) -> Any:
        self.write("sent", tensor)
        return send(tensor, *args, **kwargs)

    def prepare(self, prepare: Any, of: Any, op: Any, tensor: Tensor, *args: Any, **k: Any) -> None:
        prepare(of, op, tensor, *args, **k)
        if op is dist.isend:
            self.write("sent", tensor)

    def backward(self, backward: Any, tensors: Any, v: Any = None, *args: Any, **k: Any) -> None:
        v = k.pop("grad_tensors", v)
        self.write("backward", v[0] if isinstance(v, Sequence) else v)
        self.in_backward = True
        backward(tensors, v, *args, **k)
        self.in_backward = False


def _counted(file: Path) -> list[Event]:
    """Read the events of a process, without the forwards that no backward goes through."""
    written = []
    with file.open("rb") as opened:
        while opened.peek(1):
            written.append(pickle.load(opened))
    through = {number for kind, _, number in written if kind == "through"}
    return [
        (kind, tensor)
        for kind, tensor, number in written
        if kind in ("sent", "backward") or (kind == "forward" and number in through)
    ]
