"""A log as blocks of whole lines: decompressed, transcoded, without colours, in bounded memory."""

from __future__ import annotations

import codecs
import itertools
import zlib
from collections.abc import Iterator
from functools import cached_property
from typing import IO

from traindx.engine.regex import regex

from ..inputs import Input, Kind
from ..text import BLOCK, Unreadable, encoding_of, is_binary, open_bytes
from ..wrapped import Wrapping, wrapping_of
from .cut_off import NEAR, without_cut_number

LONGEST = 1 << 16
"""Bytes of a line that are read; what is longer is cut, and the report says so."""
_SAMPLE = 1 << 13
_PART = 64
_ESCAPES = regex(rb"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[@-Z\\^_])")
_BACKSPACES = regex(rb"\x08+\r?")
_CONTROL = bytes(code for code in range(32) if code not in b"\t\n\r\x08\x1b\x0c\x07\x00")


class Block:
    """Some whole lines in a row, ended by a line feed, or by a return where a progress bar is redrawn."""

    def __init__(self, data: bytes, first: int) -> None:
        self.data = data
        self.first = first
        """The number of its first line in the file, counted from 1."""

    @cached_property
    def lines(self) -> list[bytes]:
        """Its lines with their ends."""
        return self.data.splitlines(keepends=True)

    @cached_property
    def _ended(self) -> list[int] | None:
        """How many line feeds stand before every 64th line, where returns end lines too."""
        if b"\r" not in self.data:
            return None
        parts = range(0, len(self.lines), _PART)
        feeds = (_feeds(b"".join(self.lines[start : start + _PART])) for start in parts)
        return list(itertools.accumulate(feeds, initial=0))

    def number(self, index: int) -> int:
        """The line number in the file, where only line feeds count, as in an editor."""
        ended = self._ended
        if ended is None or index < 0:
            return self.first + index
        part = index // _PART
        return self.first + ended[part] + _feeds(b"".join(self.lines[part * _PART : index]))

    def parts(self, *sizes: int) -> Iterator[Block]:
        """The block in parts of so many lines, and what is left."""
        start = 0
        for size in sizes:
            if start < len(self.lines):
                data = b"".join(self.lines[start : start + size])
                yield Block(data, self.number(start))
                start += size
        if start < len(self.lines):
            yield Block(b"".join(self.lines[start:]), self.number(start))


class Blocks:
    """Iterates over the blocks of one input.

    `notes` says afterwards what could not be read, `size` how much was read of the file (in bytes,
    as it lies on disk). Iterating raises Unreadable where nothing can be read at all. Of an input that
    is `growing` the first bytes are not waited for any longer than they take to come.
    """

    def __init__(self, source: Input, block: int = BLOCK, *, growing: bool = False) -> None:
        self.source = source
        self.notes: list[str] = []
        self.size = 0
        self._block = block
        self._sample = 1 if growing else _SAMPLE
        self._file: IO[bytes] | None = None
        self._wrapping: Wrapping | None = None

    def __iter__(self) -> Iterator[Block]:
        file = self._file = open_bytes(self.source)
        try:
            yield from self._blocks(self._decoded(file))
        finally:
            self.size = self.position()
            if self.source.stream is None:
                file.close()
            self._file = None

    def position(self) -> int:
        """How far reading has come, in bytes of the file."""
        if self._file is None or self.source.stream is not None:
            return self.size
        raw = getattr(self._file, "fileobj", self._file)
        try:
            return int(raw.tell())
        except (OSError, ValueError):
            return self.size

    def _chunks(self, file: IO[bytes]) -> Iterator[bytes]:
        # read1 hands over what there is, so that nothing before a damaged place is lost.
        read = getattr(file, "read1", file.read)
        try:
            while chunk := read(self._block):
                if self.source.stream is not None:
                    self.size += len(chunk)
                yield chunk
        except (OSError, EOFError, zlib.error) as error:
            self.notes.append(f"the file is damaged or cut off ({error}); what came before was read")
        except Exception as error:
            if type(error).__module__.partition(".")[0] not in ("zstandard", "zstd"):
                raise
            self.notes.append(f"the file is damaged or cut off ({error}); what came before was read")

    def _decoded(self, file: IO[bytes]) -> Iterator[bytes]:
        chunks = self._chunks(file)
        start = b""
        for chunk in chunks:
            start += chunk
            if len(start) >= self._sample:
                break
        encoding = encoding_of(start)
        if is_binary(start) and _no_text(start):
            raise Unreadable("binary, not text")
        if encoding == "utf-8-sig":
            start = start.removeprefix(codecs.BOM_UTF8)
        if encoding.startswith("utf-8"):
            yield start
            yield from chunks
            return
        decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
        yield decoder.decode(start).encode()
        for chunk in chunks:
            yield decoder.decode(chunk).encode()

    def _blocks(self, chunks: Iterator[bytes]) -> Iterator[Block]:
        rest, number, cutting, before = b"", 1, False, b""
        for chunk in chunks:
            if cutting:
                end = _line_end(chunk)
                if end < 0:
                    continue
                chunk, cutting = chunk[end:], False
            data = rest + chunk
            cut = data.rfind(b"\n") + 1 or data.rfind(b"\r") + 1
            if not cut and len(data) > LONGEST:
                self._long(number)
                cut, cutting = LONGEST, True
            if cut:
                yield Block(self._plain(data[:cut], number), number)
                number += _feeds(data)  # all of them stand before the cut
                before = data[max(0, cut - NEAR) : cut]
            rest = b"" if cutting else data[cut:]
        if rest:
            yield Block(without_cut_number(self._plain(rest, number), before), number)

    def _plain(self, data: bytes, number: int) -> bytes:
        """Whole lines as they were printed."""
        if number == 1 and self.source.kind is Kind.LOG:
            self._wrapping = wrapping_of(data)
        return _clean(data if self._wrapping is None else self._wrapping.plain(data))

    def _long(self, number: int) -> None:
        if len(self.notes) < 5:
            self.notes.append(f"line {number} is longer than {LONGEST >> 10} KiB; its end was not read")


def _feeds(data: bytes) -> int:
    """How many line feeds there are. Leaving them out finds them several times as fast as `count` does."""
    return len(data) - len(data.replace(b"\n", b""))


def _line_end(chunk: bytes) -> int:
    ends = [end for end in (chunk.find(b"\n"), chunk.find(b"\r")) if end >= 0]
    return min(ends, default=-1)


def _clean(data: bytes) -> bytes:
    """Without colours, cursor movements and NUL; redraws by backspace become redraws by return."""
    if b"\x1b" in data:
        data = _ESCAPES.sub(b"", data)
    if b"\x08" in data:
        data = _BACKSPACES.sub(b"\r", data)
    # Most logs hold no carriage return at all, which is told many times as fast as that none stands before a line feed.
    if b"\r" in data and data.rfind(b"\r\n") >= 0:
        data = data.replace(b"\r\n", b"\n")
        if b"\r\n" in data:
            data = b"\n".join(line.rstrip(b"\r") for line in data.split(b"\n"))
    return data.replace(b"\x00", b"") if b"\x00" in data else data


def _no_text(start: bytes) -> bool:
    """Whether a start with NUL bytes in it is anything but a text with holes."""
    plain = start.replace(b"\x00", b"")
    odd = len(plain) - len(plain.translate(None, _CONTROL))
    return not plain or odd * 20 > len(plain)
