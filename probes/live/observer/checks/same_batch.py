"""Is every step given the same batch?"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from ..look.values import tensors_in
from ..operations import Call
from .check import Check
from .handed_out import HandedOut, seeds_a_loader
from .likeness import looks_of
from .tensors import is_whole_part, readable

if TYPE_CHECKING:
    import torch

SAME = 6
"""Sampled steps in a row with equal inputs."""

VALUES = 64
"""How many random numbers are compared."""

LASTING = 200
"""Steps that a copy of a model trains for, before what it is given is the data of the run."""

DRAWN = 16
"""Random numbers that do not come again by chance."""

LARGER = 2
"""How many times as large as the batch what it is taken from must be: else it may be the training part of a set."""

RANDOM = (
    "rand", "randn", "randint", "randperm", "rand_like", "randn_like", "randint_like", "normal", "bernoulli",
    "multinomial", "normal_", "uniform_", "random_", "bernoulli_",
)  # fmt: skip
FORWARDS = 8
"""Calls of the model in one step whose inputs are compared."""

PARTS = 64
"""Parts of one memory that are added up."""

PICKING = ("__getitem__", "index_select", "stack")


class SameBatch(Check):
    """Compares a few values of the step's inputs with those of the sampled step before.

    All that the model is given up to the first backward pass must be the same: an evaluation that records its graph
    comes first, too. The whole set as one batch is the same batch in every step and no mistake. So one of these must be so:
    a loader has more batches than the one it gives; the input is a part of a larger tensor, always the same one; it is
    picked anew from a larger one; the random numbers that are drawn before it are the same each time. Where the script
    adds noise to what the loader gives, or masks some of it, what the loader gives must be the same.

    A copy that is trained for a while (on a task of meta-learning, to see what a model could learn) gets the few samples
    that it is to learn from. Batches of two models do not compare. Where the step goes on through the other parts, or through
    the other batches of the loader, and adds up their gradients, the first of them says nothing.
    """

    name = "same batch"
    early = 6
    functions = (*RANDOM, *PICKING)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._inputs: list[Any] = []
        self._last: list[Any] = []
        self._complete = False
        self._first: Any = None
        self._same = 0
        self._drawn: list[list[float]] = []
        self._drawn_last: list[list[float]] = []
        self._picked: list[tuple[int, ...]] = []
        self._indices: tuple[list[Any], list[Any]] = ([], [])
        self._model: weakref.ref[torch.nn.Module] | None = None
        self._copied = self._others = False
        self._handed_out = HandedOut(self.torch, lambda: self.watcher.passes_ended)
        self._parts: dict[int, int] = {}
        """What the step was given of the memory in which the first input lies, by the address: the bytes."""

    def look_began(self, step: int) -> None:
        """Nothing was drawn or picked yet. An index that is kept is no new object of the same address."""
        self._drawn_last, self._drawn, self._picked = self._drawn, [], []
        self._indices = (self._indices[1], [])
        self._parts.clear()
        self._others = False
        self._handed_out.begin()

    def batch_loaded(self, batch: Any, seconds: float) -> None:
        """A loader gave a batch."""
        self._handed_out.loaded(batch)

    def called(self, call: Call) -> None:
        """Before the input is there: random numbers were drawn, or some rows of a tensor taken."""
        if self._inputs or not readable(self.torch, call.result):
            return
        if call.name in RANDOM:
            if len(self._drawn) < VALUES and not seeds_a_loader(call):
                self._drawn.append(_some(call.result))
        elif call.args and self._is_picked(call):
            self._picked.append(tuple(call.result.shape))

    def _is_picked(self, call: Call) -> bool:
        """Whether some of many rows were taken, and by an index that was made for this step."""
        if call.name == "stack":
            rows = call.argument(0, "tensors")
            first = rows[0] if isinstance(rows, (list, tuple)) and rows else None
            return readable(self.torch, first) and _bytes(first) > LARGER * _size(call.result)
        whole, index = call.args[0], call.args[-1]
        if (
            not isinstance(index, (self.torch.Tensor, list))
            or getattr(index, "dtype", None) is self.torch.bool
        ):
            return False  # a mask takes all that are of a kind
        self._indices[1].append(index)
        return (
            readable(self.torch, whole)
            and whole.shape[1:] == call.result.shape[1:]
            and len(whole) > LARGER * len(call.result)
            and not any(one is index for one in self._indices[0])
        )

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """The first tensor is the input."""
        if self._complete:
            self._goes_on(root, args, kwargs)
        if self._complete or len(self._inputs) >= FORWARDS or not self.torch.is_grad_enabled():
            return
        first: Any = next(tensors_in(self.torch.Tensor, (args, kwargs)), None)
        if readable(self.torch, first):
            if not self._inputs:
                self._begin_with(root)
            part = first.data_ptr() if _bytes(first) >= LARGER * _size(first) else None
            self._inputs.append((tuple(first.shape), looks_of(first), part))
            self._first = self._first if self._first is not None else first
            self._parts[first.data_ptr()] = _size(first)

    def _goes_on(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """The model is called again after a backward pass, and before the step."""
        same = self._model is not None and self._model() is root and self.torch.is_grad_enabled()
        first: Any = next(tensors_in(self.torch.Tensor, (args, kwargs)), None) if same else None
        if not self._inputs or not readable(self.torch, first) or len(self._parts) > PARTS:
            return
        if first.untyped_storage().data_ptr() == self._first.untyped_storage().data_ptr():
            self._parts[first.data_ptr()] = _size(first)
        elif self._handed_out.count > 1 and not self._others:
            self._others = looks_of(first) != self._inputs[0][1]

    def _begin_with(self, root: torch.nn.Module) -> None:
        """The model of this step, which may be another than that of the last."""
        if self._model is None or self._model() is not root:
            self._model = weakref.ref(root)
            self._last, self._same = [], 0
            self._copied = self.watcher.registry.is_copy(root)

    def before_backward(self, loss: torch.Tensor) -> None:
        """What is called later is another round, or none at all."""
        self._complete = True

    def look_ended(self, step: int) -> None:
        """Were the inputs those of the step before?"""
        inputs, first, complete = self._inputs, self._first, self._complete
        self._inputs, self._first, self._complete = [], None, False
        handed = self._handed_out.is_last()
        if not inputs or not complete:
            return
        last, self._last = self._last, inputs
        if not last:
            return
        alike = [one[:2] for one in inputs] == [one[:2] for one in last]
        if not alike and not handed:
            self._same = 0
            self.retract("data.same_batch", "data.same_batch_how")
            self.say("data.same_batch", False)
            return
        self._same += 1
        if self._copied and step < LASTING:
            return
        same_part = alike and inputs[0][2] is not None and inputs[0][2] == last[0][2]
        same_part = same_part and _bytes(first) >= LARGER * sum(self._parts.values())
        if self._same < SAME:
            return
        how = self._how(same_part and not is_whole_part(self.torch, first)) if alike else ""
        if how := how or ("" if self._others else self._handed_out.first_only()):
            self.say("data.same_batch", True)
            self.say("data.same_batch_how", how)

    def _how(self, same_part: bool) -> str:
        """Why this batch is not all there is; empty where it may be."""
        again = self._drawn == self._drawn_last and sum(map(len, self._drawn)) >= DRAWN
        if again and not self._handed_out.is_whole_stream():
            return "the random numbers that choose it are the same in every step, as after a seed set in the loop"
        if same_part:
            return "it is always the same part of a larger tensor"
        if self._last[0][0] in self._picked and not self._others:
            return "the same rows of a larger tensor are taken anew in every step"
        return ""


def _some(tensor: Any) -> list[float]:
    """Values from all over a tensor."""
    values = tensor.detach() if tensor.is_contiguous() else tensor.detach()[:1].contiguous()
    return values.reshape(-1)[:: max(1, values.numel() // VALUES)].tolist()  # type: ignore[no-any-return]


def _size(tensor: Any) -> int:
    return int(tensor.numel() * tensor.element_size())


def _bytes(tensor: Any) -> int:
    """Of the memory that the tensor is a part of."""
    return int(tensor.untyped_storage().nbytes())
