"""Files as they come: compressed, cut off, binary, empty, or full of settings."""

from __future__ import annotations

import gzip

import pytest

from traindx.engine.kb.knowledge import Knowledge
from traindx.probes.inputs import Input, Kind
from traindx.probes.logs import LogProbe

from .conftest import Reads

STEP = "{{'loss': {:.3f}, 'grad_norm': 1.1, 'learning_rate': 1e-05, 'epoch': {:.2f}}}\n"


def test_settings_are_found_and_bounded(read: Reads) -> None:
    run = read("Namespace(lr=0.1,\n          epochs=3)\nstep 1 loss 2.0\n")
    (printed,) = run.probe.printed_settings
    assert (printed.line, printed.text) == (1, "Namespace(lr=0.1,\n          epochs=3)")


def test_a_dictionary_that_is_called_settings_is_no_measurement(read: Reads) -> None:
    run = read("INFO:root:cfg: {'lr': 0.1, 'seed': 1}\nstep 1 loss 2.0\n")
    assert [one.text for one in run.probe.printed_settings] == ["INFO:root:cfg: {'lr': 0.1, 'seed': 1}"]
    assert "log.lr.first" not in run.values


def test_the_settings_of_a_trial_are_not_those_of_the_run(read: Reads) -> None:
    run = read("Trial 3 finished with value: 0.9 and parameters: {'lr': 0.1, 'wd': 0.2}.\nstep 1 loss 2.0\n")
    assert run.probe.printed_settings == []
    assert "log.lr.first" not in run.values


def test_a_remark_below_printed_settings_is_none_of_them(read: Reads) -> None:
    banner = b"==((====))==  Unsloth - 2x faster free finetuning | Num GPUs = 1\n"
    run = read(banner + b"   \\\\   /|    Num examples = 212 | Num Epochs = 1\nnote: the loss is NaN\n")
    assert run.values["log.prose"] == ("the loss is NaN",)


def test_listed_packages_are_facts(read: Reads) -> None:
    run = read(
        "torch==2.1.0 transformers==4.40.1\nPackage    Version\n---------- -------\nnumpy      1.26.4\n"
    )
    assert (run["env.package.torch"], run["env.package.numpy"]) == ("2.1.0", "1.26.4")


def test_compressed_and_transcoded_logs_read_alike(read: Reads) -> None:
    text = "step 1 loss 2.5\nstep 2 loss 2.4\n"
    plain = read(text).values
    assert read(gzip.compress(text.encode())).values == plain
    assert read(text.encode("utf-16")).values == plain
    assert read(text.replace("\n", "\r\n")).values == plain
    assert read(f"\x1b[32m{text}\x1b[0m").values == plain


def test_of_a_truncated_archive_what_came_before_counts(read: Reads) -> None:
    text = "".join(f"step {step} loss {2 + step % 7}\n" for step in range(20_000))
    run = read(gzip.compress(text.encode())[:-2000])
    assert run["loss.first"] == 2
    assert "cut off" in run.note


def test_a_binary_file_is_a_note(read: Reads) -> None:
    run = read(bytes(range(256)) * 50)
    assert (run.findings.inputs[0].bad, run.note) == (True, "binary, not text")


def test_an_empty_log_is_a_note(read: Reads) -> None:
    assert read(b"").note == "empty"


def test_a_line_without_end_is_cut(read: Reads) -> None:
    run = read("step 1 loss 2.5\n" + "x" * 3_000_000 + "\nstep 2 loss 2.4\n")
    assert (run["loss.first"], run["loss.last"]) == (2.5, 2.4)
    assert "longer than" in run.note


def test_progress_is_told(knowledge: Knowledge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("traindx.probes.logs.passing.EVERY", 0.0)
    calls = list[tuple[str, int, int]]()
    data = b"step 1 loss 2.5\n" * 20_000
    LogProbe([Input("a", Kind.LOG, data=data)], knowledge, progress=lambda *call: calls.append(call)).run()
    assert calls[-1] == ("a", len(data), len(data))


def test_a_file_of_settings_alone_is_no_log(read: Reads) -> None:
    options = "----- Options -----\n   batch_size: 1\n   lr: 0.0002\n   netG: unet_256\n----- End -----\n"
    assert read(options).findings.inputs[0].kind == "config"
    assert (
        read("config:\n  lr: 0.1\n  x: 2\n\nstep 1 loss 2.0 and more\nstep 2 loss 1.9 and more\n")
        .findings.inputs[0]
        .kind
        == "log"
    )


def test_a_log_compressed_with_zstandard_is_read(read: Reads) -> None:
    zstandard = pytest.importorskip("zstandard")
    log = "".join(STEP.format(3 - n / 100, n / 100) for n in range(50)).encode()
    run = read(zstandard.ZstdCompressor().compress(log), name="train.log.zst")
    assert (run["loss.first"], run["loss.count"]) == (3.0, 50)
