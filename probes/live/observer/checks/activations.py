"""Activations: dead, saturated, and how large they are."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from ..look.values import tensors_in
from ..operations import Call
from .check import Check
from .summed import nodes_of
from .tensors import activation_nodes, readable

if TYPE_CHECKING:
    import torch

RECTIFIERS = ("relu", "relu_", "relu6")
SQUASHERS = ("sigmoid", "sigmoid_", "tanh", "tanh_")
LAYERS = ("linear", "conv1d", "conv2d", "conv3d")

SAMPLES = 32
"""Values per unit from which on a unit that gave only zeros counts as dead."""

LOSSES = (
    "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy", "nll_loss", "cross_entropy", "kl_div",
)  # fmt: skip

WEIGHTED = re.compile(
    r"Addm[mv]|B?addbmm|B?mm|Mv|Linear|Embedding|\w*(Convolution|Norm|Lstm|Gru|Rnn)", re.IGNORECASE
)
"""Nodes of the graph that have weights: what stands before the first of them, seen from the loss, is hidden."""

BOUND = 0.01
"""How near to its bounds, as a share of its range, a squashed value counts as saturated."""


class Activations(Check):
    """The share of dead units and of saturated values of the worst layer (playbook b21; limits in kb/limits/model).

    SageMaker Debugger calls a layer dead, or saturated, from half of its units on.
    """

    name = "activations"
    functions = (*RECTIFIERS, *SQUASHERS, *LAYERS, *LOSSES)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._dead: dict[str, Any] = {}
        self._seen: dict[str, int] = {}
        self._squashed: dict[int, tuple[str, Any]] = {}
        self._largest: list[Any] = []
        self._calls: Counter[str] = Counter()

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """From here on the activations of one forward are counted."""
        self._calls.clear()

    def called(self, call: Call) -> None:
        """An activation, a layer or a loss returned."""
        if call.name in LOSSES:
            self._is_output(call.argument(0, "input"))
        elif readable(self.torch, call.result) and self.torch.is_grad_enabled():
            result = call.result.detach()
            if call.name in RECTIFIERS:
                self._rectified(call, result)
            elif call.name in LAYERS:
                self._largest.append(self.torch.linalg.vector_norm(result, float("inf")).float())
            elif call.result.grad_fn is not None and self._in_model(call):
                low = -1.0 if call.name.startswith("tanh") else 0.0
                near = BOUND * (1 - low)
                share = ((result < low + near) | (result > 1 - near)).float().mean()
                title = _title(call)
                self._calls[title] += 1
                self._squashed[call.result.grad_fn._sequence_nr()] = (title, share)

    def after_forward(self, root: torch.nn.Module, output: Any) -> None:
        """What the model gives may well stand at its bounds: a discriminator that is sure."""
        for tensor in tensors_in(self.torch.Tensor, output):
            self._is_output(tensor)
        if self._calls:
            self.say("model.recurrence", max(self._calls.values()))

    def before_backward(self, loss: torch.Tensor) -> None:
        """What reaches the loss through no further layer is a prediction, and may stand at its bounds."""
        if self._squashed and loss.grad_fn is not None:
            for node in nodes_of(loss.grad_fn, lambda one: not WEIGHTED.match(one.name())):
                self._squashed.pop(node._sequence_nr(), None)

    def _in_model(self, call: Call) -> bool:
        """Whether a module of the model calls; where it has none, nobody can tell."""
        return bool(call.place().module) or not any(one.roots for one in self.watcher.models.values())

    def _is_output(self, tensor: Any) -> None:
        if isinstance(tensor, self.torch.Tensor):
            for _, node in activation_nodes(tensor):
                self._squashed.pop(node._sequence_nr(), None)

    def _rectified(self, call: Call, result: Any) -> None:
        """Units that were alive in no sampled step so far. Those of a frozen part are what they are."""
        if result.dim() < 2 or not call.result.requires_grad:
            return
        unit = _unit_dim(call.result)
        axes = [axis for axis in range(result.dim()) if axis != unit % result.dim()]
        dead = result.amax(dim=axes) <= 0
        title = _title(call)
        self._calls[title] += 1
        known = self._dead.get(title)
        together = known is not None and known.shape == dead.shape
        self._dead[title] = known & dead if together else dead
        self._seen[title] = (self._seen.get(title, 0) if together else 0) + result.numel() // max(
            1, dead.numel()
        )

    def look_ended(self, step: int) -> None:
        """Read what was gathered, and say the worst."""
        dead = {
            title: float(mask.float().mean())
            for title, mask in self._dead.items()
            if self._seen[title] >= SAMPLES
        }
        saturated = {title: float(share) for title, share in self._squashed.values()}
        self._worst("act.dead", dead)
        self._worst("act.saturated", saturated)
        if self._largest:
            self.say("act.max_abs", float(self.torch.stack([one.cpu() for one in self._largest]).max()))
        self._squashed.clear()
        self._largest.clear()

    def _worst(self, fact: str, shares: dict[str, float]) -> None:
        if shares:
            title = max(shares, key=lambda one: shares[one])
            self.say(f"{fact}_share", round(shares[title], 3), note=title)
            self.say(f"{fact}_module", title)


def _title(call: Call) -> str:
    """The module that called, or the line."""
    place = call.place()
    return (
        f"{place.module} ({call.name.rstrip('_')})" if place.module else f"{call.name.rstrip('_')} at {place}"
    )


def _unit_dim(result: Any) -> int:
    """Channels stand second behind a convolution, and last behind a linear layer."""
    node = result.grad_fn
    before = "".join(parent.name() for parent, _ in node.next_functions if parent is not None) if node else ""
    if any(name in before for name in ("Convolution", "BatchNorm", "GroupNorm", "MaxPool")):
        return 1
    return -1 if result.dim() == 3 or "Addmm" in before or "View" in before else 1
