"""A second run of the same operations, with the tensors of the step that failed in the place of those of this step.

A tensor of the run may have a twin: a weight its copy from before the failed step, a batch the failed batch, and
what is computed from a tensor with a twin gets one computed from the twin. What has no twin stands for itself.
Where the twin of an operation cannot be run, its results are lost, and so is all that comes from them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Callable

from .values import tensors_in, with_tensors

if TYPE_CHECKING:
    import torch

RANDOM = frozenset(
    [
        "rand",
        "randn",
        "randint",
        "randperm",
        "normal",
        "bernoulli",
        "multinomial",
        "poisson",
        "rand_like",
        "randn_like",
        "randint_like",
    ]
)
"""Functions that draw without a tensor that could have a twin."""

NOT_TWICE = frozenset(
    ["__deepcopy__", "__reduce_ex__", "__setstate__", "__repr__", "share_memory_", "pin_memory", "backward"]
)
"""Functions that are about the object and not about its values, or that must happen once."""


class Twins:
    """The twins of a step's tensors, and a random state of their own."""

    def __init__(self, torch: Any, random_state: torch.Tensor | None = None) -> None:
        from torch.utils.weak import WeakTensorKeyDictionary

        self._torch = torch
        self._of: Any = WeakTensorKeyDictionary()
        self._lost: Any = WeakTensorKeyDictionary()
        self._random_state = random_state

    def __len__(self) -> int:
        return len(self._of)

    def pair(self, tensor: torch.Tensor, twin: torch.Tensor) -> None:
        """From now on this tensor has this twin."""
        self._lost.pop(tensor, None)
        if twin is not tensor:
            self._of[tensor] = twin

    def lose(self, tensor: torch.Tensor) -> None:
        """What the twin of this tensor would be is not known."""
        self._of.pop(tensor, None)
        self._lost[tensor] = True

    def of(self, tensor: torch.Tensor) -> torch.Tensor:
        """Its twin, or the tensor itself where it has none."""
        twin: torch.Tensor = self._of.get(tensor, tensor)
        return twin

    def has(self, tensor: torch.Tensor) -> bool:
        """Whether it has a twin."""
        return tensor in self._of

    def is_lost(self, tensor: torch.Tensor) -> bool:
        """Whether its twin could not be computed."""
        return tensor in self._lost

    def before(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """An operation is about to write into its first operand: that one needs a twin before it does."""
        target = args[0] if args else None
        if not isinstance(target, self._torch.Tensor) or not writes(name) or self.has(target):
            return
        rest = tensors_in(self._torch.Tensor, [*args[1:], kwargs])
        if any(self.has(one) or self.is_lost(one) for one in rest) and not target.requires_grad:
            self.pair(target, target.detach().clone())

    def follow(self, function: Callable[..., Any], name: str, args: Any, kwargs: Any, result: Any) -> None:
        """An operation of the run has returned: run it on the twins, and pair the results."""
        kind = self._torch.Tensor
        operands = list(tensors_in(kind, [args, kwargs]))
        results = list(tensors_in(kind, result))
        paired = any(self.has(one) for one in operands) or (name in RANDOM and not kwargs.get("generator"))
        if any(self.is_lost(one) for one in operands):
            self._lose(results if results or not writes(name) else operands[:1])
        elif paired and (results or name == "__setitem__"):
            self._run(function, args, kwargs, operands, results)

    def _run(
        self, function: Callable[..., Any], args: Any, kwargs: Any, operands: list[Any], results: list[Any]
    ) -> None:
        if not self._may_run(function, kwargs):
            self._lose(results)
            return
        kind = self._torch.Tensor
        self._begin_graphs(operands)
        try:
            with self.random_state_of_its_own(), self._saving_by_itself():
                twin = function(*with_tensors(kind, args, self.of), **with_tensors(kind, kwargs, self.of))
        except Exception:  # noqa: BLE001 - an operation may raise anything
            # Most often another shape: the batches of the two steps differ in length.
            self._lose(results or operands[:1])
            return
        twins = list(tensors_in(kind, twin))
        if len(twins) != len(results):
            self._lose(results)
            return
        for one, other in zip(results, twins):
            if one.requires_grad and not other.requires_grad:
                self.lose(one)
            else:
                self.pair(one, other)

    def _begin_graphs(self, operands: list[Any]) -> None:
        """What a function of `torch.autograd.Function` gave gets its graph when it has returned: its twin has none, and begins one."""
        for one in operands:
            twin = self._of.get(one)
            if twin is not None and one.requires_grad and not twin.requires_grad and twin.is_leaf:
                twin.requires_grad_()

    def _may_run(self, function: Callable[..., Any], kwargs: Any) -> bool:
        """Not what draws from a generator of the script, or talks to other ranks."""
        if any(isinstance(one, self._torch.Generator) for one in kwargs.values()):
            return False
        where = f"{getattr(function, '__module__', '')} {type(function).__name__} {getattr(function, '__name__', '')}"
        return "distributed" not in where and "OpOverload" not in where and not name_of(function) in NOT_TWICE

    @contextmanager
    def random_state_of_its_own(self) -> Iterator[None]:
        """Draw from the random state of the step that failed, and leave that of the run as it is."""
        torch = self._torch
        own = torch.get_rng_state()
        devices = self._device_states()
        try:
            if self._random_state is not None:
                torch.set_rng_state(self._random_state)
            yield
        finally:
            self._random_state = torch.get_rng_state()
            torch.set_rng_state(own)
            for device, state in devices:
                torch.cuda.set_rng_state(state, device)

    @contextmanager
    def _saving_by_itself(self) -> Iterator[None]:
        """Keep what the backward pass needs as it is: a checkpoint counts what is saved within it. The last hooks count."""
        autograd = self._torch._C._autograd
        try:
            autograd._push_saved_tensors_default_hooks(_as_it_is, _as_it_is)
        except RuntimeError:  # nobody may have hooks here
            yield
            return
        try:
            yield
        finally:
            autograd._pop_saved_tensors_default_hooks()

    def _device_states(self) -> list[tuple[int, Any]]:
        cuda = self._torch.cuda
        if not cuda.is_initialized():
            return []
        return [(device, cuda.get_rng_state(device)) for device in range(cuda.device_count())]

    def _lose(self, tensors: list[Any]) -> None:
        for one in tensors:
            self.lose(one)


def _as_it_is(tensor: Any) -> Any:
    return tensor


def name_of(function: Any) -> str:
    """The name of an operation as the script calls it: `log`, `softmax`, `__setitem__`; `.data` for a property."""
    name = getattr(function, "__name__", "") or type(function).__name__
    if name in ("__get__", "__set__"):
        return "." + str(getattr(getattr(function, "__self__", None), "__name__", name))
    return str(name)


def writes(name: str) -> bool:
    """Whether the operation changes its first operand."""
    return name == "__setitem__" or (name.endswith("_") and not name.endswith("__")) or name.startswith("__i")
