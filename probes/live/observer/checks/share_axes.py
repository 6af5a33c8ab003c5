"""Shares that a softmax takes along one axis, and targets that are shares along another."""

from __future__ import annotations

import math
import re
from typing import Any, NamedTuple

from ..graphs import grad_fn_of
from ..look.places import Place
from ..operations import Call
from .check import Check
from .tensors import PASSED, VALUES, readable

SOFTMAX = ("softmax", "log_softmax")
TIMES = ("mul", "__mul__", "__rmul__")
OTHERS = ("cross_entropy",)

MOST = 24
"""Softmaxes of one look beyond which nothing is said."""

FEWEST = 8
"""Sums of one that may come about by chance."""

NEAR = 1e-3

VALUE_BY_VALUE = re.compile(
    r"((Unsafe)?View|Reshape\w*|Clone|ToCopy|Log|Clamp(Min)?|Neg|Add|Sub|Mul)Backward\d"
)
"""Nodes after which each value still stands where the share stood that it was made of."""

TURNED = re.compile(r"(Permute|Transpose|T)Backward\d")
"""Nodes after which the axes stand in another order, and the values along each are the same."""

FAR = 6
"""How many of these are followed."""


class _Shares(NamedTuple):
    """What is known of one softmax. Its tensors are let go of, for those of attention are large."""

    scores: Any
    node: Any
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    axis: int


class ShareAxes(Check):
    """Looks at losses written by hand: a softmax that is multiplied by its targets, value by value.

    One-hot labels, and soft ones as well, sum to 1 over the classes. Where they do so along another axis than that of the
    softmax, it runs over the samples or the places of a picture. A table of similarities is normalised along both of its
    sides, one after the other, and a square table is its own other side: these are left alone.
    """

    name = "share axes"
    early = 3
    functions = (*SOFTMAX, *TIMES, *OTHERS, "nll_loss")

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._shares: list[_Shares] = []
        self._scores: list[Any] = []
        """The nodes of all scores that were normalised."""
        self._crossed: list[tuple[_Shares, Place]] = []

    def look_began(self, step: int) -> None:
        """No softmax yet."""
        self._shares, self._scores, self._crossed = [], [], []

    def look_ended(self, step: int) -> None:
        """Now it is known whether the same scores were normalised along another axis too."""
        for one, place in self._crossed if len(self._scores) <= MOST else ():
            if sum(one.scores is other for other in self._scores) == 1:
                name = "loss.softmax_over_batch" if one.axis == 0 else "loss.softmax_over_places"
                self.say(name, True, place=place, note=f"over axis {one.axis} of {one.shape}")
        self.look_began(step)

    def called(self, call: Call) -> None:
        """A softmax, or what may be its product with the targets."""
        if not self.torch.is_grad_enabled() or len(self._scores) > MOST:
            return
        if call.name in TIMES:
            self._multiplied(call)
        elif call.name == "nll_loss":
            self._likelihood(call)
        elif readable(self.torch, scores := call.argument(0, "input")) and scores.requires_grad:
            made = _before_moves(grad_fn_of(scores))
            self._scores.append(made)
            axis, result = call.argument(1, "dim"), call.result
            if call.name in SOFTMAX and isinstance(axis, int) and scores.dim() > 1:
                shape, strides = tuple(result.shape), tuple(result.stride())
                self._shares.append(_Shares(made, grad_fn_of(result), shape, strides, axis % len(shape)))

    def _multiplied(self, call: Call) -> None:
        if not self._shares or len(call.args) < 2:
            return
        for values, targets in (call.args[:2], call.args[1::-1]):
            one = self._made(values)
            if one is None or not readable(self.torch, targets) or targets.requires_grad:
                continue
            if self._is_crossed(one, values, targets):
                self._crossed.append((one, call.place()))

    def _likelihood(self, call: Call) -> None:
        """What takes log-probabilities takes the second axis for that of the classes: of rows, the last of what they were cut from."""
        given = call.argument(0, "input")
        one = self._made(given, turned=readable(self.torch, given) and given.dim() > 2)
        if one is None or one.shape[one.axis] < 2:
            return
        if given.dim() < 3:
            rows = given.dim() == 2 < len(one.shape) and given.shape[1] == one.shape[-1]
            crossed = rows and one.axis != len(one.shape) - 1
        elif tuple(given.shape) == one.shape and tuple(given.stride()) == one.strides:
            crossed = one.axis != 1
        else:
            # Turned round, an axis is known by its size alone.
            crossed = sorted(given.shape) == sorted(one.shape) and given.shape[1] != one.shape[one.axis]
        if crossed:
            self._crossed.append((one, call.place()))

    def _made(self, values: Any, turned: bool = False) -> _Shares | None:
        """The softmax whose result this is, or its logarithm, under whatever sizes, and with its axes turned."""
        if not readable(self.torch, values) or not values.requires_grad:
            return None
        node: Any = grad_fn_of(values)
        for _ in range(FAR):
            known = [one for one in self._shares if one.node is node]
            passed = node is not None and (
                VALUE_BY_VALUE.match(node.name()) or (turned and TURNED.match(node.name()))
            )
            if known or not passed:
                return next((one for one in known if math.prod(one.shape) == values.numel()), None)
            parents = [parent for parent, _ in node.next_functions if parent is not None]
            node = parents[0] if len(parents) == 1 else None
        return None

    def _is_crossed(self, one: _Shares, values: Any, targets: Any) -> bool:
        """Whether targets are shares along another axis than the softmax, and not along its own."""
        shape = one.shape
        if targets.shape != values.shape or targets.numel() > VALUES:
            return False
        if shape[one.axis] < 2 or (len(shape) == 2 and shape[0] == shape[1]):
            return False
        shares = targets.detach().reshape(shape).float()
        if bool((shares < 0).any()) or self._sum_to_one(shares, one.axis):
            return False
        others = [axis for axis in range(shares.dim()) if axis != one.axis and shape[axis] > 1]
        return any(self._sum_to_one(shares, axis) for axis in others)

    def _sum_to_one(self, shares: Any, axis: int) -> bool:
        sums = shares.sum(axis)
        return sums.numel() >= FEWEST and bool(((sums - 1).abs() < NEAR).all())


def _before_moves(node: Any) -> Any:
    """The node that made what was only moved since: a table and its other side have the same."""
    while node is not None and PASSED.fullmatch(re.sub(r"Backward\d*$", "", node.name())):
        parents = [parent for parent, _ in node.next_functions if parent is not None]
        if len(parents) != 1:
            break
        node = parents[0]
    return node
