"""What a saved file holds, whatever its format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class Unreadable(Exception):
    """A file that is no checkpoint, or is cut off. The message says what it is instead."""


class Tensor(NamedTuple):
    """One tensor as the file describes it."""

    name: str
    """The path of keys that leads to it, joined by dots."""
    dtype: str
    """As torch calls it: `float32`, `bfloat16`."""
    shape: tuple[int, ...]
    start: int = -1
    """Where its bytes begin in the file; -1 where they do not lie in one piece."""
    size: int = 0
    """How many bytes it has there."""

    @property
    def elements(self) -> int:
        """The number of its elements."""
        total = 1
        for side in self.shape:
            total *= side
        return total


@dataclass(slots=True)
class Contents:
    """One file, read."""

    format: str
    """`safetensors`, `torch`, or `torch before 1.6`."""
    keys: tuple[str, ...]
    """The keys at its top."""
    tensors: list[Tensor] = field(default_factory=list)
    numbers: dict[str, float] = field(default_factory=dict)
    """Numbers that stand at its top, by key: the step, the epoch."""
    classes: tuple[str, ...] = ()
    """Classes in it that are no plain data, so that torch.load with weights_only refuses it."""


def named_values(value: object, prefix: str = "", depth: int = 0) -> Iterator[tuple[str, object]]:
    """All that hangs below a value, by its dotted path. Bounded: what hangs in several places is given once a place."""
    if depth > 12:
        return
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield from named_values(one, f"{prefix}.{key}" if prefix else str(key), depth + 1)
    elif isinstance(value, list | tuple) and not isinstance(value, Tensor):
        for index, one in enumerate(value):
            yield from named_values(one, f"{prefix}.{index}" if prefix else str(index), depth + 1)
    else:
        yield prefix, value
