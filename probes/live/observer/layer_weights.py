"""The weights of dense and convolutional layers: which there are, and what their first numbers tell."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import torch

    from .model import ModelSeen

ENOUGH = 256
"""Numbers that a weight needs for its statistics to say something; 16 inputs, likewise, for its width."""
FEW = 64
"""Numbers of a weight that are kept, to see whether the script moves it by hand, as an average of another."""
CLOSE = 0.03
"""How near a standard deviation comes to that of a known scheme, so that the weights are taken for untrained."""


class Layer(NamedTuple):
    """A weight, and what it was at the start: whether it trains, its shape and its first numbers."""

    name: str
    weight: torch.Tensor
    trains: bool
    shape: torch.Size
    start: torch.Tensor


def weights_of(torch: Any, model: ModelSeen, shared: bool = False, least: int = ENOUGH) -> Iterator[Any]:
    """Those of dense and convolutional layers, each with the name of its layer. What is on `meta` has no numbers.

    `shared`: those instead that are the weight of an embedding as well.
    """
    embedded = {id(one.weight) for one in model.each_module() if isinstance(one, torch.nn.Embedding)}
    for module in model.each_module():
        weight = vars(module).get("_parameters", {}).get("weight")
        if (
            weight is not None
            and weight.dim() >= 2
            and weight.is_floating_point()
            and (id(weight) in embedded) == shared
            and isinstance(module, (torch.nn.Linear, torch.nn.modules.conv._ConvNd))
            and weight.numel() >= least
            and not weight.is_meta
        ):
            yield model.modules[id(module)], weight


def first_numbers(weight: torch.Tensor, most: int) -> torch.Tensor:
    """The first numbers of a weight, of the part of it that is here."""
    some: torch.Tensor = getattr(weight, "_local_tensor", weight).detach().reshape(-1)[:most]
    return some


def is_moved(layer: Layer) -> torch.Tensor:
    """Whether the first numbers of a weight are others than they were, as a tensor of one element.

    Where the script has freed it, or put it on another device or into another type, nobody has moved its numbers.
    """
    start = layer.start
    try:
        now = first_numbers(layer.weight, FEW)
    except RuntimeError:  # it has kept its shape, and no memory
        return start.new_zeros(())
    alike = (layer.weight.shape, now.shape, now.dtype, now.device)
    if alike != (layer.shape, start.shape, start.dtype, start.device):
        return start.new_zeros(())
    return (now != start).any()


def inputs_of(shape: torch.Size) -> int:
    """The numbers that go into one output."""
    return max(1, math.prod(shape[1:]))


def looks_untrained(shape: torch.Size, std: float, high: float) -> bool:
    """Whether a weight has the spread of torch's own scheme, of Kaiming's or of BERT's, to within a few percent."""
    inputs = inputs_of(shape)
    outputs = max(1, math.prod(shape) // max(1, shape[1]))
    uniform = (3.0 * inputs) ** -0.5
    if abs(std / uniform - 1.0) < CLOSE and high <= 1.001 * 3.0**0.5 * uniform:
        return True
    return any(abs(std / one - 1.0) < CLOSE for one in ((2.0 / inputs) ** 0.5, (2.0 / outputs) ** 0.5, 0.02))


def is_evenly_drawn(shape: torch.Size, std: float, low: float, high: float) -> bool:
    """Whether a weight fills the range of a usual uniform scheme evenly, and nowhere leaves it.

    A few hundred numbers tell this, and the first steps of training push some of them out of that range.
    """
    inputs = inputs_of(shape)
    outputs = max(1, math.prod(shape) // max(1, shape[1]))
    return any(
        max(high, -low) <= 1.001 * bound
        and min(high, -low) >= (1.0 - CLOSE) * bound
        and abs(std * 3.0**0.5 / bound - 1.0) < 2.0 * CLOSE
        for bound in (inputs**-0.5, (6.0 / (inputs + outputs)) ** 0.5, (6.0 / inputs) ** 0.5)
    )
