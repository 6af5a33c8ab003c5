"""Bytes to text: compression, encodings, and how much of a file is read at once."""

from __future__ import annotations

import codecs
import io
from typing import IO, cast

from .inputs import Input

BLOCK = 1 << 17
"""Bytes read at a time. Blocks that fit into the processor's cache are searched fastest."""
MAX_TEXT = 8 << 20
"""The largest config or script that is read, in bytes."""
_ARCHIVES = (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05", b"PK\x03\x04")
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class Unreadable(Exception):
    """An input that cannot be read. The message says why, for a person."""


def open_bytes(source: Input) -> IO[bytes]:
    """Open an input for reading, decompressed where its name or first bytes say gzip or Zstandard.

    Raises Unreadable with the reason.
    """
    try:
        return _decompressed(_raw(source))
    except OSError as error:
        raise Unreadable(error.strerror or str(error)) from None


def _raw(source: Input) -> io.BufferedReader:
    if source.stream is not None:
        return source.stream
    if source.data is not None:
        return io.BufferedReader(io.BytesIO(source.data))
    path = source.path
    if path is None:
        raise Unreadable("nothing to read")
    if not path.is_file():
        raise Unreadable("no such file" if not path.exists() else "not a regular file")
    return path.open("rb")


def _decompressed(raw: io.BufferedReader) -> IO[bytes]:
    # A pipe cannot be rewound: the first bytes are peeked at, never taken.
    start = raw.peek(4)[:4]
    if start[:2] == b"\x1f\x8b":
        from .unzipped import Unzipped

        return cast("IO[bytes]", Unzipped(raw))
    if start == b"\x28\xb5\x2f\xfd":
        try:
            import zstandard
        except ImportError:
            raise Unreadable("Zstandard compression needs `pip install zstandard`") from None
        return io.BufferedReader(zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True))
    return raw


def encoding_of(start: bytes) -> str:
    """The encoding that the first bytes of a text give away; UTF-8 where nothing does.

    UTF-16 without a byte order mark is recognised by the zero in every second byte.
    """
    for mark, name in _BOMS:
        if start.startswith(mark):
            return name
    sample = start[:1024]
    if len(sample) >= 8 and not sample.count(0) < len(sample) // 3:
        zeros = sample[1::2].count(0), sample[0::2].count(0)
        if zeros[0] > 4 * zeros[1]:
            return "utf-16-le"
        if zeros[1] > 4 * zeros[0]:
            return "utf-16-be"
    return "utf-8"


def is_binary(start: bytes) -> bool:
    """Whether the first bytes are no text in an encoding we know."""
    return encoding_of(start).startswith("utf-8") and b"\x00" in start[:8192]


def read_text(source: Input) -> str:
    """All of a small text file, stray bytes replaced.

    Raises Unreadable as `read_bytes` does.
    """
    data = read_bytes(source)
    return data.decode(encoding_of(data), errors="replace")


def read_bytes(source: Input) -> bytes:
    """All of a small text file, decompressed.

    Raises Unreadable with the reason: not there, an archive, binary, or larger than MAX_TEXT.
    """
    with open_bytes(source) as file:
        try:
            data = file.read(MAX_TEXT + 1)
        except (OSError, EOFError) as error:
            raise Unreadable(f"cannot be decompressed: {error}") from None
    if len(data) > MAX_TEXT:
        raise Unreadable(f"larger than {MAX_TEXT >> 20} MiB, which no configuration or script is")
    if (reason := not_text(data)) is not None:
        raise Unreadable(reason)
    return data


def not_text(start: bytes) -> str | None:
    """What these first bytes are, for a person, where they are no text."""
    if start.startswith(_ARCHIVES):
        return "a pickle or an archive, which is never opened; hand in the text it was made from"
    return "binary, not text" if is_binary(start) else None
