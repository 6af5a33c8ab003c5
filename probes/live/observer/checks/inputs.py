"""The scale of what goes into the model, and whether the model changes it in place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..graphs import grad_fn_of
from ..look.values import tensors_in
from ..operations import Call
from .check import Check
from .tensors import readable

if TYPE_CHECKING:
    import torch

LARGE = 10.0
"""A mean or a standard deviation above this: AutoTrainer calls data with a mean absolute value of 10 abnormal."""

UNEVEN = 1000.0
"""How many times the spread of a typical column another column of a table may have."""

GROWN = 50.0
"""So many times as widely as at first, inputs of one shape do not spread by chance."""

MOST = 64
"""Shapes that are remembered."""

SCALING = (
    "div",
    "__rtruediv__",
    "sub",
    "mul",
    "batch_norm",
    "layer_norm",
    "normalize",
    "log",
    "log1p",
    "instance_norm",
)
"""What a model that scales its input itself begins with."""


class Inputs(Check):
    """Mean, standard deviation and largest value of the model's first floating-point input (playbook b04, b31)."""

    name = "inputs"
    early = 1
    functions = SCALING

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._input: Any = None
        self._scaled = False
        self._version = 0
        self._rows: tuple[float, float, float, bool, bool] | None = None
        self._shape: tuple[int, ...] = ()
        self._spreads: dict[tuple[int, ...], float] = {}
        """How widely the first input of each shape of sample was spread."""
        self._made: dict[tuple[int, ...], int] = {}
        """Which network gave samples of a shape: a critic is given features, which grow as they are learnt."""
        self._root = 0

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """The first input of the step."""
        if self._input is not None or not self.torch.is_grad_enabled():
            return
        first: Any = next(tensors_in(self.torch.Tensor, (args, kwargs)), None)
        if (
            readable(self.torch, first)
            and first.is_floating_point()
            and first.dim() > 1
            and grad_fn_of(first) is None  # what another model made
            and not first.is_inference()
        ):
            self._root = id(root)
            self._input, self._scaled, self._version = first, False, first._version
            self._rows, self._shape = self._read(first.detach()), tuple(first.shape[1:])

    def called(self, call: Call) -> None:
        """Whether the model scales its input itself."""
        if self._input is not None and call.args and call.args[0] is self._input and call.name in SCALING:
            self._scaled = True

    def after_forward(self, root: torch.nn.Module, output: Any) -> None:
        """Whether the input is what it was."""
        for one in tensors_in(self.torch.Tensor, output):
            if one.dim() > 1 and len(self._made) < MOST:
                self._made.setdefault(tuple(one.shape[1:]), id(root))
        if self._input is not None and self._version >= 0:
            self.say("model.changes_its_input", self._input._version != self._version)
            self._version = -1

    def look_ended(self, step: int) -> None:
        """Judge."""
        rows, self._rows, self._input = self._rows, None, None
        if rows is None:
            return
        mean, std, largest, uneven, constant = rows
        self.say("data.inputs.mean", mean)
        self.say("data.inputs.std", std)
        self.say("data.inputs.max_abs", largest)
        self.say("data.inputs.constant", constant)
        # What a model is tried with is all zeros, and no measure of what comes.
        given = self._made.get(self._shape, self._root) == self._root
        if given and std > 0 and (times := std / self._spreads.setdefault(self._shape, std)) > GROWN:
            self.say("data.inputs.grown", times)
        if abs(mean) > LARGE or std > LARGE or uneven:
            if not self._scaled:
                self.retract("data.inputs.normalized")  # of what came first
                self.say(
                    "data.inputs.normalized",
                    False,
                    note="columns differ by orders of magnitude" if uneven else None,
                )
        elif abs(mean) <= 2 and 0.1 <= std <= 3:
            self.say("data.inputs.normalized", True)

    def _read(self, tensor: Any) -> tuple[float, float, float, bool, bool]:
        values = tensor[: max(1, min(len(tensor), 4_000_000 // max(1, tensor[0].numel())))].float()
        std = float(values.std()) if values.numel() > 1 else 0.0
        uneven = False
        if values.dim() == 2 and len(values) >= 8:
            columns = values.std(dim=0)
            columns = columns[columns > 0]
            uneven = bool(len(columns) > 1 and columns.max() > UNEVEN * columns.median())
        constant = len(values) > 1 and bool((values == values[:1]).all())
        return float(values.mean()), std, float(values.abs().max()), uneven, constant
