"""Rows of several samples joined end to end, and what points to rows of one of them left as it was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, product
from typing import Any

FEW = 4
"""Ends of an edge, or corners of a face, at most."""

POINTERS = 0.75
"""The share of samples in which the highest number is that of the last row: numbers that point to nothing seldom are."""

DEEP, MOST = 3, 64
"""Containers within containers, and tensors, that are looked at."""


def points_to_first_rows(samples: Sequence[Any], batch: Any, torch: Any) -> bool:
    """Whether the edges of all graphs of a batch are joined without what was joined before them being counted.

    Rows of differing number (nodes) are joined along their first axis, and pairs of numbers that run up to the last row
    of their own sample (edges) come after each other unchanged. Not told where the batch brings how many rows or pairs
    are of which sample: the model may count then.
    """
    held = [dict(_fields(one, torch, 0)) for one in samples]
    keys = [key for key in held[0] if all(key in one for one in held)]
    given = [one for _, one in _fields(batch, torch, 0)]
    pairs = [key for key in keys if all(_may_point(one[key]) for one in held)]
    rows = [key for key in keys if key not in pairs and all(one[key].dim() for one in held)]
    for row, pair in product(rows, pairs):
        sizes = [len(one[row]) for one in held]
        edges = [one[pair] for one in held]
        if len(set(sizes)) > 1 and _points(edges, sizes):
            joined = any(one.shape == (sum(sizes), *held[0][row].shape[1:]) for one in given)
            ways = [_joined(edges, axis, torch) for axis in (0, 1)]
            plain = any(way is not None and _same(way, one, torch) for way in ways for one in given)
            if joined and plain and not any(_counts(one, sizes, edges) for one in given):
                return True
    return False


def _fields(thing: Any, torch: Any, deep: int) -> Iterator[tuple[Any, Any]]:
    """The tensors on the CPU that a sample or a batch holds, with the keys that lead to them. A list of numbers is one as well."""
    if isinstance(thing, torch.Tensor):
        if thing.is_cpu and thing.layout is torch.strided:
            yield (), thing.detach()
    elif isinstance(thing, (list, tuple)) and thing and all(type(one) is int for one in thing):
        yield (), torch.tensor(thing)
    elif deep < DEEP:
        if isinstance(thing, dict):
            parts = list(thing.items())
        elif isinstance(thing, (list, tuple)):
            parts = list(enumerate(thing))
        else:
            parts = list(getattr(thing, "__dict__", {}).items())
        for key, one in parts[:MOST]:
            for path, tensor in _fields(one, torch, deep + 1):
                yield (key, *path), tensor


def _may_point(tensor: Any) -> bool:
    """Whether it may hold edges or faces: a few whole numbers each."""
    whole = not (tensor.is_floating_point() or tensor.is_complex()) and tensor.element_size() > 1
    return whole and tensor.dim() == 2 and 2 <= min(tensor.shape) <= FEW and tensor.numel() > FEW


def _points(edges: list[Any], sizes: list[int]) -> bool:
    highest = [int(one.max()) for one in edges]
    inside = all(int(one.min()) >= 0 and top < size for one, top, size in zip(edges, highest, sizes))
    return inside and sum(top == size - 1 for top, size in zip(highest, sizes)) >= POINTERS * len(sizes)


def _joined(edges: list[Any], axis: int, torch: Any) -> Any:
    across = {one.shape[1 - axis] for one in edges}
    return torch.cat(edges, dim=axis) if len(across) == 1 else None


def _same(joined: Any, given: Any, torch: Any) -> bool:
    """As it was joined, or with its axes turned."""
    return any(
        one.shape == given.shape and one.dtype == given.dtype and bool(torch.equal(one, given))
        for one in (joined, joined.t())
    )


def _counts(given: Any, sizes: list[int], edges: list[Any]) -> bool:
    """Whether it tells how many rows or edges each sample has, where they begin, or of which sample each edge is."""
    if given.dim() != 1 or given.is_floating_point():
        return False
    long = [max(one.shape) for one in edges]
    if len(given) == sum(long) > len(edges):
        return bool((given[1:] >= given[:-1]).all())
    values = given.tolist()
    return any(
        values in (counts, ends, [0, *ends], [0, *ends[:-1]])
        for counts in (sizes, long)
        for ends in (list(accumulate(counts)),)
    )
