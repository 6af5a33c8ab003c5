"""Which modules behave differently in train mode and in eval mode."""

from __future__ import annotations

from typing import Any

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
