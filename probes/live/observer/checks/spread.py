"""What broadcasting makes of two tensors: shapes that multiply, and squares that were a row and a column."""

from __future__ import annotations

from typing import Any

FEWEST = 4
"""The least size of a square whose values tell how it was made."""

SAMPLE = 64
"""Rows and columns of a square that are read at most."""

ROUNDING = 64
"""How many times the rounding of one number two equal ones may differ. What varies does so by ten times that."""


def multiplies(one: Any, other: Any) -> bool:
    """Whether broadcasting makes more values than either has."""
    shape = []
    for left, right in zip(_aligned(one, other), _aligned(other, one)):
        if left != right and 1 not in (left, right):
            return False
        shape.append(max(left, right))
    count = 1
    for length in shape:
        count *= length
    return bool(count > max(one.numel(), other.numel()) > 0)


def _aligned(one: Any, other: Any) -> list[int]:
    """The shape, with ones in front up to the other's number of dimensions."""
    return [1] * max(0, other.dim() - one.dim()) + list(one.shape)


def is_of_row_and_column(torch: Any, square: Any) -> bool:
    """Whether a square of numbers, of shape (N, N), is one row spread over one column: `a + b * v`, the one broadcast to it.

    `reward (N,) + gamma * (1 - done) (N,) * value (N, 1)` is. Distances, similarities and masks of pairs are not, as far
    as more than one number a sample is behind them; nor is what does not vary along both axes.
    """
    if square.dim() != 2 or square.shape[0] != square.shape[1] or not square.is_floating_point():
        return False
    apart = max(1, square.shape[0] // SAMPLE)
    some = square.detach()[::apart, ::apart][:SAMPLE, :SAMPLE].cpu().double()
    if len(some) < FEWEST:
        return False
    slack = ROUNDING * torch.finfo(square.dtype).eps * float(some.abs().max())
    turned = some.T
    return (
        _varies(some, slack)
        and _varies(turned, slack)
        and (_is_one_column(some, slack) or _is_one_column(turned, slack))
    )


def _varies(some: Any, slack: float) -> bool:
    """Whether its rows differ."""
    return float((some - some[:1]).abs().max()) > 10 * slack


def _is_one_column(some: Any, slack: float) -> bool:
    """Whether each column is the same one, stretched and moved: what its rows differ by is one row, times a number."""
    rest = some - some[:1]
    row, column = divmod(int(rest.abs().argmax()), rest.shape[1])
    left = rest - rest[:, column : column + 1] * rest[row : row + 1] / rest[row, column]
    return float(left.abs().max()) <= slack
