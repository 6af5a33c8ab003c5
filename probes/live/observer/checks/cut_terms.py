"""A term of the loss that has no graph: what it was computed from was cut, so that it is a number and teaches nothing."""

from __future__ import annotations

import math
import weakref
from typing import TYPE_CHECKING, Any, NamedTuple

from ..graphs import grad_fn_of
from ..look.values import readable, tensors_in
from ..operations import Call
from .check import Check
from .functions import COUNTED, CUTS, DECISIONS, GRADIENT, HANDED_ON, JOINS, LAYERS, MAKES, SUMS
from .summed import nodes_of, parts_of

if TYPE_CHECKING:
    import torch

MOST = 256
"""Tensors that are followed, and numbers with a graph that are kept."""

NEAR = 1e-3
"""How near two numbers, relative to the larger, are the same one computed twice, also in half precision."""


class _Cut(NamedTuple):
    """The line at which a tensor was cut from its graph, and what is known of it.

    where     the line
    source    the sequence number of the node that had made it, None where it has become something else since
    number    the first single number that was computed from it, once there is one
    aside     whether the model gave it without gradients, beside its training
    """

    where: str
    source: int | None
    number: Any = None
    aside: bool = False


class CutTerms(Check):
    """Follows what is cut from its graph up to where it is added to a term that has one, and on to the loss.

    What decides (the likeliest class, a mask above a threshold) cuts as well. Constants come from no graph. A number
    that was cut itself (`x - x.detach()`, a weight, a running mean) is meant so, as is a target, since what is computed
    from it and from a prediction has a graph again. What is subtracted may be a baseline.

    A loss may compare two tensors in both ways, each time with the other one cut (z with its code in a codebook, a
    posterior with its prior). Where no gradient moves one of them (a codebook that is a running mean, a fixed prior)
    one of these terms has no graph, and the other gives the same number with one. So a term whose number is computed
    with a graph as well is not told, even where it was doubled by mistake.
    """

    name = "cut terms"
    early = 2
    functions = (*CUTS, *DECISIONS, *COUNTED, *LAYERS, *HANDED_ON, *SUMS, GRADIENT)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._cut: dict[int, tuple[weakref.ref[Any], _Cut]] = {}
        self._added: dict[Any, _Cut] = {}
        self._numbers: list[Any] = []
        """Those that were computed with a graph."""
        self._places: Any = None
        self._targets: set[str] = set()
        """Where the model gave, without gradients, what a prediction is compared with."""

    def look_began(self, step: int) -> None:
        """Nothing was cut yet."""
        self._cut, self._added, self._numbers, self._targets = {}, {}, [], set()

    def called(self, call: Call) -> None:
        """A tensor is cut, handed on, or added."""
        result, self._places = call.result, call.places
        if call.name == GRADIENT:
            self._gradients(call)
        if call.name in DECISIONS:
            self._decide(call)
            return
        if not isinstance(result, self.torch.Tensor):
            return
        if call.name in (*SUMS, *JOINS) and grad_fn_of(result) is not None:
            self._add(call)
        elif result.requires_grad:
            self._learns(call)
        elif len(self._cut) < MOST and not (result.is_floating_point() and self._cuts(call)):
            self._hand_on(call)

    def _learns(self, call: Call) -> None:
        """What has a graph: where it was computed from something aside, that was its target."""
        met = (self._cut_of(one) for one in _operands(self.torch, call) if one.numel() > 1)
        self._targets.update(cut.where for cut in met if cut is not None and cut.aside)
        if len(self._numbers) < MOST:
            self._numbers += self._number_in(call.result)

    def _cuts(self, call: Call) -> bool:
        """Whether this call cuts something from its graph, which is followed from then on."""
        with_grad = self.torch.is_grad_enabled()
        if call.name not in CUTS and with_grad:
            return False
        nodes = (grad_fn_of(one) for one in _operands(self.torch, call) if one.numel() > 1)
        node = next((one for one in nodes if one is not None), None)
        if node is None:
            return False
        source = node._sequence_nr() if call.name in CUTS and with_grad else None
        self._follow(call.result, _Cut(str(call.place()), source))
        return True

    def _decide(self, call: Call) -> None:
        """Classes or a mask of what has a graph: whatever is counted of them is a number."""
        decided = call.result[1] if isinstance(call.result, tuple) else call.result
        if (
            isinstance(decided, self.torch.Tensor)
            and not decided.is_floating_point()
            and len(self._cut) < MOST
        ):
            given = [one for one in _operands(self.torch, call) if one.numel() > 1]
            if any(grad_fn_of(one) is not None or self._cut_of(one) is not None for one in given):
                self._follow(decided, _Cut(str(call.place()), None))

    def _hand_on(self, call: Call) -> None:
        """What is computed of something that was cut is cut as well."""
        known = (self._cut_of(one) for one in _operands(self.torch, call)) if self._cut else ()
        cut = next((one for one in known if one is not None), None)
        if cut is not None:
            self._follow(call.result, cut._replace(source=None) if call.name in MAKES else cut)

    def _gradients(self, call: Call) -> None:
        """Of what has a graph, and without one: a penalty of them teaches nothing."""
        outputs = tensors_in(self.torch.Tensor, (call.args, call.kwargs))
        if any(grad_fn_of(one) is not None for one in outputs):
            for one in tensors_in(self.torch.Tensor, call.result):
                if grad_fn_of(one) is None and len(self._cut) < MOST:
                    self._follow(one, _Cut(str(call.place()), None))

    def computed_aside(self, output: Any) -> None:
        """Where it is a term, and no target, it teaches nothing."""
        if self._places is not None:
            for tensor in tensors_in(self.torch.Tensor, output):
                if tensor.is_floating_point() and not tensor.requires_grad and len(self._cut) < MOST:
                    self._follow(tensor, _Cut(str(self._places.here()), None, aside=True))

    def _follow(self, tensor: Any, cut: _Cut) -> None:
        """It is not kept alive: behind a checkpoint (torch.utils.checkpoint) that would be the memory it saves."""
        if cut.number is None:
            cut = cut._replace(number=next(iter(self._number_in(tensor)), None))
        self._cut[id(tensor)] = (weakref.ref(tensor), cut)

    def _number_in(self, tensor: Any) -> list[Any]:
        """A copy of the only number of a tensor; nothing where it has several, or may not be read."""
        if tensor.numel() != 1 or tensor.is_meta or not readable(self.torch, tensor):
            return []
        return [tensor.detach().clone()]

    def _cut_of(self, tensor: Any) -> _Cut | None:
        """How it was cut, if it is one of those that are followed, or a view of one."""
        for one in (tensor, tensor._base):
            known = self._cut.get(id(one))
            if known is not None and known[0]() is one:
                return known[1]
        return None

    def _add(self, call: Call) -> None:
        """One number that was cut, and one with a graph."""
        operands = _operands(self.torch, call)
        if self._cut and len(operands) > 1 and all(one.numel() == 1 for one in operands):
            for one in operands:
                cut = self._cut_of(one) if grad_fn_of(one) is None else None
                if cut is not None:
                    self._added[call.result.grad_fn] = cut

    def before_backward(self, loss: torch.Tensor) -> None:
        """Is it the loss that was added up?"""
        if not self._added:
            return
        cuts = [self._added[one] for one in parts_of(loss.grad_fn)[0] if one in self._added]
        within = {node._sequence_nr() for node in nodes_of(loss.grad_fn)} if cuts else set()
        cuts = [one for one in cuts if not one.aside or one.where not in self._targets]
        lost = [one.where for one in cuts if one.source not in within or not self._has_twin(one)]
        if lost:
            self.say("loss.term_lost", True)
            self.say("loss.term_lost_where", lost[0])

    def _has_twin(self, cut: _Cut) -> bool:
        """Whether the same number was computed with a graph as well, or may have been."""
        number = math.nan if cut.number is None else float(cut.number)
        if not math.isfinite(number) or len(self._numbers) >= MOST:
            return True
        return any(math.isclose(number, float(one), rel_tol=NEAR) for one in self._numbers)

    def look_ended(self, step: int) -> None:
        """Nothing is followed any more."""
        self._cut, self._added, self._numbers, self._targets = {}, {}, [], set()


def _operands(torch: Any, call: Call) -> list[Any]:
    return list(tensors_in(torch.Tensor, call.args))
