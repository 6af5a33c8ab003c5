"""Axes of what the network computes, or is given, that were to change places, and were only given other sizes."""

from __future__ import annotations

from typing import Any

from ..graphs import was_computed
from ..look.values import tensors_in
from ..operations import Call
from .check import Check
from .recurrent import RECURRENT
from .tensors import readable

RESHAPES = ("view", "reshape", "flatten")
LOSSES = ("cross_entropy", "nll_loss")
PASSING = (
    "float",
    "to",
    "contiguous",
    "clone",
    "log_softmax",
    "softmax",
    "div",
    "mul",
    "dropout",
    "linear",
    "relu",
)
"""What leaves each row where it stands."""

Shape = tuple[int, ...]


class MovedAxes(Check):
    """Looks for views that put an axis elsewhere: a view cuts the same row of numbers at other places, and moves nothing.

    Said where the sizes leave no other reading: scores of (samples, places, classes) made (samples, classes, places), heads of
    attention split off or joined without `transpose`, the last states of several layers laid side by side. Scores and labels that
    are laid in rows, one of them sample by sample and the other place by place, do not belong together either.
    """

    name = "moved axes"
    early = 2
    functions = (*RESHAPES, *PASSING, *RECURRENT, *LOSSES)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._rows: dict[int, tuple[Any, Shape]] = {}
        """What was laid in rows, with its first two sizes before."""
        self._classes: dict[int, tuple[Any, Shape]] = {}
        """What was laid in rows along its second axis, with its shape before."""
        self._states: list[Any] = []

    def look_began(self, step: int) -> None:
        """Nothing was laid out yet."""
        self._rows, self._classes, self._states = {}, {}, []

    look_ended = look_began

    def called(self, call: Call) -> None:
        """Something is given another shape, goes on as it is, or reaches a loss."""
        if call.name in RECURRENT:
            self._states += tensors_in(self.torch.Tensor, (call.result,))
        elif call.name in LOSSES:
            self._judge(call)
        elif readable(self.torch, call.args[0] if call.args else None):
            given, result = call.args[0], call.result
            if not isinstance(result, self.torch.Tensor):
                return
            if call.name in RESHAPES:
                self._reshaped(call, given, result)
            else:
                for known in (self._rows, self._classes):
                    if id(given) in known and result.shape[:1] == given.shape[:1]:
                        known[id(result)] = (result, known[id(given)][1])

    def _reshaped(self, call: Call, given: Any, result: Any) -> None:
        before, after = tuple(given.shape), tuple(result.shape)
        floating = given.is_floating_point()
        if len(before) == 3 and floating and len(after) == 2 and after[1] == before[2]:
            self._rows[id(result)] = (result, before[:2])
        elif len(before) == 2 and not floating and len(after) == 1:
            self._rows[id(result)] = (result, before)
        elif len(before) > 2 and len(after) == 2 and after[1] == before[1] != before[2] > 1:
            self._classes[id(result)] = (result, before)
        if not floating:
            return
        state = any(one is given for one in self._states)
        if not moved(before, after) and not (state and rows_mixed(before, after)):
            return
        # Data may lie in memory otherwise than their shape says. What a network is given is in its right shape by then.
        computed = was_computed(given)
        if computed or call.place().modules:
            self.say("model.axes_moved_by_view", True, call, note=f"{before} to {after}")
        if computed:
            self.say("model.computed_axes_moved_by_view", True, call)

    def _judge(self, call: Call) -> None:
        """A loss compares rows of scores with a row of labels."""
        scores, labels = call.argument(0, "input"), call.argument(1, "target")
        if id(scores) in self._classes:
            _, before = self._classes[id(scores)]
            self.say("model.axes_moved_by_view", True, call, note=f"{before} to {tuple(scores.shape)}")
        (_, rows), (_, places) = (self._rows.get(id(one), (None, ())) for one in (scores, labels))
        if rows and places:
            self.say("data.labels.in_other_order", rows != places and rows == places[::-1], call)


def moved(before: Shape, after: Shape) -> bool:
    """Whether an axis that both shapes have stands elsewhere, where samples come first and nothing else explains the sizes."""
    if len(before) < 3 or (before[0] != after[0] and len(before) != len(after)):
        return False
    if len(before) == len(after):
        wide = [[size for size in sizes if size > 1] for sizes in (before, after)]
        return wide[0] != wide[1] and sorted(wide[0]) == sorted(wide[1])
    if (
        len(before) == 3 and len(after) == 4
    ):  # (samples, places, width) to (samples, heads, places, part of the width)
        _, places, width = before
        _, heads, others, part = after
        return 1 < heads != places == others > 1 and heads * part == width
    if len(before) == 4 and len(after) == 3:  # and back
        _, heads, places, part = before
        return 1 < heads != places > 1 and after[1:] == (places, heads * part) and heads % places > 0
    return False


def rows_mixed(before: Shape, after: Shape) -> bool:
    """Whether rows of a layer's last states, of shape (layers, samples, width), are cut as if the samples came first."""
    return len(before) == 3 and len(after) in (2, 3) and after[0] == before[1] != before[0] > 1
