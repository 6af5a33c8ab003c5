"""What the step that failed was computed from: copies of the weights, references to the batch, the random state."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..graphs import grad_fn_of
from .twin import Twins
from .values import nonfinite, tensors_in

if TYPE_CHECKING:
    import torch

SHARE = 0.25
"""The share of the free memory that copies of the weights may take; the second forward pass needs the rest."""

STILL = 16
"""Steps without a random number after which the next ones are taken to draw none either."""


@dataclass
class Step:
    """The tensors that one step of the loop is computed from, as far as they are seen. No copies."""

    batch: Any = None
    arguments: dict[int, tuple[Any, ...]] = field(default_factory=dict)
    random_state: Any = None

    def begin(self, random_state: Any) -> None:
        """The next step, which will draw from this state, knows nothing of the last one."""
        self.batch, self.random_state = None, random_state
        self.arguments.clear()


class RandomState:
    """What the next step draws from. It is 5 kB: where nothing is drawn in the loop, it is copied now and then."""

    def __init__(self, torch: Any) -> None:
        self._equal, self._get = torch.equal, torch.default_generator.get_state
        self._last: Any = None
        self._still = 0

    def after(self, step: int) -> Any:
        """The state after a step of the loop."""
        if self._still <= STILL or step % STILL == 0:
            last, self._last = self._last, self._get()
            same = last is not None and self._equal(last, self._last)
            self._still = self._still + 1 if same else 0
        return self._last


@dataclass
class Snapshot:
    """A step that failed, with copies of the weights and buffers as they were."""

    step: Step
    copies: list[tuple[torch.Tensor, torch.Tensor]]

    def twins(self, torch: Any) -> Twins:
        """Twins for the next step of the loop, from which everything else follows."""
        twins = Twins(torch, self.step.random_state)
        for own, copy in self.copies:
            twins.pair(own, copy.detach().clone().requires_grad_(own.requires_grad))
        return twins

    def pair_batch(self, torch: Any, twins: Twins, batch: Any) -> None:
        """The loader gave the next batch: its tensors stand for those of the batch that failed."""
        _pair(torch, twins, batch, self.step.batch)

    def pair_arguments(self, torch: Any, twins: Twins, module: torch.nn.Module, arguments: Any) -> None:
        """The model is called: its arguments stand for those of the call that failed."""
        _pair(torch, twins, arguments, self.step.arguments.get(id(module)))


def take_snapshot(
    torch: Any, modules: list[torch.nn.Module], held: list[torch.Tensor], step: Step
) -> Snapshot | None:
    """Copy every parameter and buffer of these modules, and what the optimizers hold. None where memory is short."""
    tensors = list(_tensors_of(modules, held))
    if any(type(one) not in (torch.Tensor, torch.nn.Parameter) for one in tensors):
        return None
    needed = sum(one.numel() * one.element_size() for one in tensors)
    if needed > SHARE * _free(torch, tensors):
        return None
    return Snapshot(step, [(one, one.detach().clone()) for one in tensors])


def _tensors_of(modules: list[torch.nn.Module], held: list[torch.Tensor]) -> Iterator[torch.Tensor]:
    seen: set[int] = set()
    of_modules = (
        one for module in modules for part in (module.parameters(), module.buffers()) for one in part
    )
    for tensor in (*of_modules, *held):
        if id(tensor) not in seen:
            seen.add(id(tensor))
            yield tensor


def _free(torch: Any, tensors: list[torch.Tensor]) -> float:
    """Bytes free where most of the tensors lie."""
    if tensors and tensors[0].is_cuda:
        return float(torch.cuda.mem_get_info(tensors[0].device)[0])
    try:
        with open("/proc/meminfo") as lines:
            known = dict(line.split(":", 1) for line in lines)
        return float(known["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError, IndexError):
        return float(2**30)


def _pair(torch: Any, twins: Twins, own: Any, failed: Any) -> None:
    """Pair tensor by tensor where both hold as many of the same kinds."""
    ours, theirs = list(tensors_in(torch.Tensor, own)), list(tensors_in(torch.Tensor, failed))
    if len(ours) != len(theirs) or any(
        a.dtype != b.dtype or a.dim() != b.dim() for a, b in zip(ours, theirs)
    ):
        return
    for one, other in zip(ours, theirs):
        # What a network made keeps its graph; what became non-finite on the way here keeps the reason.
        if grad_fn_of(one) is None and nonfinite(torch, twins.of(one)) is None:
            twins.pair(one, other.detach())
