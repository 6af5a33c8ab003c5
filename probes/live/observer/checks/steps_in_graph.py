"""Parameters that the loss sees through nothing but a step function, whose derivative is zero."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..graphs import grad_fn_of, leaves_of, nodes_below
from ..look.places import Place
from ..model import held
from ..operations import Call
from .check import Check

if TYPE_CHECKING:
    import torch

STEPS = (
    "round",
    "round_",
    "floor",
    "floor_",
    "ceil",
    "ceil_",
    "trunc",
    "trunc_",
    "fix",
    "sign",
    "sign_",
    "sgn",
)
"""Functions that are flat between their steps, as torch names them; `sgn` is that of complex numbers, too."""

NODES_OF_STEPS = tuple(f"{one}Backward" for one in ("Round", "Floor", "Ceil", "Trunc", "Sign"))

NODES = 5000
"""Nodes of a graph that are walked. Of a larger one nothing is said, for the rest may hold another way."""

NAMES = 3
"""Parameters that are named."""


class StepsInGraph(Check):
    """Walks the graph of each loss twice: past the step functions, and below them.

    What is reached only below them gets a gradient that is exactly zero: weights that are rounded for a network of few bits, a code
    that is made binary. A straight-through estimator adds the difference as a constant, or has a derivative of its own, so that its
    graph has no such node. One loss of several may see parameters that way which another sees directly: a look counts as a whole,
    and two looks must agree.
    """

    name = "steps in graph"
    early = 2
    functions = STEPS

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._before: set[int] = set()
        self._direct: set[int] = set()
        self._begin()

    def _begin(self) -> None:
        self._behind: dict[int, str] = {}
        self._place: Place | None = None
        self._whole = True

    def look_began(self, step: int) -> None:
        """No loss was seen yet."""
        self._begin()

    def called(self, call: Call) -> None:
        """A step function on something that learns."""
        if self._place is None and grad_fn_of(call.result) is not None:
            self._place = call.place()

    def before_backward(self, loss: torch.Tensor) -> None:
        """Which parameters does it reach, and how?"""
        last = grad_fn_of(loss)
        nodes = nodes_below(last, NODES, lambda node: not _is_step(node))
        steps = [one for one in nodes if _is_step(one)]
        self._whole &= len(nodes) < NODES
        self._direct.update(map(id, leaves_of(nodes)))
        for step in steps:
            for one in leaves_of(nodes_below(step, NODES)):
                self._behind.setdefault(id(one), _plain(step))

    def before_step(self, optimizer: torch.optim.Optimizer) -> None:
        """Say which of its parameters are behind a step alone, for the second time."""
        if not self._whole or not self._behind:
            return
        model = self.watcher.models.get(id(optimizer))
        flat = [one for one in held(optimizer) if id(one) in self._behind and one.numel() > 1]
        flat = [one for one in flat if id(one) not in self._direct]
        again = [one for one in flat if id(one) in self._before]
        self._before.update(map(id, flat))
        if again and model is not None:
            names = ", ".join(model.name_of(one) for one in again[:NAMES])
            note = f"{len(again)} of {len(held(optimizer))} parameters"
            self.say("grad.step_function", self._behind[id(again[0])], note=note, place=self._place)
            self.say("grad.step_function_names", names)


def _is_step(node: Any) -> bool:
    """Whether it is one of torch: a function of the script's own may be called `Round` as well, and has the derivative it was given."""
    return (
        node is not None
        and node.name().startswith(NODES_OF_STEPS)
        and not hasattr(type(node), "save_for_backward")
    )


def _plain(node: Any) -> str:
    """`round` of RoundBackward0."""
    return str(node.name().split("Backward")[0].lower())
