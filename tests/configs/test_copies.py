"""What a trainer wrote of its run tells what was used; nothing reads it again, so nothing is changed in it."""

from __future__ import annotations

import pytest

from .conftest import Reads


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("00012-stylegan2-gamma2/training_options.json", '{"batch_size": 32, "random_seed": 0}'),
        ("lightning_logs/version_3/hparams.yaml", "batch_size: 32\nlr: 0.1\n"),
        ("outputs/2024-06-01/12-00-00/.hydra/config.yaml", "training:\n  batch_size: 32\n  lr: 0.1\n"),
    ],
)
def test_a_copy_is_read_and_left_alone(read: Reads, name: str, text: str) -> None:
    run = read({name: text})
    assert run["micro_batch_size"] == 32
    patch = run.plan(micro_batch_size=8)
    assert patch.files == ()
    assert "should be 8" in patch.refused[0].by_hand
    assert "does not read" in run.findings.inputs[0].note


def test_what_the_copy_was_made_from_is_changed(read: Reads) -> None:
    text = "batch_size: 32\nlr: 0.1\n"
    patch = read({"conf/config.yaml": text, "out/.hydra/config.yaml": text}).plan(micro_batch_size=8)
    assert [one.file.name for one in patch.files] == ["conf/config.yaml"]


def test_a_file_of_that_name_elsewhere_is_a_configuration(read: Reads) -> None:
    assert "batch_size: 8" in read({"hparams.yaml": "batch_size: 32\nlr: 0.1\n"}).patched(micro_batch_size=8)
