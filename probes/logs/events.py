"""TensorBoard event files, read without TensorBoard: framed records, each a small protocol buffer.

Only what a curve needs is decoded: the step, the tag, and a single number.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import IO, NamedTuple

from ..inputs import Input
from ..text import open_bytes
from .marks import Each, Mark
from .names import POSITIONS, Name, Names
from .store import Store

MAX_RECORD = 1 << 22
"""Bytes of one record that are looked at; images and histograms may be larger and are passed over."""
_BATCH = 4096
_HEADER = struct.Struct("<Q4x")
_FOOTER = 4
_TYPES = {1: ("<f", 4), 2: ("<d", 8), 3: ("<i", 4), 9: ("<q", 8)}
"""The numeric types of a tensor: float, double, int32, int64."""

Field = tuple[int, int, int | bytes]
"""Number, wire type and value of a field."""


class Scalar(NamedTuple):
    """One point of a curve."""

    tag: str
    step: int
    value: float


class NoEvents(ValueError):
    """Not an event file. The message says why."""


def read_events(source: Input, names: Names, store: Store) -> int:
    """Take the numbers of an event file into series, and give how many there were.

    Raises NoEvents where it is none, Unreadable where it cannot be read.
    """
    batches: dict[Name, list[Scalar]] = {}
    known: dict[str, Name | None] = {}
    count = 0
    with open_bytes(source) as file:
        for scalar in scalars(file):
            if scalar.tag not in known:
                known[scalar.tag] = names.find(scalar.tag)
            count += 1
            if (name := known[scalar.tag]) is not None and name.metric not in POSITIONS:
                batches.setdefault(name, []).append(scalar)
            if count % _BATCH == 0:
                _flush(batches, store)
    _flush(batches, store)
    return count


def _flush(batches: dict[Name, list[Scalar]], store: Store) -> None:
    for name, batch in batches.items():
        series = store.get(name)
        if series is not None:
            series.extend([one.value for one in batch], _marker(batch))
    batches.clear()


def _marker(batch: list[Scalar]) -> Each:
    def mark(index: int) -> Mark:
        one = batch[index]
        return Mark(0, f"{one.tag} = {one.value:g}".encode(), step=float(one.step))

    return Each(mark)


def scalars(file: IO[bytes]) -> Iterator[Scalar]:
    """The numbers of an event file, in order. A record cut off at the end is left out.

    Raises NoEvents where the first record is none.
    """
    first = True
    while len(header := file.read(12)) == 12:
        (length,) = _HEADER.unpack(header)
        if length > MAX_RECORD:
            if first or length > 1 << 34:
                raise NoEvents("not a TensorBoard event file")
            _pass_over(file, length + _FOOTER)
            continue
        data = file.read(length + _FOOTER)
        if len(data) < length + _FOOTER:
            return
        try:
            yield from _event(data[:length])
        except (ValueError, struct.error, IndexError):
            if first:
                raise NoEvents("not a TensorBoard event file") from None
        first = False
    if first and header:
        raise NoEvents("not a TensorBoard event file")


def _pass_over(file: IO[bytes], length: int) -> None:
    while length > 0 and (some := file.read(min(length, 1 << 16))):
        length -= len(some)


def _event(data: bytes) -> Iterator[Scalar]:
    step, summary = 0, b""
    for number, _, value in _fields(data):
        if number == 2 and isinstance(value, int):
            step = value
        elif number == 5 and isinstance(value, bytes):
            summary = value
    for number, _, value in _fields(summary):
        if number == 1 and isinstance(value, bytes):
            tag, point = _value(value)
            if tag and point is not None:
                yield Scalar(tag, step, point)


def _value(data: bytes) -> tuple[str, float | None]:
    tag, point = "", None
    for number, wire, value in _fields(data):
        if number == 1 and isinstance(value, bytes):
            tag = value.decode("utf-8", "replace")[:300]
        elif number == 2 and wire == 5 and isinstance(value, bytes):
            (point,) = struct.unpack("<f", value)
        elif number == 8 and isinstance(value, bytes):
            point = _tensor(value)
    return tag, point


def _tensor(data: bytes) -> float | None:
    """The number in a tensor that holds one."""
    kind, content, packed = 0, b"", b""
    for number, _, value in _fields(data):
        if number == 1 and isinstance(value, int):
            kind = value
        elif number == 4 and isinstance(value, bytes):
            content = value
        elif number in (5, 6) and isinstance(value, bytes):
            packed = value
    form, size = _TYPES.get(kind, ("", 0))
    raw = content or packed
    return float(struct.unpack(form, raw)[0]) if size and len(raw) == size else None


def _fields(data: bytes) -> Iterator[Field]:
    place = 0
    while place < len(data):
        key, place = _varint(data, place)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, place = _varint(data, place)
            yield number, wire, value
            continue
        if wire == 2:
            length, place = _varint(data, place)
        elif wire in (1, 5):
            length = 8 if wire == 1 else 4
        else:
            raise ValueError("an unknown wire type")
        if place + length > len(data):
            raise ValueError("a field is cut off")
        yield number, wire, data[place : place + length]
        place += length


def _varint(data: bytes, place: int) -> tuple[int, int]:
    result = shift = 0
    while True:
        byte = data[place]
        result |= (byte & 0x7F) << shift
        place += 1
        if not byte & 0x80:
            return result, place
        shift += 7
        if shift > 63:
            raise ValueError("a number is too long")
