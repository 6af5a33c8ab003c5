"""Where the observer writes what it saw: one JSON object a line, each with a single write.

The records and their version are described in docs/live.md.
"""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Collection, Mapping
from typing import Any, Callable

from .handlers import is_of_a_handler

VERSION = 1
"""Of the records. The reader understands older ones and says so of newer ones."""

_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)

Write = Callable[[bytes], object]


class Journal:
    """Writes records, from any thread. A write that fails (a full disk) ends the writing, never the run.

    There is no lock: a record is one write, and a signal handler of the script that comes in between
    may end the process through us.
    """

    def __init__(self, write: Write) -> None:
        self._write = write
        self.begin()

    def begin(self) -> None:
        """Nothing has been said yet: the journal is new, or a forked child goes on with its own."""
        self._start = time.monotonic()
        self._facts: dict[str, Any] = {}
        self._troubled: set[str] = set()
        self.closed = False

    def record(self, kind: str, **values: Any) -> None:
        """Write one record. Keys whose value is None are left out."""
        if self.closed:
            return
        known = {key: value for key, value in values.items() if value is not None}
        head = self._head(kind)
        try:
            line = _ENCODER.encode({**head, **known})
        except (TypeError, ValueError):
            line = _ENCODER.encode({**head, **_plain(known)})
        self._write_line(line)

    def table(self, kind: str, columns: Mapping[str, list[Any]], short: Collection[str]) -> None:
        """Write one record of columns. Those in `short` keep nine digits: what float32 has, and quicker to write."""
        if self.closed:
            return
        head = _ENCODER.encode(self._head(kind))
        listed = (f'"{name}": {_listed(one, name in short)}' for name, one in columns.items())
        self._write_line(", ".join([head[:-1], *listed]) + "}")

    def _head(self, kind: str) -> dict[str, Any]:
        return {"kind": kind, "t": round(time.monotonic() - self._start, 6)}

    def _write_line(self, line: str) -> None:
        try:
            self._write(line.encode("utf-8", "replace") + b"\n")
        except OSError:
            self.closed = True

    def fact(
        self,
        name: str,
        value: Any,
        *,
        step: int | None = None,
        file: str | None = None,
        line: int | None = None,
        note: str | None = None,
    ) -> None:
        """Say something that a check found (or looked for and did not find). Said once per value.

        What was once said to be true is not taken back by a later false, but by `retract`.
        """
        if name in self._facts and (self._facts[name] == value or (self._facts[name] and value is False)):
            return
        self._facts[name] = value
        self.record("fact", name=name, value=value, step=step, file=file, line=line, note=note)

    def retract(self, *names: str) -> None:
        """What was said of these no longer holds, where something was: it was seen too early, or for too short a time."""
        for name in names:
            if self._facts.get(name, False) is not False:
                del self._facts[name]
                self.record("retracted", name=name)

    def trouble(self, part: str, error: BaseException) -> None:
        """Say that a part of the observer failed and was switched off. Said once of each part.

        Raises the error again where it is the script's: its signal handler raised it while the part ran.
        """
        if is_of_a_handler(error):
            raise error
        if part not in self._troubled:
            self._troubled.add(part)
            self.record("trouble", part=part, error=f"{type(error).__name__}: {error}"[:500])


def journal_in(folder: str, name: str = "") -> Journal:
    """A journal in `PID.jsonl`, in a forked child in the file of the child; else in `name.jsonl`.

    The file is opened for each record: a descriptor that we held could be closed by the script and be
    another file of the script's by the time we write.
    """

    def write(data: bytes) -> None:
        path = os.path.join(folder, f"{name or os.getpid()}.jsonl")
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            if os.write(descriptor, data) != len(data):
                raise OSError("the disk is full")
        finally:
            os.close(descriptor)

    return Journal(write)


def _listed(values: list[Any], short: bool) -> str:
    """The values as a list of JSON."""
    if short and set(map(type, values)) == {float}:
        text = ("%.9g, " * len(values))[:-2] % tuple(values)
        if "n" not in text:  # neither nan nor inf
            return f"[{text}]"
    return _ENCODER.encode(_plain(values))


def _plain(value: Any) -> Any:
    """The value as JSON can hold it: NaN and the infinities are texts."""
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return value if isinstance(value, (str, int, float, bool)) or value is None else str(value)
