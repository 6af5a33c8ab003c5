"""What a loss reaches, and what a model calls it: also in plain lists, and in layers that came later."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .graphs import leaves_of, nodes_below
from .model import unwrapped

if TYPE_CHECKING:
    import torch

    from .model import ModelSeen

NODES = 20_000
"""Nodes of a graph that are visited at most."""
MOST = 1000
"""Things in a list of a model that are looked at."""


def as_it_is_now(model: ModelSeen) -> Iterator[tuple[int, str]]:
    """Parameters of layers that the model got after it was found."""
    for root in model.roots:
        for name, parameter in root.named_parameters():
            yield id(parameter), unwrapped(name)


def in_plain_lists(model: ModelSeen) -> Iterator[tuple[int, str]]:
    """Parameters of modules that stand in a list, tuple or dict of the model, where torch does not see them.

    A network may be hidden there on purpose, under a name that says so, to stay as it is: that one was put in eval mode.
    """
    for root in model.roots:
        for module in root.modules():
            for key, value in vars(module).items():
                if key == "_modules" or not isinstance(value, (list, tuple, dict)) or len(value) > MOST:
                    continue
                for place, one in value.items() if isinstance(value, dict) else enumerate(value):
                    if key.startswith("_") and not getattr(one, "training", False):
                        continue
                    for name, parameter in _parameters(one):
                        inside = f"{model.modules.get(id(module), '')}.{key}[{place!r}].{name}"
                        yield id(parameter), inside.lstrip(".")


def _parameters(one: Any) -> Iterator[tuple[str, torch.Tensor]]:
    named = getattr(type(one), "named_parameters", None)
    return iter(named(one)) if named is not None else iter(())


def leaves(loss: torch.Tensor) -> Iterator[torch.Tensor]:
    """The leaf tensors that the loss was computed from and that want a gradient, those of the first layers first."""
    return leaves_of(nodes_below(loss.grad_fn, NODES)[::-1])
