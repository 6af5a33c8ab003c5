"""What the checks ask of tensors. Each reading of a value waits for the device: in sampled steps only."""

from __future__ import annotations

import gc
import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..graphs import grad_fn_of

if TYPE_CHECKING:
    import torch

ROWS = 256
"""How many rows of scores are read at most."""

VALUES = 200_000
"""How many values are read at most."""

LONGEST, PARTS = 64, 4
"""How many nodes of a graph are visited in search of an activation, and about how many of the parts that are joined."""

JOINED = ("Cat", "Stack")

ACTIVATIONS = {
    "Softmax": "softmax",
    "LogSoftmax": "log_softmax",
    "Sigmoid": "sigmoid",
    "Tanh": "tanh",
    "Relu": "relu",
    "Clamp": "clamp",
    "ClampMin": "clamp",
    "LogSigmoid": "logsigmoid",
}
"""The name of the graph's node, without `Backward0` -> the activation that made it."""

PASSED = re.compile(
    r"(Unsafe)?View|Reshape\w*|Squeeze|Unsqueeze|Permute|Transpose|T|ToCopy|Clone|Slice|Select|Split|Unbind"
    r"|Expand|Alias|AsStrided|Index(Select)?|Cat|Stack|Gather|Narrow|Contiguous|Dropout|NativeDropout"
)
"""Nodes that move values and leave them what they are."""


def readable(torch: Any, tensor: Any) -> bool:
    """Whether it is a dense tensor of real numbers with values that can be read."""
    return (
        isinstance(tensor, torch.Tensor)
        and tensor.layout == torch.strided
        and not (tensor.is_meta or tensor.is_quantized or tensor.is_complex())
        and type(tensor) in (torch.Tensor, torch.nn.Parameter)
        and tensor.numel() > 0
        # Within vmap and torch.func.grad a tensor has no memory of its own.
        and not torch._C._functorch.is_functorch_wrapped_tensor(tensor)
        # The whole of a sharded weight is there while it is computed with; then its memory is given back.
        and tensor.untyped_storage().nbytes() > 0
    )


def is_whole_part(torch: Any, part: torch.Tensor) -> bool:
    """Whether a tensor is one of the parts into which a set was cut: another tensor alive holds the part next to it.

    Not so where a larger part around it is alive, which is then the training set.
    """
    memory, (begin, end) = part.untyped_storage(), _range(part)
    beside, row = False, max(1, *part.stride()) if part.dim() else 1
    for one in gc.get_objects():
        if type(one) is torch.Tensor and one is not part and readable(torch, one):
            if one.untyped_storage().data_ptr() != memory.data_ptr():
                continue
            low, high = _range(one)
            around = low <= begin and high >= end and high - low > end - begin
            if around and (high - low) * one.element_size() < memory.nbytes():
                return False
            beside = beside or 0 <= low - end < row or 0 <= begin - high < row
    return beside


def _range(tensor: torch.Tensor) -> tuple[int, int]:
    """The first number of its memory that a tensor may hold, and the one after the last."""
    begin = int(tensor.storage_offset())
    reach = sum((size - 1) * abs(stride) for size, stride in zip(tensor.shape, tensor.stride()))
    return begin, begin + int(reach) + 1


def some_rows(tensor: torch.Tensor, dim: int) -> torch.Tensor:
    """Up to ROWS slices along `dim`, from all over the tensor, as float32 of shape (rows, size of dim)."""
    plain = tensor.detach()
    if plain.dim() < 2:
        return plain.reshape(1, -1).float()
    size = plain.shape[dim]
    limit = max(4, min(ROWS, VALUES // max(1, size)))
    each = math.ceil(limit ** (1 / (plain.dim() - 1)))
    own = dim % plain.dim()
    thinned = plain[
        tuple(
            slice(None) if axis == own else slice(None, None, max(1, length // each))
            for axis, length in enumerate(plain.shape)
        )
    ]
    return thinned.movedim(own, -1).reshape(-1, size)[:limit].float()


def are_probabilities(torch: Any, rows: torch.Tensor, near: float = 0.01) -> bool:
    """Whether every row lies in 0..1 and sums to 1 (within what half precision allows, or as near as is asked)."""
    if rows.shape[-1] < 2:
        return False
    return bool((rows.min() >= 0) & (rows.max() <= 1.001) & ((rows.sum(-1) - 1).abs().max() < near))


def activations_before(tensor: torch.Tensor, count: int = 2) -> list[str]:
    """The activations through which a tensor has just gone, the last first: `["clamp", "sigmoid"]`."""
    return [name for name, _ in activation_nodes(tensor, count)]


def activation_nodes(tensor: torch.Tensor, count: int = 2) -> Iterator[tuple[str, Any]]:
    """The same with the nodes of the graph. What is put together of parts went through what all of them went through."""
    return iter(_nodes_from(grad_fn_of(tensor), count, [LONGEST]))


def _nodes_from(node: Any, count: int, left: list[int]) -> list[tuple[str, Any]]:
    """From this node on, while there are nodes `left` to visit."""
    found: list[tuple[str, Any]] = []
    while node is not None and len(found) < count and left[0] > 0:
        left[0] -= 1
        name = re.sub(r"Backward\d*$", "", node.name())
        parents = [parent for parent, _ in node.next_functions]
        if name in JOINED and len(parents) > 1:
            first = _nodes_from(parents[0], count - len(found), left)
            others = (_nodes_from(one, 1, left) for one in parents[1 :: len(parents) // PARTS + 1])
            same = all([last for last, _ in one] == [last for last, _ in first[:1]] for one in others)
            return found + first if same else found
        parents = [parent for parent in parents if parent is not None]
        if name in ACTIVATIONS:
            found.append((ACTIVATIONS[name], node))
        # A constant added keeps what the values are: `softmax(x) + 1e-8`.
        elif not PASSED.fullmatch(name) and not (name in ("Add", "Sub") and len(parents) == 1):
            break
        node = parents[0] if parents else None
    return found


def arguments_in(error: BaseException, functions: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """The local variables of these functions of torch.nn.functional in the traceback of an error."""
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_name in functions and code.co_filename.endswith("functional.py"):
            yield dict(trace.tb_frame.f_locals)
        trace = trace.tb_next
