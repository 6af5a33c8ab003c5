"""What each rank holds, so that the parent can compare them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from zlib import crc32

from ..look.values import tensors_in
from ..model import held
from .check import Check
from .likeness import looks_of
from .tensors import readable

if TYPE_CHECKING:
    import torch

    from ..model import ModelSeen

UNAVERAGED = 3
"""Steps after which the wrapper must have averaged gradients; it counts each time behind the first."""


VALUES = 16
"""Numbers that an input needs, so that two ranks do not get the same by chance."""
INPUTS = 4
"""Tensors of the first call in a step that are looked at."""


class Ranks(Check):
    """Writes a `checksum` record before sampled steps: norms of parameters and gradients of this rank, and what it was given.

    Ranks that train the same model hold the same bits, and after the averaging the same gradients. Sharded
    parameters (FSDP, tensor parallelism) differ by design and are not written. Under `Join` ranks with less data
    make fewer steps: once it has begun anew, their steps of one number are no longer the same.
    """

    name = "ranks"
    early = 6

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._joined: dict[int, Any] = {}
        self._given: int | None = None

    def look_began(self, step: int) -> None:
        """Nothing was given yet."""
        self._given = None

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """What the wrapper of all ranks is given first in a step. Parts of a model on several ranks share their samples by design."""
        if (
            self._given is not None
            or type(root).__name__ != "DistributedDataParallel"
            or not self.torch.is_grad_enabled()
            or not self._together()
            or root.process_group.size() != self.torch.distributed.get_world_size()  # type: ignore[operator]
        ):
            return
        given: list[Any] = [
            one for one in tensors_in(self.torch.Tensor, (args, kwargs)) if readable(self.torch, one)
        ]
        if given and given[0].numel() >= VALUES:
            looks = [(tuple(one.shape), looks_of(one)) for one in given[:INPUTS]]
            self._given = crc32(repr(looks).encode())

    def before_step(self, optimizer: torch.optim.Optimizer) -> None:
        """The gradients are averaged by now."""
        model = self.watcher.models.get(id(optimizer))
        step = self.watcher.step + 1
        if model is None or not self._together():
            return
        parameters = [one for one in held(optimizer) if one.requires_grad]
        wrappers = {type(one).__name__ for one in model.chain}
        if (
            not parameters
            or "FullyShardedDataParallel" in wrappers
            or self._joined_again(model)
            or not all(readable(self.torch, one) for one in parameters)
        ):
            return
        self.journal.record(
            "checksum",
            step=step,
            optimizer=model.number,
            parameters=self._sum(parameters),
            gradients=self._sum([one.grad for one in parameters if readable(self.torch, one.grad)]),
            count=sum(one.numel() for one in parameters),
            wrapped="DistributedDataParallel" in wrappers,
            given=self._given,
        )
        if "DistributedDataParallel" in wrappers and self.watcher.steps.get(id(optimizer), 0) >= UNAVERAGED:
            self._say_averaged(model, step)

    def _say_averaged(self, model: ModelSeen, step: int) -> None:
        """Has the wrapper averaged any gradients yet? Where the network in it is called itself, or never but in `no_sync`, it has not."""
        for one in model.chain:
            if type(one).__name__ == "DistributedDataParallel":
                done: Any = one._get_ddp_logging_data().get("iteration")  # type: ignore[operator]
                if done == 0:
                    self.journal.fact("dist.wrapper_bypassed", True, step=step)

    def _joined_again(self, model: ModelSeen) -> bool:
        """Whether this is within another `Join` than the first: each gives the wrapper a configuration of its own."""
        configured: Any = (getattr(one, "_join_config", None) for one in model.chain)
        config = next((one for one in configured if one is not None and one.enable), None)
        return config is not None and self._joined.setdefault(model.number, config) is not config

    def _together(self) -> bool:
        """Whether several ranks train together."""
        distributed: Any = self.torch.distributed
        return bool(
            distributed.is_available() and distributed.is_initialized() and distributed.get_world_size() > 1
        )

    def _sum(self, tensors: list[Any]) -> float | None:
        if not tensors:
            return None
        norms = self.torch._foreach_norm([one.detach() for one in tensors])
        return float(self.torch.stack([one.double().cpu() for one in norms]).sum())
