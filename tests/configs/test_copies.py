"""What a trainer wrote of its run tells what was used; nothing reads it again, so nothing is changed in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Reads


@pytest.mark.parametrize(
    ("name", "text", "instead"),
    [
        (
            "00012-stylegan2-gamma2/training_options.json",
            '{"batch_size": 32, "random_seed": 0}',
            "should be 8",
        ),
        ("lightning_logs/version_3/hparams.yaml", "batch_size: 32\nlr: 0.1\n", "should be 8"),
        # Hydra's command line takes the paths of the file.
        (
            "outputs/2024-06-01/12-00-00/.hydra/config.yaml",
            "training:\n  batch_size: 32\n  lr: 0.1\n",
            "`training.batch_size=8`",
        ),
    ],
)
def test_a_copy_is_read_and_left_alone(read: Reads, name: str, text: str, instead: str) -> None:
    run = read({name: text})
    assert run["micro_batch_size"] == 32
    patch = run.plan(micro_batch_size=8)
    assert patch.files == ()
    assert instead in patch.refused[0].by_hand
    assert "does not read" in run.findings.notes[0]


def test_what_the_copy_was_made_from_is_changed(read: Reads) -> None:
    text = "batch_size: 32\nlr: 0.1\n"
    patch = read({"conf/config.yaml": text, "out/.hydra/config.yaml": text}).plan(micro_batch_size=8)
    assert [one.file.name for one in patch.files] == ["conf/config.yaml"]


def test_a_file_of_that_name_elsewhere_is_a_configuration(read: Reads) -> None:
    assert "batch_size: 8" in read({"hparams.yaml": "batch_size: 32\nlr: 0.1\n"}).patched(micro_batch_size=8)


ARGS = "task: detect\nmode: train\nimgsz: 640\nlr0: 0.02\noptimizer: SGD\namp: true\n"


@pytest.mark.parametrize(
    ("name", "text", "beside"),
    [
        ("train7/args.yaml", ARGS, "results.csv"),
        ("train7/args.yaml", ARGS + "save_dir: runs/detect/train7\n", None),
        ("output/train/20250301-resnet50/args.yaml", "sched: cosine\nopt: sgd\nlr: 0.02\n", None),
        ("PPO_1/params.json", '{"lr": 0.02, "observation_filter": "NoFilter"}', "result.json"),
        ("go2/params/agent.yaml", "algorithm:\n  learning_rate: 0.02\n", None),
        ("garden/config.yml", "!!python/object:a.Config\nlr: 0.02\n", None),
        ("out/config.yaml", "CUDNN_BENCHMARK: false\nSOLVER:\n  BASE_LR: 0.02\n", None),
        ("out/config.json", '{"learning_rate": 0.02}', "trainer_state.json"),
        (
            "run/faster-rcnn.py",
            "optim_wrapper = dict(optimizer=dict(type='SGD', lr=0.02))\n",
            "last_checkpoint",
        ),
    ],
)
def test_what_a_run_wrote_is_known_by_its_place_or_contents(
    read: Reads, tmp_path: Path, name: str, text: str, beside: str | None
) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    path.write_text(text)
    if beside:
        (path.parent / beside).touch()
    run = read({name: path})
    assert "does not read" in run.findings.notes[0]
    assert run.plan(learning_rate=0.002).files == ()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("train7/args.yaml", ARGS),
        ("conf/params.json", '{"lr": 0.02}'),
        ("conf/config.json", '{"lr": 0.02}'),
        ("out/config.yaml", "SOLVER:\n  BASE_LR: 0.02\n"),
    ],
)
def test_a_file_that_a_person_may_have_written_is_changed(
    read: Reads, tmp_path: Path, name: str, text: str
) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert "0.002" in read({name: path}).patched(learning_rate=0.002)


@pytest.mark.parametrize(
    ("text", "option"),
    [
        (ARGS + "save_dir: runs/detect/train7\n", "lr0=0.002"),
        ("CUDNN_BENCHMARK: false\nSOLVER:\n  BASE_LR: 0.02\n", "SOLVER.BASE_LR 0.002"),
    ],
)
def test_the_word_for_the_command_line_is_told(read: Reads, text: str, option: str) -> None:
    assert read({"train7/a.yaml": text}).plan(learning_rate=0.002).refused[0].option == option


def test_the_options_of_timm_have_hyphens(read: Reads) -> None:
    text = "sched: cosine\nopt: sgd\nlr: 0.02\npin_mem: false\n"
    refused = read({"output/train/1/args.yaml": text}).plan(pin_memory=True).refused
    assert [one.option for one in refused] == ["--pin-mem"]


def test_a_switch_is_turned_off_by_leaving_it_out(read: Reads) -> None:
    text = "sched: cosine\nopt: sgd\nlr: 0.02\namp: true\namp_dtype: float16\n"
    run = read({"output/train/1/args.yaml": text})
    off, other = (run.plan(precision=one).refused[0].option for one in ("fp32", "bf16"))
    assert (off, other) == ("without --amp", "--amp --amp-dtype bfloat16")


def test_hydra_overrides_the_paths_of_its_file_whatever_the_trainer_is(read: Reads) -> None:
    run = read(
        {
            "out/.hydra/config.yaml": "optimizer:\n  lr: 1.0\ntrainer:\n  max_epochs: 30\n  precision: 32\n",
            "out/.hydra/overrides.yaml": "- optimizer.lr=1.0\n",
        }
    )
    refused = run.plan(learning_rate=0.1, grad_clip_norm=1.0).refused
    assert [one.option for one in refused] == ["optimizer.lr=0.1", ""]
    notes = [note for note in run.findings.notes if "wrote" in note]
    assert len(notes) == 1
    assert notes[0].startswith("out/.hydra/config.yaml and 1 other are copies that the run wrote")
