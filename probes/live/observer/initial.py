"""The weights before the first step: constant, far too large or small for their width, or frozen while random."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from .journal import Journal
from .models import ADAPTERS
from .part import Part

if TYPE_CHECKING:
    import torch

    from .model import ModelSeen
    from .watcher import Watcher

LARGE = 5.0
SMALL = 0.02
"""Standard deviation times the root of the inputs. Usual schemes give 0.5 to 1.5, trained networks mostly 0.2 to 4: a
plane layer multiplies what passes through by about this number."""
ENOUGH = 256
"""Numbers that a weight needs for its statistics to say something; 16 inputs, likewise, for its width."""
NUMBERS = 1 << 16
LAYERS = 100
"""Numbers of a weight, and layers of a model, that are read."""
FEW = 64
"""Numbers of a weight that are kept, to see whether the script moves it by hand, as an average of another."""
LATER = 5
"""The step from which on it is asked whether they were."""
CLOSE = 0.03
"""How near a standard deviation comes to that of a known scheme, so that the weights are taken for untrained."""


class _Layer(NamedTuple):
    """A weight, and what it was at the start: whether it trains, its shape and its first numbers."""

    name: str
    weight: torch.Tensor
    trains: bool
    shape: torch.Size
    start: torch.Tensor


class Initial(Part):
    """Reads the weights of dense and convolutional layers once, when their optimizer is about to step first.

    How wide they are is no word on a scheme where they come from a saved state: training may have widened them.
    """

    name = "initial"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal = journal
        self._watcher = watcher
        self._layers: list[_Layer] = []
        self._tied: dict[str, int] = {}
        """Last layers that share the weight of an embedding, and their inputs. What is meant for an embedding is too wide for them."""
        self._frozen: list[tuple[_Layer, bool]] = []
        """Those that do not train, and whether each looks untrained."""
        self._goes_on = self._ends_frozen = self._asked = False

    def model_found(self, model: ModelSeen) -> None:
        """Queue the statistics: they come with the first row."""
        torch = self._watcher.torch
        if self._layers:  # those of the first optimizer
            return
        with torch.no_grad():
            for name, weight in islice(_weights(torch, model), LAYERS):
                some = _some(weight, NUMBERS).float()
                self._watcher.pending.append(("initial", torch.stack([some.std(), some.min(), some.max()])))
                start = _some(weight, FEW).clone()
                self._layers.append(_Layer(name, weight, weight.requires_grad, weight.shape, start))
            for name, weight in islice(_weights(torch, model, shared=True), LAYERS):
                self._tied[name] = _inputs(weight.shape)
                self._watcher.pending.append(("tied", _some(weight, NUMBERS).float().std()))
        # Adapters, a head with the weight of an embedding, and one too small for statistics come behind what is frozen.
        adapted = model.is_adapted(ADAPTERS)
        last = [name for name, _ in _weights(torch, model, least=1)][-1:]
        self._goes_on = adapted or bool(self._tied) or last != [one.name for one in self._layers[-1:]]

    def read(self, step: int, values: dict[str, Any]) -> None:
        """The statistics are there; some steps later, which of the frozen weights were moved."""
        for (name, inputs), std in zip(self._tied.items(), values.get("tied") or ()):
            if std * inputs**0.5 > LARGE and inputs >= 16:
                self._journal.fact("model.init_tied_wide", name)
        if moved := values.get("moved"):
            self._say_frozen([bool(one) for one in moved])
            self._watcher.remove(self)
        elif numbers := values.get("initial"):
            self._say_spreads(numbers)
        elif self._frozen and step >= LATER and not self._asked:
            self._ask_for_moves()

    def _say_spreads(self, numbers: list[float]) -> None:
        stats = list(zip(self._layers, numbers[::3], numbers[1::3], numbers[2::3]))
        drawn = {one.name for one in self._layers if not self._is_brought(one.weight)}
        gains = {one.name: std * _inputs(one.shape) ** 0.5 for one, std, _, _ in stats}
        same = [one.name for one, _, low, high in stats if low == high and one.trains]
        set_apart = [one.name for one, _, low, high in stats if low == high != 0.0]
        # Zeros are a scheme of their own in single layers (the last of a residual branch, an adapter's second).
        constant = set_apart or (same if len(same) * 2 > len(stats) else [])
        wide = [one for one, _, _, _ in stats if gains[one.name] > LARGE and _inputs(one.shape) >= 16]
        large = [one.name for one in wide if one.name in drawn]
        narrow = [one.name for one, _, low, high in stats if gains[one.name] < SMALL and low != high]
        small = [name for name in narrow if name in drawn]
        small = small if len(small) * 2 > len(stats) else []
        self._journal.fact("model.init_constant", bool(constant), note=_first(constant))
        self._journal.fact("model.init_too_large", bool(large), note=_first(large))
        self._journal.fact("model.init_too_small", bool(small), note=_first(small))
        if constant or large or small:
            self._journal.fact("model.init_module", (constant or large or small)[0])
        self._frozen = [
            (one, _untrained(one.shape, std, high)) for one, std, _, high in stats if not one.trains
        ]
        if 0 < len(stats) < LAYERS:
            self._ends_frozen = not self._layers[-1].trains and not self._goes_on
        if not self._frozen:
            self._say_frozen([])
            self._watcher.remove(self)

    def _is_brought(self, weight: torch.Tensor) -> bool:
        """Whether a loaded state gave it its values."""
        known = self._watcher.brought.get(id(weight))
        return known is not None and known() is weight

    def ended(self) -> None:
        """The run may end before the answer is there."""
        if self._frozen:
            self._say_frozen([bool(_moved(one)) for one, _ in self._frozen])

    def _ask_for_moves(self) -> None:
        """Each by itself: they may stand on several devices."""
        self._asked = True
        self._watcher.pending += [("moved", _moved(one)) for one, _ in self._frozen]

    def _say_frozen(self, moved: list[bool]) -> None:
        """A last layer that stays frozen with its first numbers never learns what the task is."""
        frozen = [one for one, by_hand in zip(self._frozen, moved) if not by_hand]
        large = [untrained for one, untrained in frozen if math.prod(one.shape) >= 16 * ENOUGH]
        if large:
            self._journal.fact("model.frozen_random", sum(large) > 0.8 * len(large))
        if self._layers and len(self._layers) < LAYERS:
            ends = self._ends_frozen and not moved[-1] and self._frozen[-1][1]
            self._journal.fact("model.head_frozen", ends)


def _weights(torch: Any, model: ModelSeen, shared: bool = False, least: int = ENOUGH) -> Iterator[Any]:
    """Those of dense and convolutional layers, each with the name of its layer. What is on `meta` has no numbers.

    `shared`: those instead that are the weight of an embedding as well.
    """
    embedded = {id(one.weight) for one in model.each_module() if isinstance(one, torch.nn.Embedding)}
    for module in model.each_module():
        weight = vars(module).get("_parameters", {}).get("weight")
        if (
            weight is None
            or weight.dim() < 2
            or not weight.is_floating_point()
            or (id(weight) in embedded) != shared
        ):
            continue
        if (
            isinstance(module, (torch.nn.Linear, torch.nn.modules.conv._ConvNd))
            and weight.numel() >= least
            and not weight.is_meta
        ):
            yield model.modules[id(module)], weight


def _some(weight: torch.Tensor, most: int) -> torch.Tensor:
    """The first numbers of a weight, of the part of it that is here."""
    some: torch.Tensor = getattr(weight, "_local_tensor", weight).detach().reshape(-1)[:most]
    return some


def _moved(layer: _Layer) -> torch.Tensor:
    """Whether the first numbers of a weight are others than they were, as a tensor of one element.

    Where the script has freed it, or put it on another device or into another type, nobody has moved its numbers.
    """
    start = layer.start
    try:
        now = _some(layer.weight, FEW)
    except RuntimeError:  # it has kept its shape, and no memory
        return start.new_zeros(())
    alike = (layer.weight.shape, now.shape, now.dtype, now.device)
    if alike != (layer.shape, start.shape, start.dtype, start.device):
        return start.new_zeros(())
    return (now != start).any()


def _inputs(shape: torch.Size) -> int:
    """The numbers that go into one output."""
    return max(1, math.prod(shape[1:]))


def _untrained(shape: torch.Size, std: float, high: float) -> bool:
    """Whether a weight has the spread of torch's own scheme, of Kaiming's or of BERT's, to within a few percent."""
    inputs = _inputs(shape)
    outputs = max(1, math.prod(shape) // max(1, shape[1]))
    uniform = (3.0 * inputs) ** -0.5
    if abs(std / uniform - 1.0) < CLOSE and high <= 1.001 * 3.0**0.5 * uniform:
        return True
    return any(abs(std / one - 1.0) < CLOSE for one in ((2.0 / inputs) ** 0.5, (2.0 / outputs) ** 0.5, 0.02))


def _first(names: list[str]) -> str | None:
    return f"{names[0]} and {len(names) - 1} more" if len(names) > 1 else names[0] if names else None
