"""Whether a batch is to blame for what is not finite in it, or only hands on what a model made."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any

from .checks.tensors import readable
from .graphs import was_computed
from .look.values import nonfinite

if TYPE_CHECKING:
    from .batch import Entry
    from .watcher import Watcher


def nonfinite_weights(watcher: Watcher) -> list[str]:
    """The weights that hold NaN or Inf: with such weights a model makes nothing else. Waits for the device."""
    pairs = (pair for model in watcher.models.values() for pair in model.parameters())
    return [name for name, one in pairs if nonfinite(watcher.torch, one)]


def from_outside(torch: Any, known: list[Entry]) -> list[Entry]:
    """Those entries that no model computed: what a generator made is handed to the discriminator as its input.

    What was computed has a graph. Where it was cut off, the tensor with the graph mostly lives on in the same memory;
    that is looked for among all tensors alive, where the entry holds NaN or Inf.
    """
    given = [one for one in known if not was_computed(one.tensor)]
    bad = [one for one in given if nonfinite(torch, one.tensor)]
    made = _made(torch) if bad else set()
    return [one for one in given if one not in bad or _memory(one.tensor) not in made]


def _made(torch: Any) -> set[int]:
    """The memory of all tensors that have a graph."""
    tensors = [one for one in gc.get_objects() if type(one) is torch.Tensor and readable(torch, one)]
    return {_memory(one) for one in tensors if was_computed(one)}


def _memory(tensor: Any) -> int:
    return int(tensor.untyped_storage().data_ptr())
