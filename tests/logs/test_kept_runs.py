"""Logs that lie where a notebook or a tracker keeps them: found, put together, read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from traindx.engine.facts import Facts
from traindx.engine.kb.knowledge import Knowledge
from traindx.probes.discover import discover
from traindx.probes.inputs import Input, Kind
from traindx.probes.logs import LogProbe

META = "lifecycle_stage: active\nrun_id: 0a1b\nstatus: 3\n"
HTML = "<p>[2/2 00:03]</p><table><thead><tr><th>Step</th><th>Training Loss</th></tr></thead><tbody>{}</tbody></table>"


def facts_of(inputs: list[Input], knowledge: Knowledge) -> Facts:
    facts = Facts()
    facts.extend(LogProbe(inputs, knowledge).run().facts)
    return facts


def notebook(path: Path, *outputs: Mapping[str, object]) -> list[Input]:
    cells = [
        {"cell_type": "markdown", "source": ["# My run is broken"]},
        {"cell_type": "code", "source": ["trainer.train()"], "outputs": list(outputs)},
    ]
    path.write_text(json.dumps({"cells": cells, "nbformat": 4}))
    return discover([path]).inputs


def test_what_is_no_page_ends_nothing(tmp_path: Path) -> None:
    odd = {"output_type": "display_data", "data": {"text/html": "<![ [ table", "text/plain": "loss 0.5"}}
    assert [one.data for one in notebook(tmp_path / "n.ipynb", odd)[1:]] == [b"loss 0.5\n"]


def test_an_error_in_a_cell_is_read_and_the_cell_named(tmp_path: Path, knowledge: Knowledge) -> None:
    said = "CUDA out of memory. Tried to allocate 2.32 GiB."
    error = {
        "output_type": "error",
        "ename": "OutOfMemoryError",
        "evalue": said,
        "traceback": ["\x1b[0;31mOutOfMemoryError\x1b[0m  Traceback (most recent call last)", "File x.py:1"],
    }
    inputs = notebook(tmp_path / "n.ipynb", error)
    assert [one.kind for one in inputs] == [Kind.CODE, Kind.LOG]
    fact = facts_of(inputs, knowledge).get("log.device_memory_gone")
    assert fact is not None
    assert fact.place is not None
    assert (fact.value, fact.place.input) == (True, f"{tmp_path / 'n.ipynb'} (cell 1)")


def test_what_a_cell_printed_and_showed_is_one_log(tmp_path: Path, knowledge: Knowledge) -> None:
    rows = "".join(f"<tr><td>{step}</td><td>{3 - step / 10}</td></tr>" for step in range(1, 13))
    shown = {
        "output_type": "display_data",
        "data": {"text/html": [HTML.format(rows)], "text/plain": ["<IPython.core"]},
    }
    facts = facts_of(notebook(tmp_path / "n.ipynb", shown), knowledge)
    assert (facts.value("loss.first"), facts.value("log.steps")) == (2.9, 12)


def test_a_cell_is_no_person(tmp_path: Path, knowledge: Knowledge) -> None:
    told = {
        "output_type": "stream",
        "name": "stdout",
        "text": ["I think my run is broken.\n", "It never learns a thing.\n"],
    }
    assert facts_of(notebook(tmp_path / "n.ipynb", told), knowledge).value("log.prose") is not True


def test_a_notebook_without_outputs_and_one_that_is_broken_bring_no_log(tmp_path: Path) -> None:
    assert [one.kind for one in notebook(tmp_path / "n.ipynb")] == [Kind.CODE]
    (tmp_path / "b.ipynb").write_text('{"cells": [3')
    assert [one.kind for one in discover([tmp_path / "b.ipynb"]).inputs] == [Kind.CODE]


def test_a_run_that_mlflow_kept_is_a_table_and_its_settings(tmp_path: Path, knowledge: Knowledge) -> None:
    run = tmp_path / "mlruns" / "0" / "0a1b"
    for folder in ("metrics/val", "params", "tags"):
        (run / folder).mkdir(parents=True)
    (run / "meta.yaml").write_text(META)
    losses = "".join(f"17180000{step:05} {0.7 - step / 1000} {step}\n" for step in range(10, 200, 10))
    (run / "metrics/train_loss").write_text(losses)
    (run / "metrics/val/loss").write_text("1718000060000 0.65 100\n")
    (run / "params/learning_rate").write_text("2e-05")
    (run / "params/freeze_backbone").write_text("True")
    (run / "tags/mlflow.user").write_text("anna")
    records, settings = discover([tmp_path]).inputs
    assert (records.kind, settings.kind) == (Kind.RECORDS, Kind.CONFIG)
    assert json.loads(settings.data or b"") == {"freeze_backbone": True, "learning_rate": 2e-05}
    facts = facts_of([records], knowledge)
    assert (facts.value("loss.first"), facts.value("log.steps")) == (0.69, 190)


def test_folders_of_those_names_elsewhere_are_no_run_of_mlflow(tmp_path: Path) -> None:
    (tmp_path / "metrics").mkdir()
    (tmp_path / "metrics" / "train.log").write_text("step 1 loss 2.0\n")
    assert [Path(one.name).name for one in discover([tmp_path]).inputs] == ["train.log"]


def test_metrics_that_are_left_out_are_named_and_losses_come_first(tmp_path: Path) -> None:
    (tmp_path / "metrics").mkdir()
    (tmp_path / "meta.yaml").write_text(META)
    for name in ["train_loss", *(f"layer_{number:03}" for number in range(400))]:
        (tmp_path / "metrics" / name).write_text("1 0.5 1\n")
    found = discover([tmp_path])
    assert found.inputs[0].data is not None
    assert b"train_loss" in found.inputs[0].data
    assert "1 of 401 files were left out" in found.notes[0]


def test_what_is_put_away_is_of_another_run(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    for folder in (tmp_path, tmp_path / "old"):
        (folder / "train.log").write_text("step 1 loss 2.0\n")
    found = discover([tmp_path])
    assert [one.path for one in found.inputs] == [tmp_path / "train.log"]
    assert any("old" in note and "name it to have it read" in note for note in found.notes)
    assert len(discover([tmp_path / "old"]).inputs) == 1
