"""Gradients layer by layer: next to nothing, or far too large. Which are missing, parameters.py says."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..model import held
from .check import Check
from .tensors import readable

if TYPE_CHECKING:
    import torch

VANISHING = 1e-7
"""Root mean square of a weight's gradient (playbook b20; SageMaker Debugger and DeepDiagnosis: 1e-7 in the mean)."""

EXPLODING = 1e3
"""Norm of a weight's gradient (playbook b20)."""

EARLY_RATIO, EARLY_NORM = 1e-3, 1e-4
"""AutoTrainer: gradients vanish where the first layer's norm is below both this share of the last's, and this."""

FIRST = 10
"""The step from which on small gradients count: behind a head that starts at zero the first ones are zero."""

GROWS = 10.0
"""What has grown so many times since the look before is on its way: weights leave zero, while the rate warms up, and
let gradients through. Depth shrinks them in each step alike."""


class Layers(Check):
    """Reads the gradient norm of every parameter of an optimizer before a sampled step of it.

    Only weights (two dimensions or more) can vanish: a bias before a normalisation, or of an attention's key, has no gradient
    by its nature. And only beside weights that do get gradients, else the loss is at its minimum. What it is in most
    of the steps that were looked at counts: where one of several terms is learnt, its layers get next to nothing in the end.
    What was so in the first looks only is taken back.
    """

    name = "layers"
    early = 2

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._step = 0
        self._times: dict[str, list[bool]] = {}
        self._before: dict[int, dict[str, float]] = {}
        """The size of each weight's gradient in the look before, by the number of the model."""
        self._ratios: dict[int, float] = {}
        """The same of the first layers over the last ones."""

    def look_began(self, step: int) -> None:
        """Which step it is."""
        self._step = step

    def before_step(self, optimizer: torch.optim.Optimizer) -> None:
        """The gradients of this step."""
        model = self.watcher.models.get(id(optimizer))
        if model is None or self.watcher.skipped:
            return
        trained = [(model.name_of(one), one) for one in held(optimizer) if one.requires_grad]
        weights: list[tuple[str, Any]] = [
            (name, one.grad) for name, one in trained if one.dim() > 1 and readable(self.torch, one.grad)
        ]
        if weights:
            norms = self.torch.stack(
                [one.float().cpu() for one in self.torch._foreach_norm([g for _, g in weights])]
            )
            order = {name: place for place, (name, _) in enumerate(model.parameters())}
            sized = [(name, norm, grad.numel()) for (name, grad), norm in zip(weights, norms.tolist())]
            self._sizes(model.number, sorted(sized, key=lambda one: order.get(one[0], 0)))

    def _sizes(self, model: int, weights: list[tuple[str, float, int]]) -> None:
        finite = [one for one in weights if math.isfinite(one[1])]
        if not finite:
            return
        name, norm, _ = max(finite, key=lambda one: one[1])
        if norm > EXPLODING:
            self.say("grad.exploding_module", name, note=f"norm {norm:.3g}")
        self._say_vanishing(model, {name: norm / count**0.5 for name, norm, count in finite})
        if len(finite) >= 4:
            self._say_early(model, [norm for _, norm, _ in finite])

    def _say_vanishing(self, model: int, size: dict[str, float]) -> None:
        before, self._before[model] = self._before.get(model, {}), size
        if self._step < FIRST or max(size.values()) <= 100 * VANISHING:
            return
        small = [name for name, now in size.items() if now < VANISHING and _stays(now, before.get(name))]
        # Depth shrinks what comes down to the first layers. A branch that nothing went through gets exactly nothing.
        if not any(size[name] for name in small) and next(iter(size)) not in small:
            small = []
        if not self._mostly("grad.vanishing", bool(small)):
            self.retract("grad.vanishing_module")
        elif small:
            self.say("grad.vanishing_module", small[0], note=f"{len(small)} of {len(size)} weights")

    def _say_early(self, model: int, norms: list[float]) -> None:
        """Compare the typical weight of the first quarter of the layers with that of the last."""
        quarter = len(norms) // 4
        first, last = (sorted(some)[quarter // 2] for some in (norms[:quarter], norms[-quarter:]))
        ratio = first / last if last else 1.0
        stays = _stays(ratio, self._ratios.get(model))
        self._ratios[model] = ratio
        if self._step >= FIRST:
            self._mostly("grad.early_layers_small", ratio < EARLY_RATIO and first < EARLY_NORM and stays)

    def _mostly(self, name: str, value: bool) -> bool:
        """Say what was seen in more than half of the looks."""
        seen = self._times.setdefault(name, [])
        seen.append(value)
        mostly = 2 * sum(seen) > len(seen)
        if not mostly:
            self.retract(name)
        self.say(name, mostly)
        return mostly


def _stays(now: float, before: float | None) -> bool:
    """Whether it is no more than a little larger than in the look before."""
    return before is None or now <= GROWS * before
