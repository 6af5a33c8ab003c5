"""What is real beside what imitates it: a discriminator that tells the two by their range alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..graphs import grad_fn_of, leaves_of, nodes_below
from ..look.values import tensors_in
from .check import Check
from .regression import OUTSIDE, RANGES
from .tensors import ACTIVATIONS, readable

if TYPE_CHECKING:
    import torch

PASSED = re.compile(r"(Unsafe)?View|Reshape\w*|Squeeze|Unsqueeze|Permute|Transpose|T|ToCopy|Clone|Alias")
"""Nodes that move values and put nothing beside them."""

NODES, LONGEST, VALUES, PLACES = 2000, 8, 100_000, 32
"""Nodes of a graph that are visited, how many lie behind an activation, values that are read, inputs that are followed."""

SLACK = 0.25
"""How far beyond a range a value must lie, in units of its spread: noise may be added to pictures."""

TIMES = 2
"""Calls with values beyond the range, before it is said."""

Key = tuple[int, int, tuple[int, ...]]


class Rivals(Check):
    """Compares what a trained network is given from another trained one with what it is given as data, in the same place.

    A sigmoid gives 0 to 1. Where real pictures reach from -1 to 1, the discriminator knows each of the others at a glance, and the
    generator learns nothing of what they show. So does a critic whose stored actions lie beyond the tanh of the actor.
    """

    name = "rivals"
    early = 4

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._made: dict[Key, str] = {}
        self._given: dict[Key, Counter[str]] = {}

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """What of this is bounded by an activation of another network, and what lies beyond which bounds?"""
        for place, one in enumerate(tensors_in(self.torch.Tensor, (args, kwargs))):
            key = (id(root), place, tuple(one.shape[1:]))
            if one.dim() < 2 or not one.is_floating_point() or not readable(self.torch, one):
                continue
            if grad_fn_of(one) is not None:
                last = self._bound_by_another(root, one) if key not in self._made else None
                if last is not None and len(self._made) < PLACES:
                    self._made[key] = last
            elif not one.requires_grad and (key in self._given or len(self._given) < PLACES):
                self._given.setdefault(key, Counter()).update(["calls", *self._beyond(one)])

    def look_ended(self, step: int) -> None:
        """Compare them."""
        for key, last in self._made.items():
            given = self._given.get(key, Counter())
            if given[last] >= TIMES:
                self.say("data.real_out_of_reach", True, note=last)
            elif given["calls"] >= TIMES and not given[last]:
                self.say("data.real_out_of_reach", False)

    def _bound_by_another(self, root: torch.nn.Module, made: torch.Tensor) -> str | None:
        """The activation that ends its graph, where nothing of this network stands in that graph."""
        node: Any = grad_fn_of(made)
        for _ in range(LONGEST):
            name = re.sub(r"Backward\d*$", "", node.name()) if node is not None else ""
            if ACTIVATIONS.get(name) in RANGES:
                leaves = {id(leaf) for leaf in leaves_of(nodes_below(node, NODES))}
                own = {id(parameter) for parameter in root.parameters()}
                return ACTIVATIONS[name] if leaves and not leaves & own else None
            if node is None or not PASSED.fullmatch(name):
                return None
            node = next((parent for parent, _ in node.next_functions if parent is not None), None)
        return None

    def _beyond(self, given: torch.Tensor) -> Iterator[str]:
        """The activations whose range does not hold these values."""
        flat = given.detach().reshape(-1)
        values = flat[:: max(1, len(flat) // VALUES)].float()
        slack = SLACK * float(values.std()) if len(values) > 1 else 0.0
        for last, (low, high) in RANGES.items():
            beyond = (values < low - slack) | (values > high + slack)
            if float(beyond.float().mean()) > OUTSIDE:
                yield last
