"""Batch normalisation: how many values it averages over, copies whose averages were left behind, frozen layers whose averages move."""

from __future__ import annotations

import weakref
from typing import Any

from ..operations import Call
from .check import Check
from .tensors import readable

NAMES = ("running_mean", "running_var", "weight", "bias")
"""The arguments of a batch normalisation behind its input."""

TINY = 1e-5

LAYERS = 64
"""Layers whose averages are remembered."""

AGAIN = 2
"""Looks in which the same averages were kept. What is made for one call is thrown away after it."""


class Normalisation(Check):
    """The values per channel of the layer that has the fewest: of pictures, samples times height times width.

    A copy of the model that follows its weights (a running mean of them) and not its buffers is evaluated with the
    averages that a new layer has, 0 and 1, which belong to no data.

    A layer whose weights were learnt before and are frozen now may go on averaging in train mode: what was frozen changes
    all the same. A copy that follows its model and one side of two that take turns are frozen as well; the weights of
    the one change, and those of the other an optimizer holds.

    The momentum of a layer is the share of the newest batch in its averages; elsewhere that of the old ones is called so.
    An average over all batches so far begins with all of the first, so the least share counts.
    """

    name = "normalisation"
    early = 1
    functions = ("batch_norm",)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._fewest = 0
        self._frozen: dict[int, tuple[Any, Any, Any, Any, Any]] = {}
        """Of each frozen layer, by the id of its averages: these, its weights, and copies of the weights, averages and variances."""
        self._new = self._frozen.copy()
        self._shares: dict[int, tuple[weakref.ref[Any], float, int]] = {}
        """Of each layer, by the id of its averages: these, the least share of a batch in them, and in how many looks."""

    def called(self, call: Call) -> None:
        """A layer has normalised; in eval mode it averages over nothing."""
        values = call.argument(0, "input")
        if call.argument(5, "training", False) and readable(self.torch, values) and values.dim() > 1:
            count = values.numel() // values.shape[1]
            self._fewest = min(self._fewest or count, count)
            self._follow(call.argument(1, "running_mean"), call.argument(6, "momentum", 0.1))
            if len(self._frozen) < LAYERS and id(call.argument(1, "running_mean")) not in self._frozen:
                self._remember(*(call.argument(place, name) for place, name in enumerate(NAMES, 1)))

    def look_ended(self, step: int) -> None:
        """Say what was the least."""
        if not self._fewest:
            return
        self.say("model.batchnorm_values", self._fewest)
        self._fewest = 0
        if kept := [
            share for mean, share, looks in self._shares.values() if looks >= AGAIN and mean() is not None
        ]:
            self.say("model.batchnorm_newest_share", round(min(kept), 4))
        self._compare()
        forwards = self.watcher.forwards
        for copy in forwards.copies.values() if forwards is not None else ():
            module = copy.module()
            if module is not None and not module.training:
                self._left_behind(module)

    def _follow(self, mean: Any, share: Any) -> None:
        """A layer keeps averages, and takes this share of the batch into them."""
        if not readable(self.torch, mean) or not isinstance(share, float):
            return
        known = self._shares.get(id(mean))
        if known is not None and known[0]() is mean:
            self._shares[id(mean)] = (known[0], min(known[1], share), known[2] + 1)
        elif len(self._shares) < LAYERS:
            self._shares[id(mean)] = (weakref.ref(mean), share, 1)

    def _remember(self, mean: Any, variance: Any, weight: Any, bias: Any) -> None:
        """A layer that is frozen, and not as new as it was made."""
        if not all(readable(self.torch, one) for one in (mean, variance, weight)) or weight.requires_grad:
            return
        if bool((weight != 1).any()) or (readable(self.torch, bias) and bool(bias.any())):
            copies = (one.detach().clone() for one in (weight, mean, variance))
            self._new[id(mean)] = (mean, weight, *copies)

    def _compare(self) -> None:
        """How far the averages of such layers went since an earlier look, in standard deviations of what they average."""
        self._frozen = {key: one for key, one in self._frozen.items() if bool((one[1] == one[2]).all())}
        drifts = [
            float(((mean - before).abs() / (variance + TINY).sqrt()).median())
            for mean, weight, _, before, variance in self._frozen.values()
            if not weight.requires_grad
        ]
        if drifts:
            self.say("model.frozen_norms_moving", max(drifts) > 0)
            self.say("model.frozen_norms_drift", round(max(drifts), 3))
        self._frozen = {**self._new, **self._frozen}
        self._new = {}

    def _left_behind(self, module: Any) -> None:
        """Whether each of its layers has weights that were learnt, and averages that no batch has changed."""
        layers = [
            one
            for one in module.modules()
            if "BatchNorm" in type(one).__name__
            and all(
                readable(self.torch, getattr(one, name, None))
                for name in ("weight", "running_mean", "running_var")
            )
        ]
        if layers:
            self.say(
                "model.batchnorm_left_behind",
                all(
                    bool((one.weight != 1).any())
                    and not bool(one.running_mean.any())
                    and not bool((one.running_var != 1).any())
                    for one in layers
                ),
            )
