"""Layers that are handed nothing but zeros by what is trained in front of them."""

from __future__ import annotations

from typing import Any

from ..operations import Call
from .check import Check
from .tensors import readable

FIRST = 10
"""The step from which on it counts: branches that start at zero have moved by then."""

LOOKS = 2
"""Looks in which a layer was given nothing else."""

SAMPLES = 32
"""Rows that it was given in them."""


class Silenced(Check):
    """Finds a layer whose input was computed with gradients and is zero for every sample, in every call of several looks.

    Units may be cut off by any operation: a threshold, a product with a mask, a function of the script's own. What they all show is
    a next layer that is left with its bias. A state that begins at zero is not all that a layer is given, and has no graph.
    """

    name = "silenced"
    functions = ("linear", "conv1d", "conv2d", "conv3d")

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._step = 0
        self._alive: dict[str, Any] = {}
        """By the layer, in the order of their calls: whether this look has seen anything but zeros, and how many rows."""
        self._place: dict[str, tuple[Any, str]] = {}
        self._rows: dict[str, int] = {}
        self._silent: dict[str, int] = {}

    def look_began(self, step: int) -> None:
        """Nothing was given yet."""
        self._step = step
        self._alive.clear()

    def called(self, call: Call) -> None:
        """A layer returned."""
        given = call.argument(0, "input")
        if not readable(self.torch, given) or given.grad_fn is None or not self.torch.is_grad_enabled():
            return
        place = call.place()
        title = place.module or str(place)
        any_there = given.detach().any()
        self._alive[title] = self._alive[title] | any_there if title in self._alive else any_there
        self._rows[title] = self._rows.get(title, 0) + (
            given.numel() // given.shape[-1] if call.name == "linear" else len(given)
        )
        self._place[title] = (place, given.grad_fn.name())

    def look_ended(self, step: int) -> None:
        """In which looks was each silent?"""
        if self._step < FIRST or self.cut_short:
            return
        for title, alive in self._alive.items():
            self._silent[title] = 0 if bool(alive) else self._silent.get(title, 0) + 1
        found = [
            title for title, times in self._silent.items() if times >= LOOKS and self._rows[title] >= SAMPLES
        ]
        if found:
            place, made = self._place[found[0]]
            self.say("act.zero_input", True, place=place, note=f"zeros come out of {made}")
            self.say("act.zero_input_module", found[0])
        else:
            self.retract(
                *(name for name in ("act.zero_input", "act.zero_input_module") if name in self._said)
            )
