"""What holds the memory when a step needs most of it: the tensors that are alive before backward, by where they were made."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..journal import Journal
from ..look.places import Places
from ..model import held
from ..part import Part

if TYPE_CHECKING:
    import torch

    from ..watcher import Watcher

KEPT = 60
"""Groups of tensors that are written down, the largest first."""


class Hogs(Part):
    """In the step after the first `skip`, follows which line makes which tensor; writes a `hogs` record."""

    name = "hogs"

    def __init__(self, journal: Journal, skip: int, watcher: Watcher) -> None:
        self._journal = journal
        self._watcher = watcher
        self._skip = skip
        self._mode: Any = None
        self._made: Any = None

    def after_step(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        """The next step is the one that is followed."""
        if self._mode is None and step >= self._skip:
            self._mode, self._made = _following(self._watcher)
            self._mode.__enter__()

    def before_backward(self, loss: torch.Tensor) -> None:
        """Here the most activations are alive."""
        if self._mode:
            self._mode.__exit__(None, None, None)
            self._mode = False
            self._journal.record("hogs", step=self._watcher.step + 1, groups=self._groups())

    def _groups(self) -> list[dict[str, Any]]:
        groups: dict[tuple[str, str, str, str], list[int]] = {}
        for what, where, tensor, size in self._alive():
            key = (what, where, "x".join(map(str, tensor.shape)), str(tensor.dtype).replace("torch.", ""))
            group = groups.setdefault(key, [0, 0])
            group[0] += 1
            group[1] += size
        ordered = sorted(groups.items(), key=lambda one: -one[1][1])[:KEPT]
        return [
            {"what": what, "where": where, "shape": shape, "dtype": dtype, "count": count, "bytes": size}
            for (what, where, shape, dtype), (count, size) in ordered
        ]

    def _alive(self) -> Iterator[tuple[str, str, Any, int]]:
        """What each tensor is, where it was made, itself and its bytes; each storage once."""
        kind, seen = self._watcher.torch.Tensor, set()
        named = dict(self._named())
        others = ((one, "") for one in _live(kind))
        for tensor, where in [*self._made.items(), *others]:
            size = _bytes(tensor)
            if size is None or size[0] in seen:
                continue
            seen.add(size[0])
            what = named.get(id(tensor)) or ("made in this step" if where else "made earlier")
            yield what, where, tensor, size[1]

    def _named(self) -> Iterator[tuple[int, str]]:
        for model in self._watcher.models.values():
            for one in held(model.optimizer):
                yield id(one), "parameter"
                if one.grad is not None:
                    yield id(one.grad), "gradient"
            for state in model.optimizer.state.values():
                for value in state.values() if isinstance(state, dict) else ():
                    if isinstance(value, self._watcher.torch.Tensor):
                        yield id(value), "optimizer state"


def _live(kind: type) -> list[Any]:
    """Every tensor that Python holds. Types are compared, for isinstance would wake lazy objects."""
    objects = gc.get_objects()
    kinds = {one for one in set(map(type, objects)) if issubclass(one, kind)}
    return [one for one in objects if type(one) in kinds]


def _bytes(tensor: Any) -> tuple[int, int] | None:
    """The address and the size of what a tensor lies in; None where it lies nowhere."""
    try:
        storage = tensor.untyped_storage()
        return (storage.data_ptr(), storage.nbytes()) if storage.nbytes() else None
    except (RuntimeError, NotImplementedError):
        return None  # Sparse, fake and functional tensors have no memory of their own.


def _following(watcher: Watcher) -> tuple[Any, Any]:
    """A mode that remembers the line of every result, and what it remembers."""
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils.weak import WeakTensorKeyDictionary

    names = {key: name for model in watcher.models.values() for key, name in model.modules.items()}
    places, made = Places(watcher.torch, names), WeakTensorKeyDictionary()
    kind = watcher.torch.Tensor

    class Following(TorchDispatchMode):  # type: ignore[no-untyped-call,unused-ignore]
        def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            result = function(*args, **(kwargs or {}))
            for one in result if isinstance(result, (tuple, list)) else (result,):
                if isinstance(one, kind):
                    place = places.here()
                    made[one] = f"{place}, module {place.module}" if place.module else str(place)
            return result

    return Following(), made  # type: ignore[no-untyped-call,unused-ignore]
