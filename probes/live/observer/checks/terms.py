"""A term of the loss that trains nothing: what it judges was cut from the network whose optimizer steps."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from ..graphs import grad_fn_of, leaves_of, nodes_below
from ..look.values import tensors_in
from ..model import held
from ..operations import Call
from .check import Check
from .cuts import LAYERS
from .holders import tensors_of_script
from .summed import NODES, nodes_of, terms_of
from .tensors import readable

if TYPE_CHECKING:
    import torch

CUTS = ("detach", "__get__", "clone", "requires_grad_")
"""What gives a tensor without a graph from one with it, and what keeps it so."""

JOINS = ("cat", "stack", "concat", "hstack", "reshape", "view", "flatten", "unsqueeze", "squeeze", "permute",
         "transpose", "interpolate", "normalize", "to", "float", "contiguous", "__getitem__")  # fmt: skip
"""What hands such a tensor on."""

MOST, WALKED, SAMPLES = 64, 20_000, 3
"""Cut tensors that are followed, nodes that are visited to learn what is behind them, and gradients of an optimizer."""


class _Term:
    """One term of a loss: the parameters that it reaches, and those that it would reach but for a cut."""

    def __init__(self, reached: set[int], cut: set[int], where: str) -> None:
        self.reached = reached
        self.cut = cut
        self.where = where


class Terms(Check):
    """Follows, through one round, which optimizer uses the gradients of which term.

    A term is lost where it was computed from what the network of the stepping optimizer made, but beyond a cut, and
    where whoever holds the parameters that it does reach clears these gradients before it steps. With two optimizers
    that both step after one backward pass, and for what a network is to learn from another as it is, nothing is lost.
    A round has no beginning: what comes after the last step of the look is what came before the first.
    """

    name = "terms"
    functions = (*LAYERS, *CUTS, *JOINS)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._lost = False
        self._begin()

    def _begin(self) -> None:
        self._cut: dict[int, tuple[weakref.ref[Any], set[int], str]] = {}
        self._left = WALKED
        self._fed: dict[Any, tuple[set[int], str]] = {}
        self._events: list[tuple[str, Any]] = []
        self._dirty: dict[int, list[Any]] = {}

    def applies(self) -> bool:
        """One optimizer alone uses every gradient that it finds."""
        return len(self.watcher.models) > 1

    def look_began(self, step: int) -> None:
        """What is still there is of the last round, or of the part of this one that is over: a sample may be cut already."""
        self._begin()
        self._take()
        for one in tensors_of_script(self.torch):
            if self._is_full():
                return
            node = grad_fn_of(one)
            if node is not None and one.numel() > 1 and readable(self.torch, one):
                self._remember(one, self._leaves(node), "")

    def called(self, call: Call) -> None:
        """A tensor is cut off, handed on, or given to a layer."""
        first: Any = call.args[0] if call.args else None
        node = grad_fn_of(first) if isinstance(first, self.torch.Tensor) else None
        if call.name in CUTS and node is not None:
            result = call.result
            if not self._is_full() and readable(self.torch, result) and not result.requires_grad:
                self._remember(result, self._leaves(node), str(call.place()))
        elif self._cut:
            for one in tensors_in(self.torch.Tensor, call.args):
                known = self._known(one) if readable(self.torch, one) and grad_fn_of(one) is None else None
                if known is not None:
                    self._hand_on(call, known[1], known[2] or str(call.place()))
                    return

    def _hand_on(self, call: Call, parameters: set[int], where: str) -> None:
        for result in tensors_in(self.torch.Tensor, call.result):
            node = grad_fn_of(result)
            if node is not None:
                self._fed.setdefault(node, (parameters, where))
            elif readable(self.torch, result):
                self._remember(result, parameters, where)

    def _remember(self, tensor: Any, parameters: set[int], where: str) -> None:
        """By its memory, which is another's once the tensor is gone: it is not kept alive."""
        if parameters and tensor.numel() > 1 and self._known(tensor) is None and len(self._cut) < MOST:
            self._cut[tensor.data_ptr()] = (weakref.ref(tensor), parameters, where)

    def _known(self, tensor: Any) -> tuple[Any, set[int], str] | None:
        """What stands in the same memory, if it is one of those that are followed."""
        known = self._cut.get(tensor.data_ptr())
        return known if known is not None and known[0]() is not None else None

    def _is_full(self) -> bool:
        """Whether nothing more can be followed in this look."""
        return len(self._cut) >= MOST or self._left <= 0

    def before_backward(self, loss: torch.Tensor) -> None:
        """What has become of the last gradients, and what terms this loss has."""
        self._see_cleared()
        if self._fed:
            self._events.append(("terms", [self._term(node) for node in terms_of(loss.grad_fn)]))

    def before_step(self, optimizer: torch.optim.Optimizer) -> None:
        """The gradients of the backward passes before it are used."""
        self._see_cleared()
        self._events.append(("step", {id(one) for one in held(optimizer)}))

    def after_backward(self, loss: torch.Tensor) -> None:
        """There are new gradients."""
        self._take()

    def look_ended(self, step: int) -> None:
        """Who has used what?"""
        self._see_cleared()
        for place, (kind, terms) in enumerate(self._events):
            if kind == "terms":
                self._judge(terms, [*self._events[place + 1 :], *self._events[:place]])
        self._begin()

    def _judge(self, terms: list[_Term], later: list[tuple[str, Any]]) -> None:
        """`later`: what happens up to the same place of the next round."""
        stepping: set[int] = next((holds for kind, holds in later if kind == "step"), set())
        own = [one for one in terms if one.reached & stepping]
        lost = [
            one
            for one in terms
            if one.cut & stepping and not one.reached & stepping and not _used(one.reached, later)
        ]
        if own and not self._lost:
            self._lost = bool(lost)
            self.say("loss.term_lost", self._lost)
            for one in lost[:1]:
                self.say("loss.term_lost_where", one.where)

    def _take(self) -> None:
        """A few gradients of each optimizer that are not zero."""
        for key, model in self.watcher.models.items():
            filled: list[Any] = [one for one in held(model.optimizer) if readable(self.torch, one.grad)]
            smallest = sorted(filled[:64], key=lambda one: one.numel())[: 2 * SAMPLES]
            self._dirty[key] = [one for one in smallest if bool(one.grad.any())][:SAMPLES]

    def _see_cleared(self) -> None:
        for key, parameters in list(self._dirty.items()):
            model = self.watcher.models.get(key)
            if (
                parameters
                and model
                and all(one.grad is None or not bool(one.grad.any()) for one in parameters)
            ):
                self._events.append(("clear", {id(one) for one in held(model.optimizer)}))
                self._dirty[key] = []

    def _term(self, node: Any) -> _Term:
        """What one term leads to."""
        cut: set[int] = set()
        where = ""
        nodes = nodes_of(node)
        reached = {id(one) for one in leaves_of(nodes)}
        for one in nodes:
            if one in self._fed and len(nodes) < NODES:  # else it may reach more than was followed
                parameters, where = self._fed[one]
                cut |= parameters
        return _Term(reached, cut, where)

    def _leaves(self, node: Any) -> set[int]:
        nodes = nodes_below(node, min(self._left, NODES))
        self._left -= len(nodes)
        return {id(one) for one in leaves_of(nodes)}


def _used(reached: set[int], later: list[tuple[str, Any]]) -> bool:
    """Whether an optimizer steps with these gradients before they are cleared."""
    left = set(reached)
    for kind, holds in later:
        if kind == "clear":
            left -= holds
        elif kind == "step" and left & holds:
            return True
    return False
