"""Compares what the optimizers hold with what the loss was computed from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .journal import Journal
from .model import held
from .part import Part

if TYPE_CHECKING:
    import torch

    from .model import ModelSeen
    from .watcher import Watcher

ROUNDS = 3
"""Rounds of the loop that are looked at before anything is concluded: by then every optimizer has stepped."""
NODES = 20_000
"""Nodes of a graph that are visited at most."""
NAMES = 20
MOST = 1000
"""Things in a list of a model that are looked at."""


class Holding(Part):
    """Says which trained parameters no optimizer holds, and which the optimizers hold in vain."""

    name = "holding"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal = journal
        self._watcher = watcher
        self._reached: dict[int, torch.Tensor] = {}
        self._rounds = 0
        self._backwards = 0
        self._order: list[int] = []

    def model_found(self, model: ModelSeen) -> None:
        """One optimizer more to judge."""
        self._watcher.wake(self, "before_backward", "after_step")

    def before_backward(self, loss: torch.Tensor) -> None:
        """Collect the leaves of the graph: what gets a gradient from this loss."""
        if self._backwards < 2 * ROUNDS:
            self._backwards += 1
            parameter = self._watcher.torch.nn.Parameter
            self._reached.update((id(one), one) for one in leaves(loss) if isinstance(one, parameter))

    def after_step(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        """After some rounds, compare."""
        if self._rounds < 2 * ROUNDS:
            self._order.append(id(optimizer))
        if step == 1 and self._rounds >= ROUNDS:
            # Another optimizer, after the first was judged: what its losses reach is collected anew.
            self._backwards = 0
        self._rounds = max(self._rounds, step)
        if step == ROUNDS and self._backwards:
            self._conclude()
        if step > 2 * ROUNDS <= self._backwards:
            self._watcher.rest(self, "before_backward", "after_step")

    def ended(self) -> None:
        """A run of fewer rounds is concluded from these."""
        if self._rounds and self._backwards:
            self._conclude()

    def _conclude(self) -> None:
        models = list(self._watcher.models.values())
        in_some = {id(one) for model in models for one in held(model.optimizer)}
        unheld = [one for key, one in self._reached.items() if key not in in_some]
        left_out = self._named(unheld, models)
        self._journal.fact("model.in_optimizer", not left_out, note=_listed(list(left_out)))
        if left_out:
            self._journal.fact("model.not_in_optimizer_names", list(left_out)[:NAMES])
            share = sum(left_out.values()) / sum(one.numel() for one in self._reached.values())
            self._journal.fact("model.not_in_optimizer_share", share)
        twice = self._twice(models)
        self._journal.fact("model.optimizer_duplicates", bool(twice), note=_listed(twice))
        foreign = any(self._foreign(model) for model in models)
        self._journal.fact("model.optimizer_foreign", bool(foreign and unheld))
        self._reached.clear()

    def _named(self, left_out: list[torch.Tensor], models: list[ModelSeen]) -> dict[str, int]:
        """Name -> size of those that belong to a trained model.

        A whole other module that the loss passes through (the network of a perceptual loss) may be
        meant to stay as it is; layers in a plain list of the model, or made anew in each forward, may not.
        """
        if not left_out:
            return {}
        names = {
            key: name for model in models for key, name in (*_in_plain_lists(model), *model.names.items())
        }
        elsewhere = {
            id(one)
            for module in self._watcher.registry.all_alive()
            for one in module.parameters(recurse=False)
        }
        found: dict[str, int] = {}
        for one in left_out:
            name = names.get(id(one))
            if name is None and id(one) in elsewhere:
                continue
            found[name or f"a parameter of shape {tuple(one.shape)} outside every module"] = one.numel()
        return found

    def _twice(self, models: list[ModelSeen]) -> list[str]:
        """Parameters twice in one optimizer, or in two that step by turns (not one after the other, as for a PINN)."""
        found = []
        owners: dict[int, int] = {}
        for model in models:
            by_turns = self._by_turns(id(model.optimizer))
            for one in held(model.optimizer):
                before = owners.get(id(one))
                if before == model.number or (before is not None and by_turns):
                    found.append(model.name_of(one))
                owners[id(one)] = model.number
        return found

    def _by_turns(self, optimizer: int) -> bool:
        """Whether this optimizer stepped, another one did, and then this one again."""
        places = [number for number, one in enumerate(self._order) if one == optimizer]
        return bool(places) and any(one != optimizer for one in self._order[places[0] : places[-1]])

    def _foreign(self, model: ModelSeen) -> bool:
        """Whether no loss reaches anything that this optimizer holds."""
        holds = [one for one in held(model.optimizer) if one.requires_grad]
        return bool(holds) and not any(id(one) in self._reached or one.grad is not None for one in holds)


def _in_plain_lists(model: ModelSeen) -> Iterator[tuple[int, str]]:
    """Parameters of modules that stand in a list, tuple or dict of the model, where torch does not see them."""
    for root in model.roots:
        for module in root.modules():
            for key, value in vars(module).items():
                if key.startswith("_") or not isinstance(value, (list, tuple, dict)) or len(value) > MOST:
                    continue
                for place, one in value.items() if isinstance(value, dict) else enumerate(value):
                    for name, parameter in _parameters(one):
                        inside = f"{model.modules.get(id(module), '')}.{key}[{place!r}].{name}"
                        yield id(parameter), inside.lstrip(".")


def _parameters(one: Any) -> Iterator[tuple[str, torch.Tensor]]:
    named = getattr(type(one), "named_parameters", None)
    return iter(named(one)) if named is not None else iter(())


def leaves(loss: torch.Tensor) -> Iterator[torch.Tensor]:
    """The leaf tensors that the loss was computed from and that want a gradient."""
    seen: set[Any] = set()
    stack: list[Any] = [loss.grad_fn]
    while stack and len(seen) < NODES:
        node = stack.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if type(node).__name__ == "AccumulateGrad":
            yield node.variable
        stack.extend(following for following, _ in node.next_functions)


def _listed(names: list[str]) -> str | None:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "") if names else None
