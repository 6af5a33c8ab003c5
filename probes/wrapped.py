"""Text that a collector of logs keeps in lines of JSON: Docker, Loki, Cloud Logging, Logstash, structured loggers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from traindx.engine.regex import regex

_TEXTS = ("log", "message", "msg", "textPayload", "@message", "line", "event")
"""Where the text stands."""
_TIMES = ("time", "@timestamp", "timestamp", "ts", "asctime")
_COLLECTED = frozenset(
    (
        "level", "levelname", "severity", "lvl", "log_level", "loglevel", "stream", "logger", "logName", "logStream",
        "@version", "@logStream", "kubernetes", "container_name", "insertId", "labels",
    )
)  # fmt: skip
"""What stands beside the text in a log, and beside a sample in no set of data."""
_MEASURED = regex(r"(?i)loss|^acc|accuracy|^lr$|learning_rate|grad_norm|perplexity|reward")
"""Names of numbers of their own: rows that have them are read as rows."""
_STAMP = regex(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S{0,16}$")
_ENOUGH = 0.9
_LOOKED_AT = 200


class Wrapping:
    """Takes the text out of the lines of JSON in which a collector keeps it."""

    def __init__(self, key: str) -> None:
        self._key = key

    def plain(self, data: bytes) -> bytes:
        """Whole lines, each as its text. One of several lines has returns between them, so that lines keep their numbers."""
        return b"".join(
            map(self._text, data.splitlines(keepends=True) if b"\r" not in data else _lines(data))
        )

    def _text(self, line: bytes) -> bytes:
        record = _record(line)
        text = _text_in(record, self._key) if record is not None else None
        if record is None or text is None:
            return line
        parts = text.rstrip("\r\n").replace("\r\n", "\n").split("\n")
        if len(parts) == 1 and (stamp := _stamp(record)):
            parts[0] = f"{stamp} {parts[0]}"
        rank = record.get("rank")
        if isinstance(rank, int) and not isinstance(rank, bool):
            parts = [f"[rank{rank}]: {part}" for part in parts]
        end = b"\n" if line.endswith(b"\n") else b""
        return "\r".join(parts).encode("utf-8", "replace") + end


def wrapping_of(start: bytes) -> Wrapping | None:
    """How the first lines of a file wrap what was printed; None where they do not."""
    if start.lstrip()[:1] != b"{":
        return None
    lines = [line for line in _lines(start)[:_LOOKED_AT] if line.strip()]
    # The last may be cut off.
    records = [record for line in lines if (record := _record(line)) is not None]
    if len(records) < _ENOUGH * max(1, len(lines) - 1) or not records or any(map(_is_measured, records)):
        return None
    collected = [record for record in records if not _COLLECTED.isdisjoint(record)]
    for key in _TEXTS:
        if sum(_text_in(record, key) is not None for record in collected) >= _ENOUGH * len(records):
            return Wrapping(key)
    return None


def _lines(data: bytes) -> list[bytes]:
    return [line + b"\n" for line in data.split(b"\n")[:-1]] + [data.rpartition(b"\n")[2]]


def _record(line: bytes) -> Mapping[str, Any] | None:
    if not line.lstrip().startswith(b"{"):
        return None
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _text_in(record: Mapping[str, Any], key: str) -> str | None:
    text = record.get(key)
    if text is None and isinstance(payload := record.get("jsonPayload"), dict):
        text = payload.get(key)
    return text if isinstance(text, str) else None


def _stamp(record: Mapping[str, Any]) -> str:
    stamps: Iterator[Any] = (record.get(key) for key in _TIMES)
    return next((one for one in stamps if isinstance(one, str) and _STAMP.match(one)), "")


def _is_measured(record: Mapping[str, Any]) -> bool:
    """Whether numbers stand beside the text, or together in a part of their own: `"metrics": {"loss": 0.3}`."""
    parts = [record, *(value for value in record.values() if isinstance(value, dict))]
    return any(
        _MEASURED.search(key) and isinstance(value, int | float)
        for part in parts
        for key, value in part.items()
    )
