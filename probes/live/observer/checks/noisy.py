"""Which modules behave differently in train mode and in eval mode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

NOISY = ("Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout", "BatchNorm1d",
         "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm")  # fmt: skip
"""Modules that behave differently in the two modes."""

MANY = 1000
"""Models that are remembered."""


def is_noisy(module: Any) -> bool:
    """Whether a module behaves differently in the two modes: by its kind, or as `F.dropout(x, p, self.training)`."""
    if any(kind.__name__ in NOISY for kind in type(module).__mro__):
        # Without averages of its own it normalises by the batch in either mode.
        return bool(getattr(module, "p", 1.0) > 0) and getattr(module, "track_running_stats", True)
    # The class of a scripted module raises where it is asked for its forward.
    code = getattr(getattr(type(module), "forward", None), "__code__", None)
    names = set(code.co_names) if code is not None else set()
    if not {"dropout", "training"} <= names or "dropout" in vars(module).get("_modules", ()):
        return False
    if getattr(module, "num_layers", 0) == 1:  # a recurrent layer drops between its layers only
        return False
    rates = [rate for name, rate in vars(module).items() if _is_rate(name, rate)]
    return any(rates) if rates else not names.isdisjoint(("F", "functional"))


def _is_rate(name: str, value: Any) -> bool:
    return ("drop" in name or name == "p") and type(value) in (int, float)


class InMode:
    """In which mode a model is, where that makes a difference."""

    def __init__(self) -> None:
        self._noisy: dict[int, list[Any]] = {}
        self._norms: dict[int, Any] = {}
        """The first batch normalisation of each, if it follows the batches with a momentum."""
        self._used: set[int] = set()
        """Models that were evaluated, or trained in train mode."""
        self._meant: dict[int, bool] = {}

    def __call__(self, root: Any, *, evaluated: bool = False) -> str:
        """`train` or `eval`; `plain` where it is the same, or where only some parts are in the mode of their own.

        `averaging` while it is only shown batches, for the statistics of new weights: whoever does so
        (`torch.optim.swa_utils.update_bn`, and the callbacks of trainers) takes the momentum away meanwhile.
        """
        mode = self._of(root)
        if (evaluated or mode == "train") and len(self._used) < MANY:
            self._used.add(id(root))
        return mode

    def is_meant(self, root: Any) -> bool:
        """Whether a model that trains in eval mode is to do so, as judged when it first does.

        It is frozen but for a small part. Or it has come with statistics and been in eval mode since, as where small batches
        are to leave them as they are; no evaluation was before, which might have left it so.
        """
        meant = self._meant.get(id(root))
        if meant is None:
            meant = not learns(root) or (id(root) not in self._used and has_statistics(root))
            self._meant[id(root)] = meant
        return meant

    def _of(self, root: Any) -> str:
        noisy = self._noisy.get(id(root))
        if noisy is None:
            noisy = self._noisy[id(root)] = [one for one in root.modules() if is_noisy(one)]
            norm = next((one for one in noisy if getattr(one, "momentum", None) is not None), None)
            self._norms[id(root)] = norm
        if not noisy:
            return "plain"
        if root.training:
            norm = self._norms[id(root)]
            if norm is not None and norm.momentum is None:
                return "averaging"
            return "train" if any(one.training for one in noisy) else "plain"
        return "plain" if any(one.training for one in root.children()) else "eval"


def learns(root: torch.nn.Module) -> bool:
    """Whether most of a model is trained. One that is frozen, but for a prompt or an adapter, is in eval mode on purpose."""
    sizes = [(one.requires_grad, one.numel()) for one in root.parameters()]
    return 2 * sum(size for trains, size in sizes if trains) >= sum(size for _, size in sizes)


def has_statistics(root: torch.nn.Module) -> bool:
    """Whether its batch normalisation has seen batches before: it was trained, here or where its weights come from."""
    counts = (getattr(one, "num_batches_tracked", None) for one in root.modules())
    return any(one is not None and not one.is_meta and bool(one > 0) for one in counts)
