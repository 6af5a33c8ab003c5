"""Which modules behave differently in train mode and in eval mode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

NOISY = ("Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout", "BatchNorm1d",
         "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm")  # fmt: skip
"""Modules that behave differently in the two modes."""


def is_noisy(module: Any) -> bool:
    """Whether a module behaves differently in the two modes: by its kind, or as `F.dropout(x, p, self.training)`."""
    if any(kind.__name__ in NOISY for kind in type(module).__mro__):
        return bool(getattr(module, "p", 1.0) > 0)
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

    def __call__(self, root: Any) -> str:
        """`train` or `eval`; `plain` where it is the same, or where only some parts are in the mode of their own."""
        noisy = self._noisy.get(id(root))
        if noisy is None:
            noisy = self._noisy[id(root)] = [one for one in root.modules() if is_noisy(one)]
        if not noisy:
            return "plain"
        if root.training:
            return "train" if any(one.training for one in noisy) else "plain"
        return "plain" if any(one.training for one in root.children()) else "eval"


def learns(root: torch.nn.Module) -> bool:
    """Whether most of a model is trained. One that is frozen, but for a prompt or an adapter, is in eval mode on purpose."""
    sizes = [(one.requires_grad, one.numel()) for one in root.parameters()]
    return 2 * sum(size for trains, size in sizes if trains) >= sum(size for _, size in sizes)
