"""The weights before the first step: constant, far too large or small for their width, or frozen while random."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .journal import Journal
from .models import ADAPTERS
from .part import Part

if TYPE_CHECKING:
    import torch

    from .model import ModelSeen
    from .watcher import Watcher

LARGE = 5.0
SMALL = 0.02
"""Standard deviation times the root of the inputs. Usual schemes give 0.5 to 1.5, trained networks 0.2 to 4: a
plane layer multiplies what passes through by about this number."""
ENOUGH = 256
"""Numbers that a weight needs for its statistics to say something; 16 inputs, likewise, for its width."""
NUMBERS = 1 << 16
LAYERS = 100
"""Numbers of a weight, and layers of a model, that are read."""
FEW = 64
"""Numbers of a frozen weight that are kept, to see whether the script moves it by hand, as an average of another."""
LATER = 5
"""The step from which on it is asked whether they were."""
CLOSE = 0.03
"""How near a standard deviation comes to that of a known scheme, so that the weights are taken for untrained."""


class Initial(Part):
    """Reads the weights of dense and convolutional layers once, when their optimizer is about to step first."""

    name = "initial"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal = journal
        self._watcher = watcher
        self._layers: list[tuple[str, torch.Tensor, bool]] = []
        self._adapted = False
        self._frozen: list[tuple[torch.Tensor, float, float]] = []
        """Weights that do not train, the spread of each and its largest number."""
        self._kept: list[torch.Tensor] = []
        self._ends_frozen = self._asked = False

    def model_found(self, model: ModelSeen) -> None:
        """Queue the statistics: they come with the first row."""
        torch = self._watcher.torch
        if self._layers:  # those of the first optimizer
            return
        self._adapted = any(ADAPTERS.search(name) for name, one in model.parameters() if one.requires_grad)
        shared = {id(one.weight) for one in model.each_module() if isinstance(one, torch.nn.Embedding)}
        for module in model.each_module():
            weight = vars(module).get("_parameters", {}).get("weight")
            if weight is None or weight.dim() < 2 or not weight.is_floating_point() or id(weight) in shared:
                continue
            if (
                isinstance(module, (torch.nn.Linear, torch.nn.modules.conv._ConvNd))
                and weight.numel() >= ENOUGH
            ):
                self._layers.append((model.modules[id(module)], weight, weight.requires_grad))
        del self._layers[LAYERS:]
        with torch.no_grad():
            for _, weight, _ in self._layers:
                some = getattr(weight, "_local_tensor", weight).detach().reshape(-1)[:NUMBERS].float()
                self._watcher.pending.append(("initial", torch.stack([some.std(), some.min(), some.max()])))
            self._kept = [_some(weight).clone() for _, weight, trains in self._layers if not trains]

    def read(self, step: int, values: dict[str, Any]) -> None:
        """The statistics are there; some steps later, which of the frozen weights were moved."""
        if moved := values.get("moved"):
            self._say_frozen([bool(one) for one in moved])
            self._watcher.remove(self)
        elif numbers := values.get("initial"):
            self._say_spreads(numbers)
        elif self._frozen and step >= LATER and not self._asked:
            self._ask_for_moves()

    def _say_spreads(self, numbers: list[float]) -> None:
        stats = list(zip(self._layers, numbers[::3], numbers[1::3], numbers[2::3]))
        gains = {name: std * _inputs(weight) ** 0.5 for (name, weight, _), std, _, _ in stats}
        same = [name for (name, _, trains), _, low, high in stats if low == high and trains]
        set_apart = [name for (name, _, _), _, low, high in stats if low == high != 0.0]
        # Zeros are a scheme of their own in single layers (the last of a residual branch, an adapter's second).
        constant = set_apart or (same if len(same) * 2 > len(stats) else [])
        large = [
            name for (name, weight, _), _, _, _ in stats if gains[name] > LARGE and _inputs(weight) >= 16
        ]
        small = [name for (name, _, _), _, low, high in stats if gains[name] < SMALL and low != high]
        small = small if len(small) * 2 > len(stats) else []
        self._journal.fact("model.init_constant", bool(constant), note=_first(constant))
        self._journal.fact("model.init_too_large", bool(large), note=_first(large))
        self._journal.fact("model.init_too_small", bool(small), note=_first(small))
        if constant or large or small:
            self._journal.fact("model.init_module", (constant or large or small)[0])
        self._frozen = [(weight, std, high) for (_, weight, trains), std, _, high in stats if not trains]
        if 0 < len(stats) < LAYERS:
            self._ends_frozen = not stats[-1][0][2] and not self._adapted
        if not self._frozen:
            self._say_frozen([])
            self._watcher.remove(self)

    def ended(self) -> None:
        """The run may end before the answer is there."""
        if self._frozen:
            self._say_frozen([bool(one) for one in self._moves()])

    def _ask_for_moves(self) -> None:
        self._asked = True
        torch = self._watcher.torch
        with torch.no_grad():
            self._watcher.pending.append(("moved", torch.stack(self._moves()).float()))

    def _moves(self) -> list[torch.Tensor]:
        """Whether each frozen weight is another than it was."""
        return [(_some(weight) != kept).any() for (weight, _, _), kept in zip(self._frozen, self._kept)]

    def _say_frozen(self, moved: list[bool]) -> None:
        """A last layer that stays frozen with its first numbers never learns what the task is."""
        frozen = [one for one, by_hand in zip(self._frozen, moved) if not by_hand]
        large = [one for one in frozen if one[0].numel() >= 16 * ENOUGH]
        if large:
            untrained = sum(_untrained(*one) for one in large)
            self._journal.fact("model.frozen_random", untrained > 0.8 * len(large))
        if self._layers and len(self._layers) < LAYERS:
            ends = self._ends_frozen and not moved[-1] and _untrained(*self._frozen[-1])
            self._journal.fact("model.head_frozen", ends)


def _some(weight: torch.Tensor) -> torch.Tensor:
    """The first numbers of a weight, of the part of it that is here."""
    some: torch.Tensor = getattr(weight, "_local_tensor", weight).detach().reshape(-1)[:FEW]
    return some


def _inputs(weight: torch.Tensor) -> int:
    """The numbers that go into one output."""
    return max(1, weight.numel() // max(1, weight.shape[0]))


def _untrained(weight: torch.Tensor, std: float, high: float) -> bool:
    """Whether a weight has the spread of torch's own scheme, of Kaiming's or of BERT's, to within a few percent."""
    inputs = _inputs(weight)
    outputs = max(1, weight.numel() // max(1, weight.shape[1]))
    uniform = (3.0 * inputs) ** -0.5
    if abs(std / uniform - 1.0) < CLOSE and high <= 1.001 * 3.0**0.5 * uniform:
        return True
    return any(abs(std / one - 1.0) < CLOSE for one in ((2.0 / inputs) ** 0.5, (2.0 / outputs) ** 0.5, 0.02))


def _first(names: list[str]) -> str | None:
    return f"{names[0]} and {len(names) - 1} more" if len(names) > 1 else names[0] if names else None
