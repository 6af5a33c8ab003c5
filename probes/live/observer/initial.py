"""The weights before the first step: constant, far too large or small for their width, or frozen while random."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from .journal import Journal
from .layer_weights import (
    ENOUGH,
    FEW,
    Layer,
    first_numbers,
    inputs_of,
    is_evenly_drawn,
    is_moved,
    looks_untrained,
    weights_of,
)
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
NUMBERS = 1 << 16
LAYERS = 100
"""Numbers of a weight, and layers of a model, that are read."""
LATER = 5
"""The step from which on it is asked whether frozen weights were moved."""


class _Spread(NamedTuple):
    """How the numbers of a layer's weight are spread at the start."""

    layer: Layer
    std: float
    low: float
    high: float

    @property
    def gain(self) -> float:
        """By what it multiplies what passes through."""
        return self.std * math.sqrt(inputs_of(self.layer.shape))

    @property
    def is_constant(self) -> bool:
        """Whether they are all one number."""
        return self.low == self.high

    @property
    def is_evenly_drawn(self) -> bool:
        """Whether it fills the range of a uniform scheme, which a few hundred numbers tell."""
        return is_evenly_drawn(self.layer.shape, self.std, self.low, self.high)

    @property
    def looks_untrained(self) -> bool:
        """Whether it has the spread of a usual scheme."""
        return looks_untrained(self.layer.shape, self.std, self.high) or self.is_evenly_drawn

    @property
    def is_large(self) -> bool:
        """Whether it has numbers enough to know a scheme by its standard deviation alone."""
        return math.prod(self.layer.shape) >= 16 * ENOUGH


class Initial(Part):
    """Reads the weights of dense and convolutional layers once, when their optimizer is about to step first.

    How wide they are is no word on a scheme where they come from a saved state: training may have widened them.
    """

    name = "initial"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal = journal
        self._watcher = watcher
        self._layers: list[Layer] = []
        self._tied: dict[str, int] = {}
        """Last layers that share the weight of an embedding, and their inputs. What is meant for an embedding is too wide for them."""
        self._frozen: list[_Spread] = []
        """Those that do not train."""
        self._goes_on = self._ends_frozen = self._asked = self._adapted = False

    def model_found(self, model: ModelSeen) -> None:
        """Queue the statistics: they come with the first row."""
        torch = self._watcher.torch
        if self._layers:  # those of the first optimizer
            return
        with torch.no_grad():
            for name, weight in islice(weights_of(torch, model), LAYERS):
                some = first_numbers(weight, NUMBERS).float()
                self._watcher.pending.append(("initial", torch.stack([some.std(), some.min(), some.max()])))
                start = first_numbers(weight, FEW).clone()
                self._layers.append(Layer(name, weight, weight.requires_grad, weight.shape, start))
            for name, weight in islice(weights_of(torch, model, shared=True), LAYERS):
                self._tied[name] = inputs_of(weight.shape)
                self._watcher.pending.append(("tied", first_numbers(weight, NUMBERS).float().std()))
        # Adapters, a head with the weight of an embedding, and one too small for statistics come behind what is frozen.
        self._adapted = adapted = model.is_adapted(ADAPTERS)
        last = [name for name, _ in weights_of(torch, model, least=1)][-1:]
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
        stats = list(map(_Spread, self._layers, numbers[::3], numbers[1::3], numbers[2::3]))
        drawn = [one for one in stats if not self._is_brought(one.layer.weight)]
        constant = _constant(stats, self._adapted)
        large = [one.layer.name for one in drawn if one.gain > LARGE and inputs_of(one.layer.shape) >= 16]
        small = [one.layer.name for one in drawn if one.gain < SMALL and not one.is_constant]
        small = small if len(small) * 2 > len(stats) else []
        self._journal.fact("model.init_constant", bool(constant), note=_first(constant))
        self._journal.fact("model.init_too_large", bool(large), note=_first(large))
        self._journal.fact("model.init_too_small", bool(small), note=_first(small))
        if constant or large or small:
            self._journal.fact("model.init_module", (constant or large or small)[0])
        self._frozen = [one for one in stats if not one.layer.trains]
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
            self._say_frozen([bool(is_moved(one.layer)) for one in self._frozen])

    def _ask_for_moves(self) -> None:
        """Each by itself: they may stand on several devices."""
        self._asked = True
        self._watcher.pending += [("moved", is_moved(one.layer)) for one in self._frozen]

    def _say_frozen(self, moved: list[bool]) -> None:
        """A last layer that stays frozen with its first numbers never learns what the task is."""
        frozen = [one for one, by_hand in zip(self._frozen, moved) if not by_hand]
        judged = [one.looks_untrained for one in frozen if one.is_large]
        small = [one.is_evenly_drawn for one in frozen if not one.is_large]
        if judged or any(small):  # where there are no others, the small ones tell, if they can
            judged = judged or small
            self._journal.fact("model.frozen_random", sum(judged) > 0.8 * len(judged))
        if self._layers and len(self._layers) < LAYERS:
            ends = self._ends_frozen and not moved[-1] and self._frozen[-1].looks_untrained
            self._journal.fact("model.head_frozen", ends)


def _constant(stats: list[_Spread], adapted: bool) -> list[str]:
    """Zeros are a scheme of their own in single layers (the last of a residual branch), and in the second one of each adapter.

    Those may be all that is read of a model whose own layers are of another class, and whose adapters' first ones are too small.
    """
    set_apart = [one.layer.name for one in stats if one.is_constant and one.low != 0.0]
    same = [one.layer.name for one in stats if one.is_constant and one.layer.trains and not adapted]
    return set_apart or (same if len(same) * 2 > len(stats) else [])


def _first(names: list[str]) -> str | None:
    return f"{names[0]} and {len(names) - 1} more" if len(names) > 1 else names[0] if names else None
