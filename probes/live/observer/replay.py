"""One bad batch, kept in a file: tensors, numbers and texts only.

path = save_batch(torch, folder, batch, step)
batch = load_batch(path)["batch"]
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

LIMIT = 2**31
"""Bytes: a larger batch is not saved."""


def save_batch(torch: Any, folder: str, batch: Any, step: int) -> str | None:
    """Write the batch to `folder/batch-RANK-STEP.pt` and return the path. None where it is too large. Raises OSError."""
    from .look.values import tensors_in

    if sum(one.numel() * one.element_size() for one in tensors_in(torch.Tensor, batch)) > LIMIT:
        return None
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"batch-{os.environ.get('RANK', '0')}-{step}.pt")
    torch.save({"step": step, "batch": _plain(torch, batch)}, path)
    return path


def load_batch(path: str) -> dict[str, Any]:
    """`step` and `batch` as they were saved, on the CPU. Runs no code of the file. Raises OSError, pickle.UnpicklingError."""
    import torch

    found: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    return found


def _plain(torch: Any, value: Any) -> Any:
    """The same with plain tensors on the CPU, and the names of the types of what cannot be kept."""
    if isinstance(value, torch.Tensor):
        # A copy: a view would carry the whole storage that it shows a part of.
        return value.detach().to("cpu", copy=True).contiguous()
    if isinstance(value, Mapping):
        return {str(key): _plain(torch, one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(torch, one) for one in value]
    return value if isinstance(value, (str, int, float, bool)) or value is None else type(value).__name__
