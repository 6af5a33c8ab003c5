"""Files as bytes and text at once, so that what is not changed stays byte for byte."""

from __future__ import annotations

import codecs
import re
from pathlib import Path
from typing import NamedTuple

from traindx.engine.regex import regex

from ..inputs import Input
from ..text import encoding_of, read_bytes

_MARKED = {
    "utf-8-sig": ((codecs.BOM_UTF8, "utf-8"),),
    "utf-16": ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")),
    "utf-32": ((codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be")),
}
_LINE_END = regex("\r\n|[\n\r]")


class File(NamedTuple):
    """One file: its text, and how that became bytes."""

    name: str
    """As shown to the person."""
    text: str
    path: Path | None = None
    encoding: str = "utf-8"
    mark: bytes = b""
    """The byte order mark in front of the text."""
    size: int = 0
    """Bytes, decompressed."""
    first_line: int = 1
    """The number of the first line, where the text is a block of a longer one."""

    def encode(self, text: str) -> bytes:
        """A changed text in this file's encoding. Raises UnicodeEncodeError where it does not fit."""
        return self.mark + text.encode(self.encoding)


def read_file(source: Input) -> File:
    """Read a small text file so that it can be written back exactly.

    A text that is not valid UTF-8 is read as Latin-1, in which every byte is a character.
    Raises Unreadable as `read_bytes` does.
    """
    return decode(source.name, read_bytes(source), source.path)


def decode(name: str, data: bytes, path: Path | None = None) -> File:
    """Bytes as a file's text."""
    encoding, mark = encoding_of(data), b""
    for known, plain in _MARKED.get(encoding, ()):
        if data.startswith(known):
            encoding, mark = plain, known
    body = data[len(mark) :]
    try:
        return File(name, body.decode(encoding), path, encoding, mark, len(data))
    except UnicodeDecodeError:
        return File(name, body.decode("latin-1"), path, "latin-1", mark, len(data))


def line_starts(text: str, ends: re.Pattern[str] = _LINE_END) -> list[int]:
    """The offsets at which lines start."""
    return [0, *(match.end() for match in ends.finditer(text))]
