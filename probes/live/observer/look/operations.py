"""Sees every operation of one loop step, and from which one the first non-finite value comes."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Callable

from ..handlers import is_of_a_handler
from ..traces import call_in_place, hidden, leave_out_ours
from .made_at import MadeAt
from .masks import averages_nothing, fully_masked
from .places import Place, Places
from .source import MADE_OUTSIDE, OVERWRITES, UNWRITTEN, Call, Source
from .twin import Twins, name_of
from .values import largest, nonfinite, statistics, tensors_in, with_tensors

if TYPE_CHECKING:
    import torch

LIMIT = 200_000
"""Operations after which a look ends: a loop step is rarely longer."""


class Operations:
    """A function mode: for each tensor of the step, the source of its non-finite values.

    `names`: the names of the parameters and of the tensors of the batch, by id. `quiet` says when it is the observer
    that computes. An operation that the script calls is run as it is, and its error is the script's.
    """

    def __init__(
        self,
        torch: Any,
        places: Places,
        names: Mapping[int, tuple[str, str]],
        twins: Twins | None,
        quiet: Callable[[], bool],
    ) -> None:
        from torch.utils.weak import WeakTensorKeyDictionary

        self._torch = torch
        self._places = places
        self._names = names
        self._quiet = quiet
        self._process = os.getpid()
        self._sources: Any = WeakTensorKeyDictionary()
        self._made = MadeAt()
        self.twins = twins
        self.count = 0
        self.paused = False
        self.max_abs = 0.0
        self.max_place = Place()
        self.last_scalar: Source | None = None
        self.trouble: Exception | None = None

    @hidden
    def __torch_function__(
        self, function: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """Torch calls this in the place of the operation."""
        kwargs = kwargs or {}
        # A data worker that is forked within a look has a copy of it.
        looks = not (self.paused or self.count > LIMIT or self._quiet() or os.getpid() != self._process)
        if looks:
            call = Call(function, name_of(function), args, kwargs)
            before = self._guarded(self._before, call)
        try:
            result = call_in_place(sys._getframe(1), function, args, kwargs)
        except BaseException as error:
            leave_out_ours(error)
            raise
        if looks:
            self._guarded(self._after, call, result, before)
        return result

    def source_of(self, tensor: torch.Tensor) -> Source | None:
        """Where its non-finite values come from; None where it is finite."""
        value = self._value(tensor)
        known = self._sources.get(tensor)
        if known is not None and known[0] == _version(value):
            found: Source | None = known[1]
            return found
        return self._remember(tensor, value, self._leaf(tensor, value))

    def forget(self, values: Any) -> None:
        """What these tensors stand for has changed."""
        for one in tensors_in(self._torch.Tensor, values):
            known = self._sources.get(one)
            if known is not None and known[1] is None:
                del self._sources[one]

    def place_of_node(self, number: int) -> Place:
        """The place of the operation that made the node with this sequence number of the graph."""
        return self._made.place_of(number)

    def source_of_node(self, number: int) -> Source | None:
        """Where the NaN comes from that this node keeps from the forward pass, where a mask hid it from the loss."""
        return self._made.given_to(number)

    def _guarded(self, call: Callable[..., Any], *args: Any) -> Any:
        if self.paused:
            return None
        try:
            return call(*args)
        except Exception as error:
            if is_of_a_handler(error):
                raise
            self.trouble, self.paused = error, True
            return None

    def _before(self, call: Call) -> list[tuple[torch.Tensor, Source | None]]:
        """The operands with the sources of what is non-finite in them, before the operation can write into them."""
        if self.twins is not None:
            self.twins.before(call.name, call.args, call.kwargs)
        operands = list(tensors_in(self._torch.Tensor, [call.args, call.kwargs]))
        if call.name in OVERWRITES:
            operands = operands[1:]
        elif call.name == "__setitem__":
            operands = [*operands[1:], *operands[:1]]
        return [(one, self.source_of(one)) for one in operands]

    def _after(self, call: Call, result: Any, before: list[Any] | None) -> None:
        results = list(tensors_in(self._torch.Tensor, result))
        if call.name in (".grad", "._grad") or (not results and call.name != "__setitem__"):
            return
        self.count += 1
        if self.twins is not None:
            self.twins.follow(call.function, call.name, call.args, call.kwargs, result)
        for one in results or [call.args[0]]:
            value = self._value(one)
            bad = nonfinite(self._torch, value)
            source = self._source(call, value, bad, before or []) if bad else None
            self._made.mark(value, self._places, _first_made(source, before or []))
            if bad is None:
                self._measure(value)
            self._remember(one, value, source)
            if source is not None and value.numel() == 1 and value.grad_fn is not None:
                self.last_scalar = source

    def _source(self, call: Call, value: torch.Tensor, bad: str, before: list[Any]) -> Source:
        """Of the non-finite values in a result: that of an operand, or this operation."""
        came_in: list[Source] = [source for _, source in before if source is not None]
        for source in came_in:
            if source.what != "meant":
                return source
        outside = call.name in MADE_OUTSIDE
        if call.name in UNWRITTEN or (bad == "inf" and (came_in or outside or call.has_infinity())):
            return Source("meant", bad)
        if outside:
            return Source("outside", bad, place=self._places.here(), dtype=_short(value.dtype))
        kind = self._torch.Tensor
        args, kwargs = (with_tensors(kind, one, self._value) for one in (call.args, call.kwargs))
        return Source(
            "operation",
            bad,
            name=call.name,
            place=self._places.here(),
            node=value.grad_fn.name() if value.grad_fn is not None else "",
            operands=[statistics(self._torch, self._value(one)) for one, _ in before],
            dtype=_short(value.dtype),
            fully_masked=fully_masked(call.function, call.name, args, kwargs) if bad == "nan" else None,
            of_nothing=averages_nothing(self._torch, call.name, args) if bad == "nan" else None,
        )

    def _value(self, tensor: torch.Tensor) -> torch.Tensor:
        """What is looked at: the twin where there is one."""
        return self.twins.of(tensor) if self.twins is not None else tensor

    def _leaf(self, tensor: torch.Tensor, value: torch.Tensor) -> Source | None:
        """The source of non-finite values in a tensor that no operation of this step made."""
        bad = nonfinite(self._torch, value)
        if bad is None:
            return None
        what, name = self._names.get(id(tensor), ("outside", ""))
        if what == "outside" and bad == "inf":
            what = "meant"  # a mask that was made before
        return Source(what, bad, name=name, place=self._places.here(), dtype=_short(value.dtype))

    def _remember(self, tensor: torch.Tensor, value: torch.Tensor, source: Source | None) -> Source | None:
        self._sources[tensor] = (_version(value), source)
        return source

    def _measure(self, value: torch.Tensor) -> None:
        if value.is_floating_point() and value.grad_fn is not None:
            size = largest(self._torch, value)
            if size > self.max_abs:
                self.max_abs = size
                self.max_place = self._made.last


def _first_made(source: Source | None, before: list[Any]) -> Source | None:
    """The operation that made NaN, of the sources of a result and of its operands."""
    sources = [source, *(one for _, one in before)]
    return next((one for one in sources if one and one.what == "operation" and one.value == "nan"), None)


def _version(tensor: torch.Tensor) -> int:
    """How often it was written into; inference tensors do not count."""
    return -1 if tensor.is_inference() else tensor._version


def _short(dtype: Any) -> str:
    return str(dtype).replace("torch.", "")
