"""Memory beside torch's own: one formula for each element of a storage that depends on x."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vtj.engines.symbolic.operations import Formulas, array


class Memory:
    """Formulas kept by storage, so that whatever aliases in torch aliases here.

    A tensor's formulas are found through its size, stride and offset: views, item writes and
    in-place operations need no rule of their own.
    """

    def __init__(self) -> None:
        self._formulas: dict[int, Formulas] = {}
        self._storages: list[torch.UntypedStorage] = []  # kept alive, so that no id is used twice

    def knows(self, tensor: Tensor) -> bool:
        """Return whether the tensor lives in a storage that depends on x."""
        try:
            return tensor.untyped_storage()._cdata in self._formulas
        except NotImplementedError:
            return False

    def read(self, tensor: Tensor) -> Formulas:
        """Return the formulas of a tensor's elements; constants where they do not depend on x."""
        if not self.knows(tensor):
            return array(values(tensor))
        formulas = self._formulas[tensor.untyped_storage()._cdata]
        return np.asarray(formulas[_places(tensor, formulas)], dtype=object)

    def write(self, tensor: Tensor, formulas: Formulas) -> None:
        """Set the formulas of a tensor's elements, in the memory it shares with its aliases."""
        storage = tensor.untyped_storage()
        if not self.knows(tensor):
            size = storage.nbytes() // tensor.element_size()
            whole = torch.as_strided(tensor.detach(), (size,), (1,), 0)
            self._formulas[storage._cdata] = array(values(whole))
            self._storages.append(storage)
        memory = self._formulas[storage._cdata]
        memory[_places(tensor, memory).ravel()] = np.broadcast_to(formulas, tensor.shape).ravel()


def values(tensor: Tensor) -> Any:
    """Return a tensor's values as a NumPy array, float64 where they are floating."""
    plain = tensor.detach()
    return (plain.double() if plain.is_floating_point() else plain).numpy(force=True)


def _places(tensor: Tensor, memory: Formulas) -> NDArray[np.int_]:
    if memory.size * tensor.element_size() != tensor.untyped_storage().nbytes():
        raise NotImplementedError(f"its memory is read again as {tensor.dtype}")
    places = np.full(tuple(tensor.shape), tensor.storage_offset())
    for dim, stride in enumerate(tensor.stride()):
        steps = np.arange(tensor.shape[dim]) * stride
        places += steps.reshape([-1 if d == dim else 1 for d in range(tensor.ndim)])
    return places
