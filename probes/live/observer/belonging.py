"""To what do trained parameters belong that no optimizer holds: to a model that is trained, or to another module?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .checks.noisy import is_noisy
from .model import held
from .reached import as_it_is_now, in_plain_lists

if TYPE_CHECKING:
    import torch

    from .model import ModelSeen
    from .registry import Registry


def named(
    left_out: Sequence[torch.Tensor], models: Sequence[ModelSeen], registry: Registry
) -> dict[str, int]:
    """Name -> size of those that belong to a trained model.

    A whole other module that the loss passes through (the network of a perceptual loss) may be
    meant to stay as it is; layers in a plain list of the model, or made anew in each forward, may not.
    """
    if not left_out:
        return {}
    names = {
        key: name
        for model in models
        for key, name in (*in_plain_lists(model), *as_it_is_now(model), *model.names.items())
    }
    elsewhere = {id(one) for module in registry.all_alive() for one in module.parameters(recurse=False)}
    found: dict[str, int] = {}
    for one in left_out:
        name = names.get(id(one))
        if name is None and id(one) in elsewhere:
            continue
        name = name or f"a parameter of shape {tuple(one.shape)} outside every module"
        found[name] = found.get(name, 0) + one.numel()
    return found


def without_gathered(left_out: Sequence[torch.Tensor], models: Sequence[ModelSeen]) -> Sequence[torch.Tensor]:
    """Those that are not the whole of a weight whose shards an optimizer holds.

    A model that is sharded over the ranks (`fully_shard`) computes with weights that it gathers for a moment; the
    shards, which say of themselves how large the whole is, are what the optimizer steps with.
    """
    whole = Counter(
        tuple(one.shape) for model in models for one in held(model.optimizer) if hasattr(one, "_local_tensor")
    )
    rest = []
    for one in left_out:
        shape = tuple(one.shape)
        if whole[shape]:
            whole[shape] -= 1
        else:
            rest.append(one)
    return rest


def are_copied(weights: Sequence[torch.Tensor], shapes: Sequence[tuple[int, ...]]) -> bool:
    """Whether tensors of the same shapes are among these; they may be stacked, one model on the other, or be one long row."""
    wanted = Counter(tuple(one.shape) for one in weights if one.requires_grad)
    size = sum(one.numel() for one in weights if one.requires_grad)
    return not wanted - Counter(shapes) or size == sum(map(math.prod, shapes))


def outside_models(
    unheld: Sequence[torch.Tensor], models: Sequence[ModelSeen], registry: Registry
) -> list[str]:
    """The classes of other modules with these parameters that training changes, the outermost of them.

    The mode is asked of the layers for which it matters: what holds layers in eval mode may itself be in the other.
    """
    wanted = {id(one) for one in unheld}
    if not any(model.names for model in models):
        return []  # a picture is optimised: every network is outside
    alive = [
        one
        for one in registry.all_alive()
        if any(id(weight) in wanted for weight in one.parameters())
        and any(below.training and is_noisy(below) for below in one.modules())
    ]
    inner = {id(below) for one in alive for below in one.modules() if below is not one}
    return sorted({type(one).__name__ for one in alive if id(one) not in inner})


def bare_outside(
    unheld: Sequence[torch.Tensor], models: Sequence[ModelSeen], registry: Registry
) -> list[str]:
    """The classes of modules with these parameters that hold nothing but weights of their own, and lie in no network.

    So are the weights of a loss (learned uncertainties, class centres, a temperature). Nobody loads such a module to
    leave it as it is, as is done with networks; what is a copy of another module may well be left.
    """
    wanted = {id(one) for one in unheld}
    if not any(model.names for model in models):
        return []
    alive = [one for one in registry.all_alive() if any(id(weight) in wanted for weight in one.parameters())]
    bare = [one for one in alive if not any(map(_is_layer, one.modules()))]
    inner = {id(below) for one in alive for below in one.modules() if below is not one}
    return sorted(
        {
            type(one).__name__
            for one in bare
            if one.training and id(one) not in inner and not registry.is_copy(one)
        }
    )


def _is_layer(module: torch.nn.Module) -> bool:
    """Whether it is a layer of torch that has weights; a list of weights is none."""
    kind = type(module)
    return (
        kind.__module__.startswith("torch.nn.modules.")
        and not kind.__name__.startswith("Parameter")
        and any(True for _ in module.parameters(recurse=False))
    )
