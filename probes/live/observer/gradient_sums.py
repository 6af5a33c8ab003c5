"""How large the gradient of each parameter of one optimizer has been, over the steps that were looked at."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING

from .checks.tensors import readable
from .model import held

if TYPE_CHECKING:
    import torch

    from .model import ModelSeen


MOST = 40
"""Steps in a row that are kept."""
TURNS = {2: 2, 3: 3, 4: 3}
"""How many steps it may take until each part of a model was trained, and on how many of these a gradient has to be missing."""


class GradientSums:
    """The sum of each parameter's gradient norms, and who has had none."""

    def __init__(self, model: ModelSeen, torch: ModuleType) -> None:
        self.model = model
        self._torch = torch
        self.steps = self.due = 0
        """Steps that were looked at, and the step from which on the next one is."""
        self.asked: set[int] = set()
        """Those that were to train in a step that was looked at: some are thawed, or added, in the course of a run."""
        self.sums: dict[int, float] = {}
        self.zeros: dict[int, list[int]] = {}
        """Those of the steps looked at, in a row up to the last one, in which a gradient was exactly 0."""
        self.without = 0
        """Steps without any gradient since the last one with."""

    def take_in(self, step: int, parameters: list[torch.Tensor], norms: list[float]) -> None:
        """Add one step: the parameters that have a gradient, and its norms."""
        self.steps += 1
        self.without = 0 if parameters else self.without + 1
        self.asked.update(map(id, self.trained()))
        for one, norm in zip(parameters, norms):
            self.sums[id(one)] = self.sums.get(id(one), 0.0) + norm
            self.zeros[id(one)] = [*self.zeros.get(id(one), ())[-MOST:], step] if norm == 0.0 else []

    def trained(self) -> list[torch.Tensor]:
        """What the optimizer holds and may change."""
        return [one for one in held(self.model.optimizer) if one.requires_grad]

    def missing(self) -> list[str]:
        """The names of those that never had a gradient."""
        silent = self.asked - self.sums.keys()
        return [self.model.name_of(one) for one in self.trained() if id(one) in silent]

    def zero(self) -> list[str]:
        """The names of those whose gradient was always 0."""
        return [self.model.name_of(one) for one in self.silent()]

    def silent(self) -> list[torch.Tensor]:
        """Those whose gradient was 0 in every step that was looked at. Of what is spread over ranks a part may well be 0."""
        zero = [one for one in self.trained() if self.sums.get(id(one)) == 0.0]
        return [one for one in zero if readable(self._torch, one)]

    def died(self, steps: int) -> list[str]:
        """The names of those that had a gradient once, and one of exactly 0 in so many steps in a row up to the last.

        Parts that are trained in turns have none in every second step, or in two of four: where the steps looked at
        fall on the same turns, nothing is known.
        """
        zero = [
            one
            for one in self.trained()
            if len(found := self.zeros.get(id(one), [])) >= steps and _falls_on_every_turn(found)
        ]
        return [
            self.model.name_of(one)
            for one in zero
            if self.sums.get(id(one), 0.0) > 0.0 and readable(self._torch, one)
        ]

    def first_to_last(self) -> float | None:
        """The typical gradient of the first fifth of the weights over that of the last, in the order of the modules.

        Weights are what has two dimensions or more; embeddings, whose rows are seldom met, and weights that get no
        gradient at all are left out.
        """
        held_here = {id(one) for one in self.trained()}
        sizes = [
            self.sums[id(one)] / one.numel() ** 0.5
            for name, one in self.model.parameters()
            if id(one) in held_here and id(one) in self.sums and one.dim() > 1 and "emb" not in name.lower()
        ]
        if len(sizes) < 4 or not all(size < float("inf") for size in sizes):
            return None
        end = max(1, len(sizes) // 5)
        first, last = sorted(sizes[:end])[end // 2], sorted(sizes[-end:])[end // 2]
        return first / last if last > 0.0 else None


def _falls_on_every_turn(steps: list[int]) -> bool:
    """Whether steps are spread over the turns of a loop that trains several parts one after the other."""
    return all(len({step % turns for step in steps}) >= enough for turns, enough in TURNS.items())
