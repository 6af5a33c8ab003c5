"""What a log says besides errors: curves, positions, settings, packages; files of every kind."""

from __future__ import annotations

import gzip
import json
import struct
from pathlib import Path

import pytest

from traindx.engine.kb.knowledge import Knowledge
from traindx.probes.inputs import Input, Kind
from traindx.probes.logs import LogProbe
from traindx.probes.logs.finder import ShapeFinder
from traindx.probes.logs.signatures import for_machines

from .conftest import Reads

STEP = "{{'loss': {:.3f}, 'grad_norm': 1.1, 'learning_rate': 1e-05, 'epoch': {:.2f}}}\n"


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("epoch 1 [ 200/ 412] loss=9.64", 9.64),
        ("Average training loss: -0.26", -0.26),
        ("iter=50 train_loss=0.78", 0.78),
        ("Epoch 5 | train loss 0.3 | val loss 0.5", 0.3),
        ("step 3: loss tensor(1.25, device='cuda:0')", 1.25),
        ("loss: np.float64(1.8)", 1.8),
        ("step 7 loss 1,234.5", 1234.5),
        ("2024-03-01 10:00:00 INFO loss: 0.7 (eta 0:12:30)", 0.7),
        ("Cost after iteration 100: 0.693147", 0.693147),
        ("Loss for epoch 3/10 = 0.41, lr 0.1", 0.41),
        ("Epoch 1 Train Loss: 2,0650 Val Loss: 2,0850", 2.065),
        ("ep 0 | 50/430 | ctc 5.848 | gnorm 3.84 | lr 4.02e-05", 5.848),
    ],
)
def test_a_trainer_nobody_knows_is_read(read: Reads, line: str, value: float) -> None:
    assert read(f"{line}\n")["loss.first"] == value


@pytest.mark.parametrize(
    "line",
    [
        "loss function: 2 terms",
        "saved loss_12.pt",
        "version loss 1.2.3",
        "loss-2024-03-01.log opened",
        "no loss here",
        "Best loss at epoch 3: 0.3",
        "Loss at iteration 40, lr=0.1",
        "loss: 0,12,40",
        "losses: 2,0650,1",
        "'optimizer=auto' found, ignoring 'loss0=0.01' and determining it",
    ],
)
def test_what_only_looks_like_a_loss_is_none(read: Reads, line: str) -> None:
    assert read(f"{line}\n")["loss.first"] is None


SPLITS = (
    ("fold 1 ep {} | trn {:.4f} | val {:.4f} | auc 0.7773 | lr 2.0e-03", True),
    ("{}  train {:.4f} / valid {:.4f}  (best 2.0850)", True),
    ("[{}] train {:.4f} valid {:.4f}", True),
    ("10.0.0.{} train {:.4f} / valid {:.4f}", False),
    ("2024-05-03 10:20:{} train {:.4f} / valid {:.4f}", False),
    ("v2.{} train {:.4f} / valid {:.4f}", False),
    ("{} seconds: train {:.4f}, valid {:.4f}", False),
)


@pytest.mark.parametrize(("form", "is_loss"), SPLITS)
def test_numbers_of_training_and_validation_behind_a_count_are_losses(
    read: Reads, form: str, is_loss: bool
) -> None:
    run = read("".join(form.format(n, 2 / (n + 1), 3 / (n + 1)) + "\n" for n in range(10, 40)))
    assert (run["loss.count"], run["loss.eval.count"]) == ((30, 30) if is_loss else (None, None))


def test_the_date_of_a_launchers_line_is_no_epoch(read: Reads) -> None:
    run = read(
        "step 1/100 loss 2.5\nE0711 08:30:11.120000 11 torch/distributed/elastic/api.py:869] failed (pid: 812)\n"
        "step 2/100 loss 2.4\n"
    )
    assert (run["log.epochs"], run["log.steps"]) == (None, 2)


def noisy(count: int, index: int) -> str:
    return f"{count:>7}  {2 / (1 + index) + (index * 7 % 5) / 100:.5f}\n"


@pytest.mark.parametrize(
    "lines",
    [
        [noisy(500 * (n + 1), n) for n in range(40)],
        [f"{n * 100}: {2 / (1 + n) + (n * 7 % 5) / 100:.5f}\n" for n in range(40)],
        [f"{n * 100 + 99} {1500 * 0.7**n + 8.9}\n" for n in range(20)],
        [f"{n} {2 / (1 + n) + (n * 7 % 5) / 100:.5f}\n" for n in range(1, 30)],
    ],
    ids=["padded", "colon", "smooth", "each step"],
)
def test_a_count_and_a_number_that_falls_are_steps_and_a_loss(read: Reads, lines: list[str]) -> None:
    run = read("".join(lines))
    assert (run["loss.count"], run["loss.trend"]) == (len(lines), "falling")


@pytest.mark.parametrize(
    "lines",
    [
        [f"{n} {1 / n:.4f}\n" for n in range(1, 30)],
        [f"{2**n} {2 / (1 + n) + (n * 7 % 5) / 100:.5f}\n" for n in range(20)],
        [f"{n * 100} {0.1 - n * 0.002:.5f}\n" for n in range(40)],
        [f"{n * 100} {0.1 if n < 20 else 0.01:.5f}\n" for n in range(40)],
        [f"{n * 100} {0.5 + n / 100:.5f}\n" for n in range(40)],
        [noisy(500 * (n + 1), n) + "other\n" * 5 for n in range(40)],
        [noisy(n, n) + f"step {n} reward {n}.0\n" for n in range(40)],
    ],
    ids=["ranks", "sizes", "a rate", "a stepped rate", "rising", "scattered", "beside a reward"],
)
def test_tables_of_other_things_are_no_losses(read: Reads, lines: list[str]) -> None:
    assert read("".join(lines))["loss.count"] is None


def test_a_rate_that_is_warmed_up_and_decays_is_no_loss(read: Reads) -> None:
    rates = [*range(1, 6), *range(30, 0, -1)]
    assert read("".join(f"{n} {rate / 10}\n" for n, rate in enumerate(rates)))["loss.last"] is None


def test_readings_that_go_up_and_down_are_no_loss(read: Reads) -> None:
    assert read("".join(f"{n} {21 - (n * 7 % 5) / 10}\n" for n in range(40)))["loss.last"] is None


def test_rows_without_a_name_give_way_to_a_log_that_names_its_loss(
    knowledge: Knowledge, tmp_path: Path
) -> None:
    (tmp_path / "rows.txt").write_text("".join(f"{n} {(9 - n % 3) / (n + 1)}\n" for n in range(40)))
    (tmp_path / "train.log").write_text("".join(f"step {n} loss {3 - n / 20}\n" for n in range(20)))
    inputs = [Input(one.name, Kind.LOG, one) for one in sorted(tmp_path.iterdir())]
    found = {one.name: one.value for one in LogProbe(inputs, knowledge).run().facts}
    assert found["loss.first"] == 3.0


def test_the_terms_of_a_loss_in_the_cell_of_a_table_are_added(read: Reads) -> None:
    run = read(
        "Step      Train loss              Test loss               Test metric\n"
        "0         [9.00e-01, 4.00e-01]    [9.45e-01, 4.00e-01]    [1.00e+00]\n"
        "1000      [4.00e-01, 1.00e-01]    [4.50e-01, 1.00e-01]    [6.80e-01]\n"
    )
    names = ("loss.first", "loss.last", "loss.eval.last", "log.steps")
    assert [run[name] for name in names] == pytest.approx([1.3, 0.5, 0.55, 1000])


def test_an_address_in_parentheses_is_no_number(read: Reads) -> None:
    assert read("node-1 (10.0.0.1): step 10 loss 0.4\n")["loss.last"] == 0.4


def test_a_log_on_which_the_reader_breaks_takes_no_other_with_it(
    knowledge: Knowledge, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(probe: LogProbe, source: Input) -> tuple[str, int, Kind]:
        if source.name == "odd.log":
            raise ZeroDivisionError("division by zero")
        return whole(probe, source)

    whole = LogProbe._read_log
    monkeypatch.setattr(LogProbe, "_read_log", breaks)
    inputs = [Input(name, Kind.LOG, data=b"step 1 loss 0.5\n") for name in ("odd.log", "train.log")]
    found = LogProbe(inputs, knowledge).run()
    assert ("loss.last", 0.5) in [(one.name, one.value) for one in found.facts]
    assert [one.note for one in found.inputs if one.bad] == [
        "reading it broke, a fault of traindx: ZeroDivisionError: division by zero"
    ]


def test_the_number_of_a_part_belongs_to_the_name(read: Reads) -> None:
    lines = "".join(f"step {n}0 loss 2.{n}\n  optim/LR (group 0)={n}.5E-06\n" for n in range(1, 9))
    assert read(lines)["log.lr.max"] == 8.5e-6


def test_the_step_comes_from_the_bar_before_the_line(read: Reads) -> None:
    run = read(" 12%|█▏        | 60/500 [02:52<20:47,  2.84s/it]\n" + STEP.format(2.0, 0.3))
    place = run.fact("loss.first").place
    assert place is not None
    assert (place.line, place.step) == (2, 60)


def test_redrawn_bars_count_as_one_line(read: Reads) -> None:
    bars = "".join(f"\r{done}%|█ | {done}/100 [00:01<00:02, 5.00it/s]" for done in range(1, 9))
    place = read(f"{bars}\nstep 9 loss 1.5\n").fact("loss.first").place
    assert place is not None
    assert place.line == 2


def test_validation_is_kept_apart(read: Reads) -> None:
    run = read("Epoch 1 train_loss 0.5 val_loss 0.9\nEpoch 2 train_loss 0.4 val_loss 0.8\n")
    assert (run["loss.last"], run["loss.eval.last"]) == (0.4, 0.8)


def test_the_first_batch_waits_for_workers_and_says_nothing_of_the_loader(read: Reads) -> None:
    first = "Epoch: [0][ 0/500]\tTime 5.200 (5.200)\tData 4.900 (4.900)\tLoss 6.9000 (6.9000)\n"
    later = "Epoch: [0][10/500]\tTime 0.200 (0.650)\tData 0.100 (0.540)\tLoss 6.8000 (6.8500)\n"
    assert read(first)["log.speed.data_share"] is None
    assert read(first + later)["log.speed.data_share"] == pytest.approx(0.5)


@pytest.mark.parametrize(
    "line",
    [
        "Epoch {0}: 100%|█████| 469/469 [05:53<00:00, {2:.2f}it/s, loss=0.3]\n",
        "epoch {0} loss 0.3 epoch_time: {1:.1f}\n",
        "Epoch {0}/3\n469/469 [=====] - {1:.0f}s {1}s/step - loss: 0.3\n",
    ],
)
def test_the_first_epoch_is_compared_with_later_ones(read: Reads, line: str) -> None:
    times = (400.0, 100.0, 100.0)
    log = "".join(line.format(epoch, time, 469 / time) for epoch, time in enumerate(times, 1))
    assert read(log)["log.speed.first_epoch_slower"] == pytest.approx(4.0, rel=0.05)
    assert read(log[: len(log) // 3])["log.speed.first_epoch_slower"] is None


def test_a_count_of_all_is_a_score_and_no_step(read: Reads) -> None:
    run = read("Test set: Average loss: 2.3026, Accuracy: 1028/10000 (10%)\n")
    assert (run["log.eval_accuracy.last"], run["log.steps"]) == (0.1028, None)


def test_an_epoch_in_brackets_is_no_process(read: Reads) -> None:
    run = read("".join(f"[Epoch:{epoch}] val_loss:{4 + epoch} | val_pp:90\n" for epoch in range(1, 5)))
    assert (run["loss.eval.count"], run["log.ranks"]) == (4, None)


def test_training_first_printed_late_says_nothing_of_the_start(read: Reads) -> None:
    run = read("val_loss: 4.6\nval_loss: 4.1\nval_loss: 5.0\ntrain_loss: 0.1\nval_loss: 6.4\n")
    assert run["loss.gap_from_start"] is None


def test_settings_are_found_and_bounded(read: Reads) -> None:
    run = read("Namespace(lr=0.1,\n          epochs=3)\nstep 1 loss 2.0\n")
    (printed,) = run.probe.printed_settings
    assert (printed.line, printed.text) == (1, "Namespace(lr=0.1,\n          epochs=3)")


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


# -- huge logs


def huge(folder: Path, tail: str = "") -> Input:
    lines = [STEP.format(2 + step % 10 / 10, step / 1000) for step in range(40_000)]
    lines.insert(20_000, "CUDA out of memory. Tried to allocate 2.00 GiB\n")
    path = folder / "huge.log"
    path.write_text("".join([*lines, tail]))
    return Input("huge.log", Kind.LOG, path)


@pytest.mark.parametrize("fast", [True, False])
def test_triage_finds_every_event_and_samples_the_numbers(
    knowledge: Knowledge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fast: bool
) -> None:
    if fast:
        pytest.importorskip("hyperscan")
    else:
        monkeypatch.setattr("traindx.probes.logs.triage.make_finder", ShapeFinder)
    source = huge(tmp_path, tail="ValueError: the end\n")
    probe = LogProbe([source], knowledge, scan="triage")
    found = {fact.name: fact for fact in probe.run().facts}
    assert found["gpu.oom.tried_gib"].value == 2
    place = found["log.device_memory_gone"].place
    assert place is not None
    assert place.line == 20_001
    assert found["log.exception.type"].value == "ValueError"
    assert found["loss.first"].value == 2
    assert 0 < int(found["loss.count"].value) < 20_000  # type: ignore[arg-type]


def test_the_report_says_what_was_sampled(knowledge: Knowledge, tmp_path: Path) -> None:
    findings = LogProbe([huge(tmp_path)], knowledge, scan="triage").run()
    assert findings.inputs[0].note.startswith("sampled: errors and events were looked for everywhere")


def test_logs_of_usual_size_are_read_in_full(knowledge: Knowledge, tmp_path: Path) -> None:
    findings = LogProbe([huge(tmp_path)], knowledge).run()
    assert findings.inputs[0].note == ""
    assert {fact.name: fact.value for fact in findings.facts}["loss.count"] == 40_000


@pytest.mark.parametrize(
    "line", ["cuda OUT of memory. Tried to allocate 1 GiB", "KeyboardInterrupt", "x.y.FooError: z"]
)
def test_both_finders_give_the_lines_that_hold_a_literal(knowledge: Knowledge, line: str) -> None:
    hyperscan = pytest.importorskip("hyperscan")
    from traindx.probes.logs.finder import FastFinder

    data = f"step 1 loss 2\n{line}\nstep 2 loss 2\rstep 3 loss 2\n{line}".encode()
    wanted = [f"{line}\n".encode(), line.encode()]
    machines = for_machines(knowledge)
    assert list(ShapeFinder(machines).lines(data)) == wanted
    assert list(FastFinder(machines, hyperscan).lines(data)) == wanted


# -- records


def test_json_lines_with_bare_nan_and_numbers_as_text(read: Reads) -> None:
    rows = [
        '{"step": 1, "loss": "2.5", "lr": 0.1}',
        '{"step": 2, "loss": NaN}',
        "",
        '{"step": 3, "loss": 2.3}',
    ]
    run = read("\n".join(rows), Kind.RECORDS)
    assert (run["loss.first"], run["loss.first_nonfinite_step"], run["loss.recovers"]) == (2.5, 2, True)


def test_a_table_with_padded_names_empty_cells_and_a_new_header(read: Reads) -> None:
    text = "epoch, train/loss, val/loss\n1, 2.0, 2.2\n2, , 2.1\nepoch, train/loss\n3, 1.5\n"
    run = read(text, Kind.RECORDS)
    assert (run["loss.count"], run["loss.last"], run["loss.eval.last"]) == (2, 1.5, 2.1)


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


def test_bars_of_other_work_than_training_count_no_steps(read: Reads) -> None:
    run = read(
        "Loading checkpoint shards:  50%|#####     | 1/2 [00:05<00:05,  5.1s/it]\n"
        "train: Scanning /data/labels...:  41%|####      | 3712/9053 [00:51<00:58, 91.3it/s]\n"
        "Epoch 1:  20%|##        | 20/100 [00:10<00:40,  2.0it/s, loss=0.5]\n"
    )
    assert run["log.steps"] == 20


def test_bars_of_other_work_tell_no_speed(read: Reads) -> None:
    scan = "Scanning labels...: {0} images: {0}%|#   | {0}/100 [00:01<00:01, 812.11it/s]\n"
    epoch = "Epoch 1:  {0}%|##   | {0}/100 [00:10<00:40,  2.0it/s, loss=0.5]\n"
    log = "".join(line.format(done) for line in (scan, epoch) for done in range(10, 99, 10))
    run = read(log)
    assert (run["log.speed.steps_per_second"], run["log.speed.slowdown"]) == (2.0, None)


@pytest.mark.parametrize(
    "line",
    [
        "Test: [ 10/20]\tTime 0.1\tLoss 2.5\n",
        "Validating: 100%|####| 20/20 [00:03<00:00, 5.9it/s]\n",
        "Validation step 19/20 loss 2.5\n",
    ],
)
def test_batches_of_a_validation_are_no_steps(read: Reads, line: str) -> None:
    run = read(f"Epoch: 3 [40/100] loss 2.0\n{line}val_loss 2.5\n")
    assert (run["log.steps"], run.place("loss.eval.last").step) == (240, 240)


def test_a_validation_may_stand_at_a_step_of_training(read: Reads) -> None:
    assert read("Validation at step 200/400: loss 2.5\n")["log.steps"] == 200


def test_of_two_pairs_the_first_counts_epochs(read: Reads) -> None:
    run = read("[0/25][781/782] Loss_D: 0.9\n[1/25][40/782] Loss_D: 0.6\n")
    assert (run["log.epochs"], run["log.steps"], run["log.total_steps"]) == (1.0, 822, 19550)


@pytest.mark.parametrize(
    "line",
    [
        "Transferred 469/475 items from pretrained weights\n",
        "trainer: task=detect, epochs=60, time=None, patience=9, batch=16, save=True, cache=False, lr0=0.01, box=7.5\n",
    ],
)
def test_other_counts_are_no_steps(read: Reads, line: str) -> None:
    run = read(f"{line}loss 2.0\n")
    assert (run["log.steps"], run["log.epochs"], run["log.lr.first"]) == (None, None, None)


def test_samples_are_no_steps(read: Reads) -> None:
    run = read("Train Epoch: 2 [1280/60000 (2%)]\tLoss: 0.38\n")
    assert (run["log.steps"], run["log.epochs"]) == (None, 2.0)


def test_a_bar_behind_the_row_of_a_table_tells_step_and_speed(read: Reads) -> None:
    header = "      Epoch    GPU_mem   box_loss   cls_loss  Instances       Size\n"
    row = "       {}/60      6.76G        1.2       13.0          7        640:  62%|###  | 72/115 [00:12<00:07,  6.50it/s]\n"
    scores = "                 Class     Images  Instances      Box(P          R      mAP50): 100%|###| 8/8 [00:01<00:00,  5.12it/s]\n"
    run = read("".join(header + row.format(epoch) + scores for epoch in (1, 2)))
    assert (run["log.steps"], run["log.speed.steps_per_second"]) == (115 + 72, 6.5)


def test_of_a_bar_that_is_drawn_anew_the_last_counts(read: Reads) -> None:
    steps = "".join(f"step {step} loss 2.0\n" for step in range(9))
    tried = "scan: CUDA out of memory. Tried to allocate {}.00 GiB"
    run = read(f"{steps}{tried.format(2)}\r{tried.format(3)}\n{tried.format(9)}\n")
    assert run["gpu.oom.tried_gib"] == 3.0


def test_a_file_of_settings_alone_is_no_log(read: Reads) -> None:
    options = "----- Options -----\n   batch_size: 1\n   lr: 0.0002\n   netG: unet_256\n----- End -----\n"
    assert read(options).findings.inputs[0].kind == "config"
    assert (
        read("config:\n  lr: 0.1\n  x: 2\n\nstep 1 loss 2.0 and more\nstep 2 loss 1.9 and more\n")
        .findings.inputs[0]
        .kind
        == "log"
    )


@pytest.mark.parametrize(("lowest", "zero"), [(0.0, True), (0.4, False)])
def test_a_class_that_is_never_learnt(read: Reads, lowest: float, zero: bool) -> None:
    line = "2024-01-20 22:11:{0}.4: train_loss -0.{0}\n2024-01-20 22:11:{0}.5: Pseudo dice [0.9, {1}, nan]\n"
    run = read("".join(line.format(second, lowest) for second in range(10, 30)))
    assert run["log.eval_accuracy.class_zero"] is zero
    assert run["log.eval_accuracy.last"] == pytest.approx((0.9 + lowest) / 2)


@pytest.mark.parametrize(("ends", "won"), [((0.001, 9.0), True), ((0.25, 2.1), False)])
def test_a_discriminator_that_wins(read: Reads, ends: tuple[float, float], won: bool) -> None:
    line = "(epoch: 1, iters: {}, time: 0.1, data: 0.1) G_GAN: {:.3f} G_L1: 20.0 D_real: {:.3f} D_fake: {:.3f} \n"
    log = "".join(
        line.format(n, 2 + (ends[1] - 2) * n / 40, *2 * [ends[0] if n > 9 else 0.5]) for n in range(40)
    )
    run = read(log)
    assert (run["log.discriminator_won"], run["loss.nonfinite"], run["loss.trend"]) == (won, False, None)


@pytest.mark.parametrize(
    ("line", "won"),
    [
        ("step {n} gen_loss: {up:.3f} dis_loss: {down:.4f}\n", True),
        ("step {n} g_loss: {up:.3f} dis_loss: {down:.4f}\n", None),  # of a teacher, maybe
        ("step {n} rec_loss: 0.1 g_loss: {up:.3f} disc_loss: 0.0000\n", False),  # begins later
    ],
)
def test_what_is_no_discriminator_does_not_win(read: Reads, line: str, won: bool | None) -> None:
    run = read("".join(line.format(n=n, up=1 + n / 5, down=0.6 if n < 9 else 0.001) for n in range(40)))
    assert run["log.discriminator_won"] is won


def test_lines_ended_by_several_returns_keep_their_numbers(read: Reads) -> None:
    run = read(
        b"starting\r\r\nready\r\r\n{'loss': 2.5, 'epoch': 0.1}\r\r\n{'loss': 2.25, 'epoch': 0.2}\r\r\n"
    )
    assert (run["loss.first"], run["loss.last"]) == (2.5, 2.25)
    assert run.place("loss.last").line == 4


def test_numbers_of_one_kind_of_line_keep_their_lines_whether_read_with_care_or_at_once(read: Reads) -> None:
    step = "iter {}: loss {}, time 90.{}ms, mfu 30.{}%\n"
    run = read("".join(step.format(n, 9 - n / 100, n, n) for n in range(1, 400)))
    assert (run.place("loss.first").line, run.place("loss.last").line) == (1, 399)
    assert run.place("loss.last").step == 399


def test_a_log_compressed_with_zstandard_is_read(read: Reads) -> None:
    zstandard = pytest.importorskip("zstandard")
    log = "".join(STEP.format(3 - n / 100, n / 100) for n in range(50)).encode()
    run = read(zstandard.ZstdCompressor().compress(log), name="train.log.zst")
    assert (run["loss.first"], run["loss.count"]) == (3.0, 50)


@pytest.mark.parametrize(
    "prefix",
    [
        "(RayTrainWorker pid=4711, ip=10.0.0.2) ",
        "[1,0]<stdout>:",
        "[default0]:",
        "[rank0]: ",
    ],
)
def test_what_launchers_put_before_a_line_does_not_hide_it(read: Reads, prefix: str) -> None:
    log = STEP.format(2.5, 0.1) + STEP.format(2.25, 0.2) + "torch.OutOfMemoryError: CUDA out of memory.\n"
    run = read("".join(prefix + line for line in log.splitlines(keepends=True)))
    assert (run["loss.first"], run["loss.last"]) == (2.5, 2.25)
    assert run["log.exception.type"] == "torch.OutOfMemoryError"


def test_the_task_numbers_of_srun_are_ranks(read: Reads) -> None:
    lines = (f"{rank}: {STEP.format(3 - n / 10 + rank, n / 10)}" for n in range(4) for rank in range(3))
    run = read("".join(lines))
    assert (run["loss.first"], run["loss.count"], run["log.ranks"]) == (3.0, 4, 3)


def test_between_them_the_scheduler_may_write_lines_of_its_own(read: Reads) -> None:
    lines = (f"{rank}: {STEP.format(3 - n / 10 + rank, n / 10)}" for n in range(4) for rank in range(2))
    end = "slurmstepd: error: *** STEP 88123.0 ON node017 CANCELLED AT 2026-11-03T02:44:47 ***\n"
    run = read(
        "+ srun --label python train.py\n" + "".join(lines) + "srun: error: node018: task 1: Killed\n" + end
    )
    assert (run["loss.first"], run["loss.count"], run["log.ranks"]) == (3.0, 4, 2)
    assert run["log.steps"] != 88123
