"""Patterns that this machine compiled before.

Python compiles a regular expression in about half a millisecond, at each start anew, and a page of prose asks
for six hundred of them: more than half of such a run. What the compiler makes of a pattern is a list of
numbers, and that is what is stored here. A machine whose Python has another compiler, or none that can be
asked, compiles as ever.
"""

from __future__ import annotations

import json
import os
import re
import sys
from array import array
from binascii import crc32
from contextlib import suppress
from importlib import import_module
from io import FileIO
from pathlib import Path
from typing import Any

_MOST = 32 << 20
"""Bytes: patterns of earlier releases are dropped with all others once the file is larger."""


class Store:
    """Compiled patterns in one file: `patterns`, with what it is made by, an index, and a record for each."""

    def __init__(self, folder: Path) -> None:
        self._records: FileIO | None = None
        self._machine: Any = import_module("_sre")
        self._parser: Any = import_module("re._parser")
        self._compiler: Any = import_module("re._compiler")
        made_by = f"1 {sys.version} {self._machine.MAGIC} {self._machine.CODESIZE} {sys.byteorder}"
        self._made_by = made_by.replace("\n", " ").encode() + b"\n"
        self.folder = folder
        self._path = folder / f"patterns-{sys.implementation.cache_tag}"
        self._fresh: dict[int, bytes] = {}
        self._first = 0
        self._starts: dict[int, int] = {}
        self._compiled: dict[tuple[str | bytes, int], re.Pattern[Any]] = {}
        with suppress(OSError, ValueError, TypeError, LookupError):
            self._open()

    def compile(self, pattern: str | bytes, flags: int) -> re.Pattern[Any]:
        """A pattern as `re.compile` gives it. Raises re.error where it is none."""
        known = self._compiled.get((pattern, flags))
        if known is None:
            known = self._compiled[pattern, flags] = self._stored_or_new(pattern, flags)
        return known

    def _stored_or_new(self, pattern: str | bytes, flags: int) -> re.Pattern[Any]:
        name = repr((pattern, int(flags)))
        key = crc32(name.encode("utf-8", "backslashreplace"))
        start = self._starts.get(key)
        if start is not None:
            # Whatever is wrong with a record, the pattern is compiled as if there were none.
            with suppress(OSError, ValueError, TypeError, LookupError, RuntimeError, OverflowError):
                known, pieces, code = self._read(start)
                if known == name:
                    return self._assembled(pattern, pieces, code)
        parsed = self._parser.parse(pattern, flags)
        code = self._compiler._code(parsed, flags)
        pieces = [int(flags) | parsed.state.flags, parsed.state.groups - 1, parsed.state.groupdict]
        self._fresh[key] = _written(name, pieces, code)
        return self._assembled(pattern, pieces, code)

    def keep(self) -> None:
        """Store what was compiled anew. A full disk or a race with another process is no error."""
        if not self._fresh:
            return
        import tempfile

        known = {key: start for key, start in self._starts.items() if key not in self._fresh}
        old = b""
        if known:
            with suppress(OSError):
                old = self._all()
        if not old or len(old) > _MOST:
            known, old = {}, b""
        size = len(old)
        parts = [old]
        for key, record in self._fresh.items():
            known[key] = size
            parts.append(record)
            size += len(record)
        index = array("I", known), array("I", known.values())
        head = [self._made_by, array("I", [len(known)]).tobytes(), *(side.tobytes() for side in index)]
        with suppress(OSError):
            handle, fresh = tempfile.mkstemp(prefix=".new-", dir=self._path.parent)
            try:
                with open(handle, "wb") as file:
                    file.writelines([*head, *parts])
                os.replace(fresh, self._path)
            except OSError:
                os.unlink(fresh)

    def _open(self) -> None:
        self._records = file = FileIO(self._path)
        if file.read(len(self._made_by)) == self._made_by:
            count = _numbers(file.read(4))[0]
            index = _numbers(file.read(8 * count))
            self._starts = dict(zip(index[:count], index[count:], strict=True))
            self._first = file.tell()

    def __del__(self) -> None:
        if self._records is not None:
            self._records.close()

    def _read(self, start: int) -> tuple[str, list[Any], list[int]]:
        assert self._records is not None
        self._records.seek(self._first + start)
        check, about, code = _numbers(self._records.read(12))
        record = self._records.read(about + 4 * code)
        if crc32(record) != check:
            raise ValueError("not as it was written")
        name, *pieces = json.loads(record[:about])
        return name, pieces, _numbers(record[about:]).tolist()

    def _all(self) -> bytes:
        if self._records is None:
            return b""
        self._records.seek(self._first)
        return self._records.read()

    def _assembled(self, pattern: str | bytes, pieces: list[Any], code: list[int]) -> re.Pattern[Any]:
        flags, groups, numbers = pieces
        names: list[str | None] = [None] * (groups + 1)
        for name, number in numbers.items():
            names[number] = name
        compiled: re.Pattern[Any] = self._machine.compile(pattern, flags, code, groups, numbers, tuple(names))
        return compiled


def _written(name: str, pieces: list[Any], code: list[int]) -> bytes:
    about = json.dumps([name, *pieces]).encode("ascii")
    record = about + array("I", code).tobytes()
    return array("I", [crc32(record), len(about), len(code)]).tobytes() + record


def _numbers(text: bytes) -> array[int]:
    return array("I", text)
