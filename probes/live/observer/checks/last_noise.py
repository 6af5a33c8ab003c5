"""How much of the data the noisiest step of a diffusion still shows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..graphs import grad_fn_of
from ..look.values import tensors_in
from ..operations import Call
from .check import Check
from .tensors import readable

if TYPE_CHECKING:
    import torch

DRAWN = ("randn", "randn_like", "normal")

COMPARED = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "sub", "__sub__", "__rsub__", "subtract")

END = 0.1
"""The part of the steps at either end that is looked at."""

SAMPLES, VALUES = 8, 512
"""Samples and values at each end, without which nothing is said."""

PURE, LEFT = 0.97, 0.93
"""The share of the noise in the noisiest input: of a schedule that ends in noise, and of one that does not."""

SURE = 3.0
"""By how many times its uncertainty the share lies below."""

RISES = 0.2
"""How much more noise there is at one end than at the other: else no schedule is at work."""


class LastNoise(Check):
    """Measures the noise in what a network is given, where it is to find that very noise, and a step for each sample.

    A picture and noise are mixed so that their squares keep their sum, and the noise has the factor 1 in the last step. Sampling
    begins with noise alone. The betas of a thousand steps, used in a hundred, end at 0.8: more than a third of the
    picture's power is left, and a network that has only seen such mixtures is asked to begin with something else.
    """

    name = "last noise"
    early = 6
    functions = (*DRAWN, *COMPARED)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._drawn: dict[int, Any] = {}
        self._inputs: list[tuple[Any, Any]] = []
        self._seen: list[tuple[float, float, float, int]] = []

    def look_began(self, step: int) -> None:
        """Nothing was drawn yet."""
        self._drawn, self._inputs = {}, []

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """A sample of the size of the noise, and one number for each."""
        if not self._drawn or not self.torch.is_grad_enabled() or len(self._inputs) >= SAMPLES:
            return
        given = [one for one in tensors_in(self.torch.Tensor, (args, kwargs)) if readable(self.torch, one)]
        noisy = next((one for one in given if one.is_floating_point() and one.dim() > 1), None)
        if noisy is not None and grad_fn_of(noisy) is None:
            times = [one for one in given if one is not noisy and one.numel() == len(noisy)]
            if times:
                self._inputs.append((noisy, times[0]))

    def called(self, call: Call) -> None:
        """Noise was drawn, or is compared with what a network gave."""
        if call.name in DRAWN:
            if readable(self.torch, call.result) and call.result.dim() > 1 and len(self._drawn) < VALUES:
                self._drawn[id(call.result)] = call.result
            return
        if not self._inputs or len(call.args) + len(call.kwargs) < 2:
            return
        pair = list(tensors_in(self.torch.Tensor, (call.args, call.kwargs)))[:2]
        noise = next((one for one in pair if self._drawn.get(id(one)) is one), None)
        if noise is not None and any(one is not noise and grad_fn_of(one) is not None for one in pair):
            for noisy, times in self._inputs:
                if noisy.shape == noise.shape:
                    self._measure(noisy, times, noise)
            self._inputs = []

    def look_ended(self, step: int) -> None:
        """How much noise is there where there is most?"""
        self.look_began(step)
        ends = self._ends()
        if ends is None:
            return
        (least, _), (most, values) = sorted(ends)
        # What is left of the data is, by chance, a little like the noise or unlike it.
        unsure = SURE * math.sqrt(max(0.0, 1 - most * most) / values)
        if most - least > RISES and not PURE > most >= LEFT - unsure:
            self.say("data.noise_ends_early", most < LEFT, note=f"{most:.2f}")

    def _measure(self, noisy: Any, times: Any, noise: Any) -> None:
        given, drawn = noisy.detach().flatten(1).float(), noise.flatten(1).float()
        both, alone = (given * drawn).sum(1).tolist(), (drawn * drawn).sum(1).tolist()
        steps = times.detach().reshape(-1).float().tolist()
        self._seen += [(*row, drawn.shape[1]) for row in zip(steps, both, alone)]

    def _ends(self) -> list[tuple[float, int]] | None:
        """The factor of the noise in the first steps of the schedule and in the last, each from how many values."""
        steps = [row[0] for row in self._seen]
        low, high = (min(steps), max(steps)) if steps else (0.0, 0.0)
        near = END * (high - low)
        factors = []
        for rows in (
            [row for row in self._seen if row[0] <= low + near],
            [row for row in self._seen if row[0] >= high - near],
        ):
            values = sum(row[3] for row in rows)
            if high == low or len(rows) < SAMPLES or values < VALUES:
                return None
            factors.append((sum(row[1] for row in rows) / sum(row[2] for row in rows), values))
        return factors
