"""From one line that was read with care, a pattern that reads all lines of its form fast."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence

from traindx.engine.regex import regex

from .quantities import memory_gib, number, of_list
from .reading import Value
from .watch import Watch

DROPPED = b"0123456789 \xe2\x94\x96\x81\x88\x89\x8a\x8b\x8c\x8d\x8e\x8f"
"""What lines of one form may differ in: digits, spaces, and the bytes of the blocks that bars are drawn with."""
_ENDS = bytes.maketrans(b"\r", b"\n")
_RUN = regex(rb"[\d \x81\x88-\x8f\x94\x96\xe2]+")
_PADDING = regex(rb"[ \x81\x88-\x8f\x94\x96\xe2]+")
_DIGITS = regex(rb"\d+")
# Nothing in a template gives back what it took: a line is matched or refused in one pass.
# What was only spaces stays spaces: simple patterns are compiled and matched several times as fast.
_SPACES = rb" *+"
_SPACES_AND_DIGITS = rb"[0-9 ]*+"
_DRAWING = rb"[ \x81\x88-\x8f\x94\x96\xe2]*+"
_DRAWING_AND_DIGITS = rb"[0-9 \x81\x88-\x8f\x94\x96\xe2]*+"
_BEGIN = rb"(?<![^\r\n])"
_END = rb"[ \t]*+(?:\r\n?|\n|\Z)"
_NUMBER_WITH_COMMAS = rb"([-+]?+\d++(?:,\d++)*+(?:\.\d*+)?+)"
_PARTS_OF_NUMBER = regex(rb"[0-9.]+|[^0-9.]+")


def shapes_of(data: bytes) -> list[bytes]:
    """The shape of each line: what lines of one form have in common."""
    return data.translate(_ENDS, DROPPED).split(b"\n")


class Template:
    """Reads the numbers of all lines of one form.

    A line of the same shape that the pattern does not match goes back to the careful reader.
    """

    __slots__ = ("findall", "fullmatch", "others", "places", "ranked", "values", "watch")

    def __init__(self, pattern: bytes, values: Sequence[Value], *, ranked: bool) -> None:
        compiled = _compiled(pattern)
        self.fullmatch, self.findall = compiled.fullmatch, compiled.findall
        self.values = tuple(values)
        self.ranked = ranked
        """The first group is the rank."""
        self.others: list[Template] = []
        """Templates for lines of the same shape that this one does not match."""
        self.watch: Watch | None = None
        """Signatures that may stand in the same line."""
        self.places = False
        """The line says the step."""

    def columns(self, lines: Sequence[bytes]) -> list[Sequence[bytes]] | None:
        """The texts of the groups, a list for each, of lines of this form; None where some line has another."""
        found = self.findall(b"".join(lines))
        if len(found) != len(lines):
            return None
        return [found] if len(self.values) + self.ranked == 1 else list(zip(*found, strict=True))


def converted(texts: Sequence[bytes], value: Value) -> list[float]:
    """Printed numbers as they count for a metric."""
    if value.counts:
        return [1.0] * len(texts)
    try:
        numbers = list(map(float, texts))
    except ValueError:
        numbers = [_number(text.decode("latin-1"), value) for text in texts]
    if value.bare:
        return list(map(memory_gib, numbers))
    return numbers if value.scale == 1.0 else [one * value.scale for one in numbers]


def _number(text: str, value: Value) -> float:
    return of_list(text, lowest=value.lowest) if text.startswith("[") else number(text)


def learn(line: bytes, values: Sequence[Value], rank: tuple[int, int] | None = None) -> Template | None:
    """The template of a line's form, or None where it would not read this very line as it was read."""
    values = sorted(values, key=lambda value: value.start)
    if not values:
        return None
    pattern, place = _BEGIN, 0
    if rank is not None:
        pattern += _literal(line, 0, rank[0], (), number=True) + rb"(\d++)"
        place = rank[1]
    names = [value.words for value in values]
    for value in values:
        if value.start < place:
            return None
        pattern += _literal(line, place, value.start, names, number=True) + _capture(
            line[value.start : value.end]
        )
        place = value.end
    pattern += _literal(line, place, len(line.rstrip()), names, number=False) + _END
    template = Template(pattern, values, ranked=rank is not None)
    match = template.fullmatch(line)
    wanted = [line[value.start : value.end] for value in values]
    return template if match and list(match.groups())[len(match.groups()) - len(wanted) :] == wanted else None


def _capture(text: bytes) -> bytes:
    """A number like this one. Its sign and its exponent are part of the line's shape."""
    if not any(48 <= byte <= 57 for byte in text):
        return b"(" + re.escape(text) + b")"
    if b"," in text:
        return _NUMBER_WITH_COMMAS
    parts = (
        rb"[0-9.]++" if part[0] in b"0123456789." else re.escape(part)
        for part in _PARTS_OF_NUMBER.findall(text)
    )
    return b"(" + b"".join(parts) + b")"


def _literal(line: bytes, start: int, end: int, names: Sequence[tuple[int, int]], *, number: bool) -> bytes:
    """A part of the pattern in which digits may differ, except inside a name: `loss1` is not `loss2`.

    `number` says that a number to read follows.
    """
    pattern = b""
    while start < end:
        inside = next((name for name in names if name[0] <= start < name[1]), None)
        stop = min([end, inside[1]] if inside else [end, *(name[0] for name in names if name[0] > start)])
        run = _PADDING if inside else _RUN
        place = start
        for found in run.finditer(line, start, stop):
            last = number and found.end() == end
            drawn = line.endswith(b"%|", 0, found.start())
            pattern += re.escape(line[place : found.start()])
            pattern += _run(found[0], inside=bool(inside), last=last, drawn=drawn)
            place = found.end()
        pattern += re.escape(line[place:stop])
        start = stop
    return pattern


def _run(text: bytes, *, inside: bool, last: bool, drawn: bool) -> bytes:
    """Digits and padding in a row. Before a number to read they must be as many words as they were.

    `drawn` says that it is the drawing of a bar, which may be all spaces at its start.
    """
    drawn = drawn or text.strip(b" 0123456789") != b""
    padding = _DRAWING if drawn else _SPACES
    digits = _DIGITS.findall(text)
    if inside or not digits:
        return padding
    if not last:
        return _DRAWING_AND_DIGITS if drawn else _SPACES_AND_DIGITS
    return padding + (rb"[0-9]++" + padding) * len(digits)


@functools.lru_cache(maxsize=512)
def _compiled(pattern: bytes) -> re.Pattern[bytes]:
    return re.compile(pattern)
