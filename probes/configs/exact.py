"""Files as bytes and text at once, so that what is not changed stays byte for byte."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from pathlib import Path

from ..inputs import Input
from ..text import MAX_TEXT, Unreadable, encoding_of, is_binary, open_bytes

_MARKED = {
    "utf-8-sig": ((codecs.BOM_UTF8, "utf-8"),),
    "utf-16": ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")),
    "utf-32": ((codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be")),
}
_ARCHIVES = (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05", b"PK\x03\x04")
_LINE_END = re.compile("\r\n|[\n\r]")


@dataclass(frozen=True, slots=True)
class File:
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
    Raises Unreadable with the reason: not there, binary, or larger than MAX_TEXT.
    """
    with open_bytes(source) as file:
        try:
            data = file.read(MAX_TEXT + 1)
        except (OSError, EOFError) as error:
            raise Unreadable(f"cannot be decompressed: {error}") from None
    if len(data) > MAX_TEXT:
        raise Unreadable(f"larger than {MAX_TEXT >> 20} MiB, which no configuration or script is")
    if data.startswith(_ARCHIVES):
        raise Unreadable("a pickle or an archive, which is never opened; hand in the text it was made from")
    if is_binary(data):
        raise Unreadable("binary, not text")
    return decode(source.name, data, source.path)


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
