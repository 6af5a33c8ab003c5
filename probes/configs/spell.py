"""From a canonical value to what its keys must hold in one dialect: the reverse of reading."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from traindx.engine.facts import Scalar

from .document import Entry
from .values import to_number
from .way import Way


class NotSpelled(ValueError):
    """A value that this way of writing a setting has no words for. The message says why."""


def spelled(
    way: Way, value: Scalar, old: Entry | None, factor: float = 1.0, *, mixed: bool = True
) -> Mapping[str, Any]:
    """The keys and what they must hold, for a canonical value.

    `old` is the entry that holds the setting now, `factor` the number of another key that is
    multiplied in. Unless `mixed`, what is a switch now can only be turned. Raises NotSpelled.
    """
    if not way.keys:
        raise NotSpelled("it follows from a call and is no value of its own")
    key = way.keys[0]
    if way.values:
        return _from_words(way, key, value, old, mixed=mixed)
    if isinstance(value, bool):
        return {key: value is not way.inverted}
    if isinstance(value, str):
        return {key: value}
    return {key: _number(way, value, old, factor)}


def _from_words(way: Way, key: str, value: Scalar, old: Entry | None, *, mixed: bool) -> Mapping[str, Any]:
    word = str(value).lower() if isinstance(value, bool) else str(value)
    for canonical, spelling in way.values.items():
        if canonical == word or _same_number(canonical, value):
            if isinstance(spelling, dict):
                return {part: _preferred(one, None) for part, one in spelling.items()}
            raw = _preferred(spelling, old)
            if not mixed and old is not None and old.value is True and not isinstance(raw, bool):
                raise NotSpelled(f"`{old.key}` is a switch, and cannot say {word}")
            return {key: raw}
    known = ", ".join(way.values)
    raise NotSpelled(f"`{old.key if old else key}` can say {known}, and not {word}")


def _same_number(canonical: str, value: Scalar) -> bool:
    number = to_number(canonical)
    return (
        number is not None
        and isinstance(value, int | float)
        and not isinstance(value, bool)
        and number == value
    )


def _preferred(spelling: Any, old: Entry | None) -> Any:
    """The first of several spellings that is of the old one's kind: a switch, a number, a word."""
    options = spelling if isinstance(spelling, list) else [spelling]
    alike = [one for one in options if old is not None and type(one) is type(old.value)]
    return (alike or options)[0]


def _number(way: Way, value: float, old: Entry | None, factor: float) -> Any:
    match way.reads:
        case "size":
            return _size(value / factor, str(old.value) if old else "")
        case "duration":
            return f"{int(value // 60):02d}:{int(value % 60):02d}:00"
        case "last-number" if old is not None:
            return (
                re.sub(r"\d+$", str(int(value)), str(old.value))
                if re.search(r"\d$", str(old.value))
                else f"{old.value}:{int(value)}"
            )
        case "port" if old is not None:
            return re.sub(r":\d+$", f":{int(value)}", str(old.value))
        case "port":
            raise NotSpelled("it is the address of a machine with the port behind it")
        case "count" | "last-number":
            raise NotSpelled("it lists devices by name")
    if way.exponent:
        power = math.log2(value) if value > 0 else 0.5
        if not power.is_integer():
            raise NotSpelled(f"the key holds the power of two, and {value:g} is none")
        return int(power)
    if factor != 1.0:
        value = value / factor
    if way.scale != 1.0:
        value = value / way.scale
    return int(value) if isinstance(value, float) and value.is_integer() and not _has_point(old) else value


def _has_point(old: Entry | None) -> bool:
    return old is not None and isinstance(old.value, float)


def _size(gib: float, old: str) -> str:
    """A size in the unit of the old one where that gives a whole number: `16G`, `16000M`."""
    found = re.search(r"([KMGTkmgt])(i?[Bb]?)$", old)
    unit, rest = (found[1], found[2]) if found else ("G", "")
    number = gib * {"K": 2.0**20, "M": 2.0**10, "G": 1.0, "T": 2.0**-10}[unit.upper()]
    if number != int(number):
        raise NotSpelled(f"{gib:g} GiB is no whole number of {unit}")
    return f"{int(number)}{unit}{rest}"


def is_all_off(way: Way, value: Scalar) -> bool:
    """Whether a value is what stands where no switch of this way is given."""
    try:
        return all(raw is False for raw in spelled(way, value, None).values())
    except NotSpelled:
        return False
