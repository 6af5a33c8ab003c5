"""Looks into the operands and results of operations without changing them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Callable

if TYPE_CHECKING:
    import torch

DEPTH = 4
"""How deep containers are searched for tensors."""


def tensors_in(kind: type[torch.Tensor], value: Any, depth: int = DEPTH) -> Iterator[torch.Tensor]:
    """The tensors in lists, tuples and mappings, in their order."""
    if isinstance(value, kind):
        yield value
    elif depth and isinstance(value, (list, tuple)):
        for one in value:
            yield from tensors_in(kind, one, depth - 1)
    elif depth and isinstance(value, Mapping):
        for one in value.values():
            yield from tensors_in(kind, one, depth - 1)


def with_tensors(
    kind: type[torch.Tensor], value: Any, change: Callable[[torch.Tensor], torch.Tensor], depth: int = DEPTH
) -> Any:
    """The same arguments with other tensors in them. Containers of other kinds are handed on as they are."""
    if isinstance(value, kind):
        return change(value)
    if depth and type(value) in (list, tuple):
        return type(value)(with_tensors(kind, one, change, depth - 1) for one in value)
    if depth and type(value) is dict:
        return {key: with_tensors(kind, one, change, depth - 1) for key, one in value.items()}
    return value


def nonfinite(torch: Any, tensor: torch.Tensor) -> str | None:
    """`nan`, `inf`, or None where every value is finite or cannot be read. Waits for the device."""
    if (
        not (tensor.is_floating_point() or tensor.is_complex())
        or tensor.is_meta
        or not readable(torch, tensor)
    ):
        return None
    try:
        plain = tensor.detach()
        if not plain.is_complex() and plain.is_cpu and math.isfinite(plain.sum().item()):
            return None  # that of finite values may overflow
        if bool(torch.isfinite(plain).all()):
            return None
        return "nan" if bool(torch.isnan(plain).any()) else "inf"
    except (RuntimeError, NotImplementedError):
        return None  # a format without such a kernel


def readable(torch: Any, tensor: torch.Tensor) -> bool:
    """Whether its values lie in memory as they are (no sparse, nested, quantised or wrapped tensor)."""
    return bool(
        tensor.layout == torch.strided
        and not tensor.is_quantized
        and type(tensor) in (torch.Tensor, torch.nn.Parameter)
    )


def statistics(torch: Any, tensor: torch.Tensor) -> dict[str, Any]:
    """Shape, dtype, the share of non-finite values, and least, largest and mean of the finite ones (in float64)."""
    known: dict[str, Any] = {"shape": list(tensor.shape), "dtype": str(tensor.dtype).replace("torch.", "")}
    if not readable(torch, tensor) or tensor.is_complex() or tensor.is_meta or not tensor.numel():
        return known
    plain = tensor.detach()
    finite = torch.isfinite(plain)
    values = plain[finite].to("cpu", torch.float64)
    known["nonfinite_share"] = 1 - values.numel() / plain.numel()
    if values.numel():
        known.update(min=values.min().item(), max=values.max().item(), mean=values.mean().item())
    return known


def largest(torch: Any, tensor: torch.Tensor) -> float:
    """The largest finite absolute value, or 0."""
    plain = tensor.detach()
    if not plain.numel():
        return 0.0
    size = float(torch.linalg.vector_norm(plain.float(), math.inf))
    if math.isfinite(size):
        return size
    return float(torch.nan_to_num(plain.float(), nan=0.0, posinf=0.0, neginf=0.0).abs().max())
