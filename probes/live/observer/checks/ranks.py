"""What each rank holds, so that the parent can compare them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..model import held
from .check import Check
from .tensors import readable

if TYPE_CHECKING:
    import torch

    from ..model import ModelSeen

UNAVERAGED = 3
"""Steps after which the wrapper must have averaged gradients; it counts each time behind the first."""


class Ranks(Check):
    """Writes a `checksum` record before sampled steps: norms of parameters and gradients of this rank.

    Ranks that train the same model hold the same bits, and after the averaging the same gradients. Sharded
    parameters (FSDP, tensor parallelism) differ by design and are not written. Under `Join` ranks with less data
    make fewer steps: once it has begun anew, their steps of one number are no longer the same.
    """

    name = "ranks"
    early = 6

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._joined: dict[int, Any] = {}

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
