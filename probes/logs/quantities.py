"""Numbers and their units as people and programs print them."""

from __future__ import annotations

import math
import re

from traindx.engine.regex import regex

_NUMBER = regex(
    r"[-+]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?(?:nan|inf(?:inity)?)\b",
    re.IGNORECASE,
)
_IN_LIST = regex(r"(?<![\w.])[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|nan)(?![\w.])")
_THOUSANDS = regex(r"^[-+]?(?!0,)\d+,\d{3}(?!\d)|,.*,")
"""A comma elsewhere stands before decimals: `2,0650`, and `0,436` is no thousand."""
_UNIT = regex(r"\s*([A-Za-z%µ]+(?:/[A-Za-z]+)?)")

# Memory is counted in binary steps whatever it is called: PyTorch's `MB` and nvidia-smi's `MiB` are both 2**20.
_BYTES = {"": 1.0, "k": 2.0**10, "m": 2.0**20, "g": 2.0**30, "t": 2.0**40}
_SECONDS = {
    "s": 1.0, "sec": 1.0, "secs": 1.0, "second": 1.0, "seconds": 1.0, "ms": 1e-3, "msec": 1e-3,
    "millisecond": 1e-3, "milliseconds": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9, "m": 60.0, "min": 60.0,
    "mins": 60.0, "minute": 60.0, "minutes": 60.0, "h": 3600.0, "hour": 3600.0, "hours": 3600.0,
}  # fmt: skip


_SHORT = {"k": 1e3, "K": 1e3, "M": 1e6, "B": 1e9}
"""The endings of counts that are printed short."""
_MEASURES = ("GiB", "MiB", "bytes", "s", "ms", "min", "h", "%")


def number(text: str) -> float:
    """A printed number: `1,234.5`, `nan.0`, `-inf`.

    Raises ValueError where it is none.
    """
    try:
        return float(text)
    except ValueError:
        plain = text.replace(",", "" if _THOUSANDS.search(text) else ".")
        return float(plain.removesuffix(".0") if plain.lower().endswith(("nan.0", "inf.0")) else plain)


def count(text: str) -> float:
    """A printed count, which may be shortened: `60K` is 60000.

    Raises ValueError where it is none.
    """
    times = _SHORT.get(text[-1:])
    return number(text) if times is None else number(text[:-1]) * times


def of_list(text: str, *, lowest: bool) -> float:
    """The mean of the numbers listed in brackets, or the lowest; what is NaN in it was not measured."""
    values = [value for value in map(float, _IN_LIST.findall(text)) if not math.isnan(value)]
    if not values:
        return math.nan
    return min(values) if lowest else sum(values) / len(values)


def _memory(unit: str) -> float | None:
    """Bytes in a unit of memory, or None."""
    low = unit.lower()
    if low in ("b", "byte", "bytes"):
        return 1.0
    for ending in ("ib", "b", ""):
        if low.endswith(ending) and low.removesuffix(ending) in _BYTES and len(low) > len(ending):
            return _BYTES[low.removesuffix(ending)]
    return None


def factor(unit: str, wanted: str) -> float | None:
    """What a number in `unit` is multiplied by to be in `wanted`; None where they are not of one kind."""
    if unit == wanted:
        return 1.0
    if wanted in ("GiB", "MiB", "bytes"):
        here, there = _memory(unit), _memory(wanted)
        return here / there if here and there else None
    if wanted in ("s", "ms", "min", "h"):
        seconds = _SECONDS.get(unit.lower())
        return seconds / _SECONDS[wanted] if seconds else None
    if wanted in ("", "%") and unit in ("", "%"):
        return 0.01 if unit == "%" else 100.0
    return None


def measured(text: str, wanted: str) -> float | None:
    """The first number in a text, in the wanted unit; None where it has a unit of another kind.

    A number without a unit is taken as it stands, and so is any where the wanted unit is no measure.
    """
    found = _NUMBER.search(text)
    if found is None:
        return None
    unit = _UNIT.match(text, found.end())
    if unit is None or wanted not in _MEASURES:
        return number(found[0])
    by = factor(unit[1], wanted)
    return None if by is None else number(found[0]) * by


def unit_in_name(printed: str) -> str:
    """The unit of memory that a printed name ends in, as `cpu memory used gb` does; empty where it ends in none."""
    last = printed.rpartition(" ")[2]
    return last if len(last) > 1 and _memory(last) else ""


def memory_gib(value: float) -> float:
    """GiB from a number without a unit: no device has 512 GiB, none is used for 512 bytes.

    Trainers print GiB, MiB or bytes; the size tells which.
    """
    if value >= 1e7:
        return value / 2.0**30
    return value / 1024.0 if value >= 512 else value


def scale(unit: str, wanted: str, *, attached: bool) -> float | None:
    """What the number is multiplied by; None where its unit shows that it is something else."""
    if not unit or "/" in unit:
        by = factor(unit.split("/")[0], wanted) if wanted == "s" and unit else None
        return 1.0 if by is None else by
    by = factor(unit, wanted)
    return by if by is not None or attached else 1.0


def whole(text: str) -> int | None:
    """A count; None where it is too large to be one."""
    value = count(text)
    return int(value) if abs(value) < 1e15 else None
