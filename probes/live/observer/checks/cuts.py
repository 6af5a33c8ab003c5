"""Why parameters get no gradient: cut out of the graph, run without one, or computing what nobody uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..graphs import grad_fn_of, leaves_of, nodes_below
from ..look.values import tensors_in
from ..model import held
from ..operations import Call
from ..parameters import Parameters
from .check import Check

if TYPE_CHECKING:
    import torch

LAYERS = (
    "linear", "bilinear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d",
    "embedding", "embedding_bag", "layer_norm", "batch_norm", "group_norm", "instance_norm", "rms_norm", "prelu",
    "lstm", "gru", "rnn_tanh", "rnn_relu", "lstm_cell", "gru_cell", "multi_head_attention_forward", "matmul",
    "__matmul__", "__rmatmul__", "mm", "bmm", "addmm", "einsum", "mul", "add", "sub", "div", "__getitem__",
)  # fmt: skip
"""Functions that take parameters."""

CUTS = (
    "detach",
    "tolist",
    "numpy",
    "__array__",
    "__get__",
    "argmax",
    "long",
    "int",
    "multinomial",
    "tensor",
    "as_tensor",
)
"""Functions of a tensor with a graph that give something without one; `__get__` is that of `.data`."""

NEVER = "model.never_called"

NAMES = 8
"""Modules that are named."""

MOST, NODES = 8, 1000
"""Cuts of one step that are followed, and nodes of the graph before each."""


class Cuts(Check):
    """Compares, in one step, the parameters that get no gradient with those that were used.

    One that was used before its graph was cut has lost its gradient there; one that was used elsewhere computes
    something that never reaches the loss. The statistics of a metric are cut as well: only what gets no
    gradient in any other way counts.
    """

    name = "cuts"
    functions = (*LAYERS, *CUTS)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._ever: set[int] = set()
        self._begin()

    def _begin(self) -> None:
        self._used: set[int] = set()
        self._cut: dict[int, str] = {}
        self._missing: set[int] = set()
        self._followed = 0
        self._forward = True

    def look_began(self, step: int) -> None:
        """Nothing was used yet."""
        self._begin()

    def before_backward(self, loss: torch.Tensor) -> None:
        """What comes after it has no part in the loss."""
        self._forward = False

    def called(self, call: Call) -> None:
        """A parameter is used, or a tensor loses its graph."""
        if not self._forward:
            return
        if call.name in CUTS:
            self._follow(call)
            return
        parameters = [id(one) for one in tensors_in(self.torch.nn.Parameter, (call.args, call.kwargs))]
        if parameters and self.torch.is_grad_enabled():
            self._used.update(parameters)
        elif parameters:
            self._cut.update((one, str(call.place())) for one in parameters if one not in self._cut)

    def before_step(self, optimizer: torch.optim.Optimizer) -> None:
        """Who has no gradient?"""
        if not self.watcher.skipped:
            self._missing.update(id(one) for one in held(optimizer) if one.requires_grad and one.grad is None)

    def look_ended(self, step: int) -> None:
        """Say why."""
        cut = [self._cut[one] for one in self._missing if one in self._cut]
        if self._missing:
            self.say("grad.cut", bool(cut))
            self.say("grad.result_unused", bool(self._missing & self._used) and not cut)
            if cut:
                self.say("grad.cut_where", max(cut, key=cut.count))
        self._ever |= self._used | self._cut.keys()
        if self._missing or NEVER in self._said:
            self._say_never_called()
        self._begin()

    def _say_never_called(self) -> None:
        """Modules of which no parameter was ever used, beside others that are: some are left out in some steps."""
        parts = (one for one in self.watcher.parts if isinstance(one, Parameters))
        ever = self._ever.union(*(one.with_gradient() for one in parts))
        never = [
            (own, path)
            for model in self.watcher.models.values()
            for module in model.each_module()
            if (own := model.modules.get(id(module), ""))
            and (path := [id(one) for one in module.parameters()])
            and self._missing.issuperset(path)
            and not ever.intersection(path)
        ]
        outer = [own for own, _ in never if not any(own.startswith(f"{one}.") for one, _ in never)]
        if self._used:
            self.say(NEVER, ", ".join(outer[:NAMES]))

    def _follow(self, call: Call) -> None:
        """Remember whose graph is cut here."""
        tensor, result = call.args[0] if call.args else None, call.result
        if not isinstance(tensor, self.torch.Tensor) or grad_fn_of(tensor) is None or tensor.numel() < 2:
            return
        if isinstance(result, self.torch.Tensor):
            if result.requires_grad:
                return
        elif call.name == "__get__":
            return
        if self._followed < MOST:
            self._followed += 1
            where = str(call.place())
            for parameter in leaves_of(nodes_below(tensor.grad_fn, NODES)):
                self._cut.setdefault(id(parameter), where)
