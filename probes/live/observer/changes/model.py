"""Changes of what the model computes."""

from __future__ import annotations

from typing import Any, Callable

from .applied import is_one_of, wrap

_FUNCTIONS = (
    "alpha_dropout", "dropout", "dropout1d", "dropout2d", "dropout3d", "feature_alpha_dropout",
)  # fmt: skip


def switch_dropout(torch: Any, value: Any, applied: Callable[[], None]) -> None:
    """`off`: no dropout drops anything. Recurrent layers keep theirs, which torch computes in one piece."""
    is_one_of(value, "off")

    def dropout(
        original: Any, input: Any, p: float = 0.5, training: bool = True, inplace: bool = False
    ) -> Any:
        if training and p > 0:
            applied()
        return input

    for name in _FUNCTIONS:
        wrap(torch.nn.functional, name, dropout)

    def attention(original: Any, *args: Any, **kwargs: Any) -> Any:
        if len(args) > 4:
            args = (*args[:4], 0.0, *args[5:])
        elif kwargs.get("dropout_p"):
            kwargs["dropout_p"] = 0.0
        return original(*args, **kwargs)

    wrap(torch.nn.functional, "scaled_dot_product_attention", attention)
