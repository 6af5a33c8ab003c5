"""Lines of JSON in which a collector keeps what a program printed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traindx.engine.kb.knowledge import Knowledge
from traindx.probes.inputs import Input, Kind
from traindx.probes.kinds import kind_inside, kind_of
from traindx.probes.logs import LogProbe
from traindx.probes.wrapped import wrapping_of

PRINTED = [f"step {step} loss {2 - step / 100:.2f} grad_norm 1.0" for step in range(1, 21)]
TRACEBACK = """\
Traceback (most recent call last):
  File "/app/train.py", line 61, in main
    out = self.fc(x)
RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x512 and 256x10)"""
WAYS: dict[str, Callable[[str], dict[str, Any]]] = {
    "docker": lambda text: {"log": text + "\n", "stream": "stdout", "time": "2026-01-01T00:00:00.1Z"},
    "loki": lambda text: {"ts": "2026-01-01T00:00:00Z", "level": "info", "line": text},
    "cloud logging": lambda text: {"textPayload": text, "severity": "INFO", "insertId": "1x"},
    "its payload": lambda text: {"jsonPayload": {"message": text}, "severity": "INFO"},
    "logstash": lambda text: {"@timestamp": "2026-01-01T00:00:00Z", "@version": "1", "message": text},
    "python-json-logger": lambda text: {"levelname": "INFO", "lineno": 3, "message": text},
    "structlog": lambda text: {"event": text, "level": "info", "timestamp": "2026-01-01T00:00:00Z"},
}


def in_json(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def facts_of(knowledge: Knowledge, text: str) -> dict[str, Any]:
    source = Input("train.log", Kind.LOG, data=text.encode())
    return {fact.name: fact for fact in LogProbe([source], knowledge).run().facts}


@pytest.mark.parametrize("way", WAYS)
def test_what_was_printed_is_read(knowledge: Knowledge, tmp_path: Path, way: str) -> None:
    text = in_json([WAYS[way](line) for line in PRINTED])
    facts = facts_of(knowledge, text)
    assert (facts["loss.count"].value, facts["loss.first"].value) == (20, 1.99)
    assert facts["loss.last"].place.line == 20
    for name in ("pod.jsonl", "pod.json", "abc-json.log", "pod"):
        (tmp_path / name).write_text(text)
        assert kind_of(tmp_path / name) is Kind.LOG


@pytest.mark.parametrize("way", WAYS)
def test_a_traceback_in_one_record_stands_in_its_line(knowledge: Knowledge, way: str) -> None:
    facts = facts_of(knowledge, in_json([WAYS[way](line) for line in (*PRINTED, TRACEBACK)]))
    assert facts["log.exception.type"].value == "RuntimeError"
    assert facts["log.exception.type"].place.line == 21


def test_the_rank_of_a_record_is_kept(knowledge: Knowledge) -> None:
    row = {"level": "error", "rank": 3, "message": TRACEBACK}
    facts = facts_of(knowledge, in_json([row]))
    assert facts["log.exception.type"].place.rank == 3
    plain = wrapping_of(in_json([row | {"rank": True}]).encode())
    assert plain is not None
    assert plain.plain(in_json([row | {"rank": True}]).encode()).startswith(b"Traceback")


@pytest.mark.parametrize(
    "row",
    [
        pytest.param({"level": "info", "message": "step", "loss": 2.1, "step": 3}, id="rows of metrics"),
        pytest.param(
            {"level": "info", "msg": "train", "metrics": {"train/loss": 2.1}}, id="rows of nested metrics"
        ),
        pytest.param({"text": "It was a dark night.", "timestamp": "2019-04-01T00:00:00Z"}, id="a corpus"),
        pytest.param({"message": "hello", "timestamp": "2019-04-01T00:00:00Z"}, id="a chat"),
        pytest.param({"level": 3, "message": 7}, id="no text"),
    ],
)
def test_other_rows_are_not_logs(tmp_path: Path, row: dict[str, Any]) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(in_json([row] * 5))
    assert kind_of(path) is Kind.RECORDS
    assert kind_inside(path) is not Kind.LOG


def test_lines_between_the_records_stay_as_they_are(knowledge: Knowledge) -> None:
    rows = in_json([WAYS["loki"](line) for line in PRINTED])
    facts = facts_of(knowledge, rows + "Killed\n" + rows)
    assert facts["loss.count"].value == 40
    assert facts["loss.last"].place.line == 41


@given(st.lists(st.text(max_size=40), min_size=1, max_size=30))
def test_no_text_changes_the_number_of_a_line(texts: list[str]) -> None:
    data = in_json([WAYS["loki"](text) for text in texts]).encode()
    wrapping = wrapping_of(data)
    assert wrapping is not None
    assert wrapping.plain(data).count(b"\n") == len(texts)


@given(st.binary(max_size=200))
def test_no_bytes_are_too_odd(data: bytes) -> None:
    lines = in_json([WAYS["loki"]("step 1")] * 20).encode() + b"{" + data + b"\n"
    wrapping = wrapping_of(lines)
    assert wrapping is None or wrapping.plain(lines).count(b"\n") == lines.count(b"\n")
