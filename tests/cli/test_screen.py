"""What stands on the screen and in the report: only what is so, once, in whole sentences."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import DOUBLE_SOFTMAX, Command

SCRIPT = """\
import torch
from torch import nn
model = nn.Linear(4, 1)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
"""
NAMESPACE = "Namespace(batch_size=128, epochs=20, workers=16, opt='sgd', lr=0.1, momentum=0.9)\n"
HEALTHY = "".join(
    f"Step {step}/2000 loss {0.4 + 2 * 0.9 ** (step / 50):.4f}\n" for step in range(50, 2050, 50)
)
RANK = """\
[rank1]: Traceback (most recent call last):
[rank1]:   File "/train.py", line 9, in <module>
[rank1]:     batch = next(batches)
[rank1]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.29 GiB. GPU 1 has a total capacity of 39.39 GiB \
of which 2.11 GiB is free. Including non-PyTorch memory, this process has 37.27 GiB memory in use.
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_the_next_fix_changes_is_said_in_the_words_of_the_file(diagnose: Command, folder: Path) -> None:
    (folder / "config.toml").write_text(
        '[optimizer_arguments]\noptimizer_type = "AdamW8bit"\nlearning_rate = 1e-2\nunet_lr = 1e-2\n'
        '[training_arguments]\nmixed_precision = "fp16"\nno_half_vae = false\ncaption_dropout_rate = 0.1\n'
    )
    bars = (
        f"steps: 1%| | {n}/1000 [00:01<09:00, avr_loss={'nan' if n > 9 else 0.1}]\n" for n in range(1, 30)
    )
    (folder / "train.log").write_text("".join(bars))
    out = diagnose("train.log", "config.toml", "--no-machine").out
    assert "      +unet_lr = 1e-3\n" in out
    assert '      in config.toml: mixed_precision = "bf16"\n' in out
    assert "(now fp16)" not in out


BARS = "".join(
    f"steps: 1%| | {n}/1000 [00:01<09:00, avr_loss={'nan' if n > 9 else 0.1}]\n" for n in range(1, 30)
)


def test_what_stands_in_no_file_is_said_in_the_words_of_the_trainer_that_the_log_shows(
    diagnose: Command, folder: Path
) -> None:
    (folder / "train.log").write_text(BARS)
    told = ("--answer", "test.fp32_clears_nan=yes", "--no-machine")
    out = diagnose("train.log", *told).out
    assert "      --mixed_precision bf16\n" in out
    assert "      --no_half_vae\n" in out
    (folder / "other.log").write_text("step 1 loss 0.5\nstep 2 loss nan\n")
    assert "      precision = fp32\n" in diagnose("other.log", *told).out


def test_why_a_setting_that_a_file_holds_is_not_patched_stands_on_the_screen(
    diagnose: Command, folder: Path
) -> None:
    (folder / "run.sh").write_text(
        "N=16\npython run_clm.py --per_device_train_batch_size $N --max_steps $N --gradient_accumulation_steps 1\n"
    )
    (folder / "train.log").write_text(RANK)
    out = diagnose("train.log", "run.sh", "--no-machine").out
    assert "not patched: micro_batch_size: " in out
    assert "max_steps would change too" in out


def test_a_line_that_only_becomes_shorter_says_what_goes(diagnose: Command, folder: Path) -> None:
    (folder / "run.sh").write_text(
        'OPTS="--fp16 \\\n  --lr 3e-4"\ntorchrun pretrain_gpt.py --num-layers 2 --micro-batch-size 8 $OPTS\n'
    )
    (folder / "train.log").write_text("step 1 loss 2.1\nstep 2 loss nan\n")
    out = diagnose("train.log", "run.sh", "--no-machine").out
    assert "in run.sh: without --fp16\n" in out


def test_a_gpu_without_bf16_is_offered_no_test_in_bf16(diagnose: Command, folder: Path) -> None:
    (folder / "c.yaml").write_text("use_amp: true\nlr: 1e-3\n")
    log = "Using device: {}\n" + "step 1 loss 2.31\nstep 2 loss 2.20\nstep 3 loss nan\n"
    asked = {}
    for name in ("Tesla T4", "NVIDIA A100-SXM4-40GB"):
        (folder / "train.log").write_text(log.format(name))
        data = diagnose("train.log", "c.yaml", "--no-machine", "--format", "json").data
        asked[name] = "test.bf16_works" in {one["fact"] for one in data["next_tests"]}
    assert asked == {"Tesla T4": False, "NVIDIA A100-SXM4-40GB": True}


def test_where_the_others_hang_the_memory_of_the_rank_that_ran_out_of_memory_is_mended(
    diagnose: Command, folder: Path
) -> None:
    waits = (
        f"[rank{rank}]:[E501 10:31:22 ProcessGroupNCCL.cpp:607] [Rank {rank}] Watchdog caught collective operation timeout: "
        "WorkNCCL(SeqNum=12, OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600041 milliseconds before timing out.\n"
        for rank in (0, 2)
    )
    held = "Of the allocated memory 36.11 GiB is allocated by PyTorch, and 0.5 GiB is reserved by PyTorch but unallocated.\n"
    (folder / "train.log").write_text(RANK.rstrip("\n") + f" {held}" + "".join(waits))
    (folder / "args.yaml").write_text("per_device_train_batch_size: 8\noutput_dir: x\nfp16: true\n")
    data = diagnose("train.log", "args.yaml", "--no-machine", "--format", "json").data
    assert data["causes"][0]["id"] == "rank-died"
    assert data["fixes"][0]["id"] == "lighten-failed-rank"
    assert "+per_device_train_batch_size: 2" in data["fixes"][0]["patch"][0]["diff"]


def test_the_memory_that_a_fix_gives_back_is_said_where_it_can_be_reckoned(
    diagnose: Command, folder: Path
) -> None:
    (folder / "sft.yaml").write_text(
        "model_name_or_path: meta-llama/Llama-2-7b-hf\nstage: sft\nfinetuning_type: full\nbf16: true\noptim: adamw_torch\n"
        "per_device_train_batch_size: 4\ngradient_accumulation_steps: 4\n"
    )
    (folder / "train.log").write_text(RANK)
    told = ("train.log", "sft.yaml", "--no-machine")
    assert "take 26.1 + 26.1 + 52.1 GiB by arithmetic; the device has 39.4" in " ".join(
        diagnose(*told).out.split()
    )
    assert "Gives back about 39.1 GiB of device memory" in diagnose(*told, "--format", "markdown").out


def test_settings_that_a_script_states_need_no_configuration(diagnose: Command, folder: Path) -> None:
    (folder / "train.py").write_text(SCRIPT)
    (folder / "train.log").write_text(HEALTHY)
    assert "no configuration" not in diagnose("train.log", "train.py", "--no-machine").out


def test_of_settings_that_a_log_prints_it_is_said_that_there_may_be_more(
    diagnose: Command, folder: Path
) -> None:
    (folder / "train.log").write_text(NAMESPACE + HEALTHY)
    assert "only those were seen that the log prints" in diagnose("train.log", "--no-machine").out


def test_a_healthy_run_is_told_in_sentences(diagnose: Command, folder: Path) -> None:
    (folder / "train.log").write_text(HEALTHY)
    out = diagnose("train.log", "--no-machine").out
    assert "The training loss goes from 2.2 to 0.4296, read 40 times." in out
    assert "The run came to step 2000 of 2000, its end." in out
    assert "loss.count" not in out


def test_of_an_agent_what_it_earns_is_told(diagnose: Command, folder: Path) -> None:
    lines = [f"update {n}/40 steps {n * 2048} ep_ret {n * 50}.0 loss 0.1{n}\n" for n in range(1, 41)]
    (folder / "train.log").write_text("".join(lines))
    out = diagnose("train.log", "--no-machine").out
    assert "What the agent earns goes from 125 to 1925." in out
    assert "The run came to step 81920." in out


@pytest.mark.parametrize("never_there", ["gradient norm", "loss scale", "learning rate"])
def test_of_a_healthy_run_nothing_is_missed_that_would_not_change_the_answer(
    diagnose: Command, folder: Path, never_there: str
) -> None:
    (folder / "train.log").write_text(HEALTHY)
    assert f"no {never_there} is printed" not in diagnose("train.log", "--no-machine").out


def test_a_report_beside_it_changes_nothing_on_the_screen(diagnose: Command, in_example: Path) -> None:
    call = ("--symptom", "nan-loss", "train.log", "config.yaml")
    assert diagnose(*call, "--report", "incident.md").out == diagnose(*call).out


def test_a_long_line_of_a_diff_is_not_folded(diagnose: Command, in_example: Path) -> None:
    config = in_example / "config.yaml"
    remark = "because " * 40 + "of this"
    config.write_text(config.read_text().replace("was fp32 until last week", remark))
    assert f"-precision: fp16            # {remark}\n" in diagnose("train.log", "config.yaml").out


def test_an_error_is_quoted_once_in_its_own_words(diagnose: Command, folder: Path) -> None:
    killed = "slurmstepd: error: Detected 1 oom_kill event in StepId=5512.0. Some of the step tasks have been OOM Killed."
    (folder / "train.log").write_text("step 100 loss 2.0\n" * 30 + killed + "\n")
    out = diagnose("train.log", "--no-machine").out
    assert out.count("> slurmstepd: error: Detected 1 oom_kill event in StepId=5512.0.") == 1


def test_the_report_quotes_a_line_once(diagnose: Command, folder: Path) -> None:
    (folder / "train.log").write_text("step 100 loss 2.0\n" * 30 + RANK)
    text = diagnose("train.log", "--no-machine", "--format", "markdown").out
    assert text.count("`[rank1]: torch.OutOfMemoryError: CUDA out of memory.") == 1


def test_what_is_usual_for_an_optimizer_is_no_setting_of_the_run(diagnose: Command, folder: Path) -> None:
    (folder / "train.log").write_text(NAMESPACE + HEALTHY)
    text = diagnose("train.log", "--no-machine", "--format", "markdown").out
    assert "`config.momentum`" in text
    assert "weight_decay_usual" not in text


def test_a_step_that_is_done_tells_what_its_number_means(diagnose: Command, folder: Path) -> None:
    (folder / "train.log").write_text("step 100 loss 2.0\n" * 30 + RANK)
    text = diagnose("train.log", "--no-machine", "--format", "markdown").out
    assert "Known: `When in the run the memory ran out: " in text


@pytest.mark.parametrize("form", ["text", "markdown", "json"])
@pytest.mark.parametrize("length", [115, 125, 215])
def test_no_part_of_a_secret_is_left_where_a_message_is_cut(
    diagnose: Command, tmp_path: Path, form: str, length: int
) -> None:
    log = tmp_path / "train.log"
    error = f"RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB {'y' * length}/hf_QbCdEfGhIjKlMnOpQrStUvWxYz01"
    log.write_text("".join(f"step {n} loss 2.5\n" for n in range(20)) + error + "\n")
    assert "hf_" not in diagnose(log, "--no-machine", "--format", form).out.replace("\\", "")


def test_a_fix_that_is_code_alone_shows_it_with_the_names_of_the_script(
    diagnose: Command, folder: Path
) -> None:
    (folder / "train.py").write_text(DOUBLE_SOFTMAX)
    said = diagnose("--symptom", "loss-not-decreasing", "train.py", "--no-machine").out
    assert "scores = net(x)" in said
    report = diagnose("--symptom", "loss-not-decreasing", "train.py", "--no-machine", "-f", "markdown").out
    assert "```python\nscores = net(x)" in report


def write_run(folder: Path, loss: str) -> None:
    (folder / ".hydra").mkdir(parents=True)
    (folder / ".hydra" / "config.yaml").write_text("optimizer:\n  name: sgd\n  lr: 0.5\n")
    lines = [f"step={n} train/loss={loss if n > 20 else 2.5 - n / 50}\n" for n in range(40)]
    (folder / "train.log").write_text("".join(lines))


def test_of_runs_side_by_side_the_one_in_trouble_is_shown_and_the_others_are_told(
    diagnose: Command, folder: Path
) -> None:
    write_run(folder / "sweep" / "0", "1.9")
    write_run(folder / "sweep" / "1", "nan")
    write_run(folder / "sweep" / "2", "1.8")
    result = diagnose("sweep", "--no-machine")
    assert result.code == 1
    assert "nan-loss" in result.out
    assert "sweep/1/train.log:22" in result.out
    said = " ".join(result.out.split())
    assert "3 runs side by side were read, each by itself; shown is 1." in said
    assert "0: nothing wrong found; 2: nothing wrong found" in said
    assert "sweep/0/train.log:" not in result.out


def test_runs_in_two_directories_are_each_read_by_themselves_too(diagnose: Command, folder: Path) -> None:
    for run, loss in ("first/0", "1.9"), ("first/1", "1.8"), ("second/0", "nan"), ("second/1", "1.8"):
        write_run(folder / run, loss)
    said = " ".join(diagnose("first", "second", "--no-machine").out.split())
    assert "4 runs side by side were read, each by itself; shown is second/0." in said
    assert "first/1: nothing wrong found" in said
    assert "read as one; name" not in said


def test_the_states_that_a_run_saves_are_no_runs_beside_each_other(diagnose: Command, folder: Path) -> None:
    for step in (500, 1000):
        state = folder / "out" / f"checkpoint-{step}"
        state.mkdir(parents=True)
        (state / "config.json").write_text('{"hidden_size": 64, "model_type": "bert"}')
        history = [
            {"loss": 2.0 - at / 1000, "learning_rate": 1e-4, "step": at} for at in range(100, step + 1, 100)
        ]
        (state / "trainer_state.json").write_text(json.dumps({"global_step": step, "log_history": history}))
    assert "side by side" not in diagnose("out", "--no-machine").out


def test_several_runs_that_are_named_are_read_as_one(diagnose: Command, folder: Path) -> None:
    write_run(folder / "sweep" / "0", "1.9")
    write_run(folder / "sweep" / "1", "nan")
    assert "side by side" not in diagnose("sweep/0", "sweep/1", "--no-machine").out


def test_a_rate_of_zero_is_not_multiplied(diagnose: Command, folder: Path) -> None:
    fixes = {}
    for rate in ("0.0", "1e-9"):
        (folder / "c.yaml").write_text(f"optimizer: adamw\nlearning_rate: {rate}\n")
        (folder / "train.log").write_text("".join(f"step {n} loss 2.3026\n" for n in range(40)))
        data = diagnose("train.log", "c.yaml", "--no-machine", "--format", "json").data
        fixes[rate] = {one["id"] for one in data["fixes"]}
    assert "set-learning-rate" in fixes["0.0"]
    assert "raise-learning-rate" not in fixes["0.0"]
    assert "raise-learning-rate" in fixes["1e-9"]
    assert "set-learning-rate" not in fixes["1e-9"]


_CLIPPED_TOO_EARLY = """\
import torch
from torch import nn
net = nn.Linear(4, 1)
opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cuda")
for x, y in batches:
    opt.zero_grad()
    with torch.autocast("cuda", dtype=torch.float16):
        loss = nn.functional.mse_loss(net(x), y)
    scaler.scale(loss).backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    scaler.step(opt)
    scaler.update()
"""


@pytest.mark.parametrize("output", ["text", "markdown"])
def test_a_mistake_in_a_script_is_shown_where_nothing_is_seen_to_go_wrong(
    diagnose: Command, folder: Path, output: str
) -> None:
    (folder / "train.py").write_text(_CLIPPED_TOO_EARLY)
    result = diagnose("train.py", "--no-machine", "--format", output)
    said = " ".join(result.out.split())
    assert (result.code, "is mostly a mistake" in said, "Nothing wrong" in said) == (0, True, False)
    assert "clipped while they carry the scale" in said
    assert "train.py:11" in said


def test_what_many_sound_scripts_do_is_no_mistake_by_itself(diagnose: Command, folder: Path) -> None:
    recurrent = SCRIPT.replace("nn.Linear(4, 1)", "nn.Sequential(nn.RNN(4, 4), nn.Linear(4, 1))")
    (folder / "train.py").write_text(recurrent)
    assert "Nothing wrong found" in diagnose("train.py", "--no-machine").out


@pytest.mark.parametrize(("rate", "shown"), [("2.0", True), ("0.1", False)])
def test_a_rate_that_no_recipe_has_is_shown_where_nothing_is_seen_to_go_wrong(
    diagnose: Command, folder: Path, rate: str, shown: bool
) -> None:
    (folder / "config.yaml").write_text(f"optimizer: sgd\nlr: {rate}\nbatch_size: 8\n")
    result = diagnose("config.yaml", "--no-machine")
    assert (result.code, "is mostly a mistake" in result.out) == (0, shown)
