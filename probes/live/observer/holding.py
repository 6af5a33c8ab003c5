"""Compares what the optimizers hold with what the loss was computed from."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Mapping
from itertools import groupby
from typing import TYPE_CHECKING, Any

from .belonging import are_copied, bare_outside, named, outside_models, without_gathered
from .checks.turns import turn_after
from .journal import Journal
from .model import held
from .part import Part
from .reached import as_it_is_now, leaves

if TYPE_CHECKING:
    import torch

    from .model import ModelSeen
    from .watcher import Watcher

ROUNDS = 3
"""Rounds of the loop that are looked at before anything is concluded: by then every optimizer has stepped."""
LATE = 20
"""Rounds after which an optimizer that has never stepped is told of; it may still do so, which takes it back."""
NAMES = 20


class Holding(Part):
    """Says which trained parameters no optimizer holds, and which the optimizers hold in vain."""

    name = "holding"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal = journal
        self._watcher = watcher
        self._reached: dict[int, torch.Tensor] = {}
        self._plain: dict[int, tuple[int, ...]] = {}
        """Shapes of what gets a gradient and is no parameter: weights for `functional_call`, or a picture."""
        self._rounds = 0
        self._backwards = 0
        self._conclude_at = ROUNDS
        self._order: list[int] = []
        self._idle: list[weakref.ref[Any]] = []
        self._held_all = False

    def model_found(self, model: ModelSeen) -> None:
        """One optimizer more to judge. What was reached before it was made may be held by none any more, as the head of an earlier task."""
        if self._rounds >= ROUNDS:
            self._backwards = 0
            self._reached.clear()
        self._watcher.wake(self, "before_backward", "after_step")

    def before_backward(self, loss: torch.Tensor) -> None:
        """Collect the leaves of the graph: what gets a gradient from this loss."""
        if self._backwards < 2 * ROUNDS:
            self._backwards += 1
            parameter = self._watcher.torch.nn.Parameter
            for one in leaves(loss):
                if isinstance(one, parameter):
                    self._reached[id(one)] = one
                else:
                    self._plain[id(one)] = tuple(one.shape)

    def after_step(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        """After some rounds, compare."""
        if self._rounds < 2 * ROUNDS:
            self._order.append(id(optimizer))
        if step == 1 and self._rounds >= ROUNDS:
            # Another optimizer, after the first was judged: what its losses reach is collected anew.
            self._backwards = 0
            self._reached.clear()
        self._rounds = max(self._rounds, step)
        if self._idle and step >= LATE:
            self._say_idle()
        if step in (ROUNDS, self._conclude_at) and self._backwards:
            self._conclude()
        if step > self._conclude_at + ROUNDS and self._backwards >= 2 * ROUNDS:
            self._rest(step)

    def _rest(self, step: int) -> None:
        """Until the next turn: a head may be replaced, or a layer thawed, in the middle of a run."""
        if self._idle and step < LATE:
            self._watcher.rest_until(LATE - 1, self, "after_step")
            self._watcher.rest(self, "before_backward")
            return
        begin = turn_after(step)
        self._conclude_at, self._backwards = begin + ROUNDS, 0
        self._reached.clear()
        self._watcher.rest_until(begin - 1, self, "before_backward", "after_step")

    def ended(self) -> None:
        """A run of fewer rounds is concluded from these."""
        if self._rounds and self._backwards:
            self._conclude()

    def _conclude(self) -> None:
        models = list(self._watcher.models.values())
        in_some = {id(one) for model in models for one in held(model.optimizer)}
        unheld = [one for key, one in self._reached.items() if key not in in_some]
        unheld = self._without_idle(list(without_gathered(unheld, models)))
        left_out = named(unheld, models, self._watcher.registry)
        if left_out or not unheld:
            self._journal.fact("model.in_optimizer", not left_out, note=_listed(list(left_out)))
        if left_out:
            self._say_left_out(left_out, unheld, models)
        elif unheld:
            self._say_outside(unheld, models)
        self._held_all = not left_out
        twice, shared = self._twice(models)
        self._journal.fact("model.optimizer_duplicates", bool(twice), note=_listed(twice))
        if shared:
            self._journal.fact("model.optimizers_share", True, note=_listed(shared))
        foreign = [model for model in models if self._foreign(model)]
        plain = [shape for key, shape in self._plain.items() if key not in in_some]
        copied = any(are_copied(held(one.optimizer), plain) for one in foreign)
        self._journal.fact("model.optimizer_foreign", bool(foreign and (unheld or copied)))
        self._reached.clear()
        self._plain.clear()

    def _say_left_out(
        self, left_out: dict[str, int], unheld: list[torch.Tensor], models: list[ModelSeen]
    ) -> None:
        """Parameters of a model that no optimizer holds, and whether they came after it was made."""
        now = {key for model in models for key, _ in as_it_is_now(model)}
        if self._held_all and any(id(one) in now for one in unheld):
            self._journal.fact("model.outgrew_optimizer", True, note=_listed(list(left_out)))
        self._journal.fact("model.not_in_optimizer_names", list(left_out)[:NAMES])
        share = sum(left_out.values()) / sum(one.numel() for one in self._reached.values())
        self._journal.fact("model.not_in_optimizer_share", share)

    def _say_outside(self, unheld: list[torch.Tensor], models: list[ModelSeen]) -> None:
        """Those of no model that is trained: other models, and weights of the loss."""
        if outside := outside_models(unheld, models, self._watcher.registry):
            self._journal.fact("model.outside_in_training", outside[:NAMES])
        if bare := bare_outside(unheld, models, self._watcher.registry):
            self._journal.fact("model.loss_weights_outside", bare[:NAMES])

    def _without_idle(self, unheld: list[torch.Tensor]) -> list[torch.Tensor]:
        """Those that no optimizer holds at all: some may be held by one that has not stepped yet."""
        if not unheld:
            return unheld
        kind, wanted = self._watcher.torch.optim.Optimizer, {id(one) for one in unheld}
        idle = [
            one
            for one in gc.get_objects()
            if issubclass(type(one), kind)
            and hasattr(one, "param_groups")
            and id(one) not in self._watcher.models
        ]
        waiting = {id(one): optimizer for optimizer in idle for one in held(optimizer)}
        found = {id(one): one for key, one in waiting.items() if key in wanted}
        self._idle = [weakref.ref(one) for one in found.values()]
        return [one for one in unheld if id(one) not in waiting]

    def _say_idle(self) -> None:
        """Has each of them stepped by now?"""
        idle = [one for one in (ref() for ref in self._idle) if one is not None]
        still = [one for one in idle if id(one) not in self._watcher.models]
        self._journal.fact(
            "grad.all_optimizers_step", not still, note=_listed([type(one).__name__ for one in still])
        )
        if not still:
            self._idle.clear()

    def _twice(self, models: list[ModelSeen]) -> tuple[list[str], list[str]]:
        """Parameters twice in one optimizer, or in two that step by turns (not one after the other, as for a PINN).

        Apart from those that two optimizers share which hold something else, too: the encoder of an adversarial autoencoder
        is trained by what is rebuilt of its codes, and by what a critic thinks of them.
        """
        found: list[str] = []
        shared: list[str] = []
        owners: dict[int, ModelSeen] = {}
        sets = {id(model): {id(one) for one in held(model.optimizer)} for model in models}
        for model in models:
            for one in held(model.optimizer):
                before = owners.get(id(one))
                if before is model or (before is not None and self._by_turns(before, model)):
                    same = sets[id(before)] == sets[id(model)]
                    (found if same else shared).append(model.name_of(one))
                owners[id(one)] = model
        return found, shared

    def _by_turns(self, one: ModelSeen, other: ModelSeen) -> bool:
        """Whether one of the two optimizers stepped, the other one did, and then the first again."""
        both = {id(one.optimizer), id(other.optimizer)}
        order = [key for key, _ in groupby(key for key in self._order if key in both)]
        return len(order) > len(both)

    def _foreign(self, model: ModelSeen) -> bool:
        """Whether no loss reaches anything that this optimizer holds."""
        holds = [one for one in held(model.optimizer) if one.requires_grad]
        return bool(holds) and not any(id(one) in self._reached or one.grad is not None for one in holds)


def _listed(names: list[str]) -> str | None:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "") if names else None
