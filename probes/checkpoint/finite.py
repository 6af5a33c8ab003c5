"""Are the numbers of a checkpoint finite? Samples of their bytes tell, without torch.

In every floating-point format a value whose exponent bits are all ones is NaN or infinite. A single number is
mostly bookkeeping, as the best score so far, which begins at infinity; and infinities among zeros are a mask.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import IO, NamedTuple

from .contents import Tensor

SAMPLE = 1 << 21
"""Values looked at in one file."""
_RUN = 4096
"""Values read in a row; of a tensor so many runs are read as its share of the sample allows."""
_FORMATS = {
    "float32": ("I", 0x7F800000), "float16": ("H", 0x7C00), "bfloat16": ("H", 0x7F80),
    "float64": ("Q", 0x7FF0000000000000),
}  # fmt: skip


class NonFinite(NamedTuple):
    """What was seen of one file."""

    looked: int
    """Values that were looked at."""
    bad: int
    """Those of them that are NaN or infinite."""
    names: tuple[str, ...]
    """The tensors that hold such values."""


def look(file: IO[bytes], tensors: Sequence[Tensor]) -> NonFinite:
    """Look at evenly spread runs of every tensor whose bytes lie in the file. Raises OSError."""
    usable = [one for one in tensors if one.start >= 0 and one.dtype in _FORMATS and one.elements > 1]
    total = sum(one.elements for one in usable)
    looked = bad = 0
    names = []
    for tensor in usable:
        wanted = max(_RUN, SAMPLE * tensor.elements // max(total, 1))
        seen, wrong = _look_at(file, tensor, -(-wanted // _RUN))
        looked, bad = looked + seen, bad + wrong
        if wrong:
            names.append(tensor.name)
        if looked > 4 * SAMPLE:
            break
    return NonFinite(looked, bad, tuple(names))


def _look_at(file: IO[bytes], tensor: Tensor, runs: int) -> tuple[int, int]:
    code, mask = _FORMATS[tensor.dtype]
    width = array(code).itemsize
    count = tensor.size // width
    stride = max(_RUN, count // runs)
    fraction = (mask & -mask) - 1
    sign = 1 << (width * 8 - 1)
    looked = bad = 0
    for begin in range(0, count, stride):
        file.seek(tensor.start + begin * width)
        data = file.read(min(_RUN, count - begin) * width)
        values = array(code, data[: len(data) // width * width])
        looked += len(values)
        ends = [value for value in values if value & mask == mask]
        nans = sum(value & fraction != 0 for value in ends)
        # Among numbers that a network computes, infinities are as bad.
        numbers = len(ends) > nans and any(value & mask != mask and value & ~sign for value in values)
        bad += len(ends) if numbers else nans
    return looked, bad
