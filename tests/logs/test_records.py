"""Metrics in rows: JSON lines, tables, the history of a trainer, event files."""

from __future__ import annotations

import json
import struct

import pytest

from traindx.probes.inputs import Kind

from .conftest import Reads


def test_json_lines_with_bare_nan_and_numbers_as_text(read: Reads) -> None:
    rows = [
        '{"step": 1, "loss": "2.5", "lr": 0.1}',
        '{"step": 2, "loss": NaN}',
        "",
        '{"step": 3, "loss": 2.3}',
    ]
    run = read("\n".join(rows), Kind.RECORDS)
    assert (run["loss.first"], run["loss.first_nonfinite_step"], run["loss.recovers"]) == (2.5, 2, True)


def test_numbers_that_stand_together_within_a_row_are_read(read: Reads) -> None:
    row = '{"ts": 1, "level": "info", "msg": "train", "step": %d, "metrics": {"train/loss": %s}}'
    run = read("\n".join(row % pair for pair in ((1, "2.5"), (2, "NaN"))), Kind.RECORDS)
    assert (run["loss.first"], run["loss.first_nonfinite_step"]) == (2.5, 2)


def test_a_table_with_padded_names_empty_cells_and_a_new_header(read: Reads) -> None:
    text = "epoch, train/loss, val/loss\n1, 2.0, 2.2\n2, , 2.1\nepoch, train/loss\n3, 1.5\n"
    run = read(text, Kind.RECORDS)
    assert (run["loss.count"], run["loss.last"], run["loss.eval.last"]) == (2, 1.5, 2.1)


def test_a_row_without_a_step_stands_at_its_epoch(read: Reads) -> None:
    run = read("epoch,train_loss\n0,2.0\n1,1.9\n2,nan\n", Kind.RECORDS)
    place = run.place("loss.nonfinite")
    assert (place.step, place.epoch, str(place).endswith(":4 (epoch 2)")) == (None, 2, True)


def test_a_step_places_a_row_better_than_its_epoch(read: Reads) -> None:
    run = read("epoch,step,train_loss\n0,10,2.0\n1,20,1.9\n2,30,nan\n", Kind.RECORDS)
    place = run.place("loss.nonfinite")
    assert (place.step, place.epoch) == (30, None)


def test_the_history_of_a_trainer_state(read: Reads) -> None:
    state = {
        "epoch": 1.0,
        "log_history": [{"loss": 2.5, "step": 10}, {"eval_loss": 2.6, "step": 10}],
        "max_steps": 99,
    }
    run = read(json.dumps(state, indent=2), Kind.RECORDS)
    assert (run["loss.first"], run["loss.eval.first"]) == (2.5, 2.6)


@pytest.mark.parametrize("step", ["Infinity", "NaN", "1" + 400 * "0"])
def test_a_step_that_is_no_usual_number_is_none(read: Reads, step: str) -> None:
    run = read(f'{{"step": 1, "loss": 2.5}}\n{{"step": {step}, "loss": 2.0}}\n', Kind.RECORDS)
    assert (run["loss.last"], run["log.steps"], run.place("loss.last").step) == (2.0, None, None)


@pytest.mark.parametrize("text", ["", "hello", "[1, 2]", '{"a": '])
def test_a_file_that_is_no_records_is_a_note(read: Reads, text: str) -> None:
    assert "no metric records" in read(text, Kind.RECORDS).note


def event(step: int, tag: str, value: float) -> bytes:
    name = tag.encode()
    point = b"\x0a" + bytes([len(name)]) + name + b"\x15" + struct.pack("<f", value)
    summary = b"\x0a" + bytes([len(point)]) + point
    body = b"\x10" + bytes([step]) + b"\x2a" + bytes([len(summary)]) + summary
    return struct.pack("<Q4x", len(body)) + body + b"\0\0\0\0"


def test_event_files_are_read_without_tensorboard(read: Reads) -> None:
    run = read(event(1, "train/loss", 2.5) + event(2, "train/loss", 2.25) + b"\x01", Kind.EVENTS)
    assert (run["loss.first"], run["loss.last"], run["log.steps"]) == (2.5, 2.25, 2)


def test_what_is_no_event_file_is_a_note(read: Reads) -> None:
    run = read(b"just some text that is long enough to hold a header", Kind.EVENTS)
    assert (run.findings.inputs[0].bad, run.note) == (True, "not a TensorBoard event file")


def test_a_time_beside_that_of_the_data_is_the_time_of_a_step(read: Reads) -> None:
    rows = "".join(
        json.dumps({"data_time": 1.9, "iteration": 20 * one, "time": 2.3, "total_loss": 2 - one / 100}) + "\n"
        for one in range(1, 30)
    )
    facts = read(rows, Kind.RECORDS)
    assert facts["log.speed.steps_per_second"] == pytest.approx(1 / 2.3)
    assert facts["log.speed.data_share"] == pytest.approx(1.9 / 2.3)


def test_a_time_alone_may_be_any(read: Reads) -> None:
    rows = "".join(json.dumps({"time": 60.0 * one, "loss": 2 - one / 100}) + "\n" for one in range(1, 30))
    assert read(rows, Kind.RECORDS)["log.speed.steps_per_second"] is None
