"""The main job: a log and a configuration in, the truth out."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import DOUBLE_SOFTMAX, Command

FILES = ("train.log", "config.yaml")


def test_the_cause_is_named_first(diagnose: Command, in_example: Path) -> None:
    result = diagnose("--symptom", "nan-loss", *FILES, "--format", "json")
    assert result.data["causes"][0]["id"] == "fp16-overflow"


def test_a_found_cause_is_exit_code_1(diagnose: Command, in_example: Path) -> None:
    assert diagnose("--symptom", "nan-loss", *FILES).code == 1


def test_evidence_says_where_it_stands(diagnose: Command, in_example: Path) -> None:
    data = diagnose("--symptom", "nan-loss", *FILES, "--format", "json").data
    places = [place for line in data["causes"][0]["evidence"] for place in line["source"]]
    precision = [(one["input"], one["line"]) for one in places if "precision: fp16" in one["text"]]
    assert precision == [("config.yaml", 16)]


def test_the_first_bad_step_is_on_the_timeline(diagnose: Command, in_example: Path) -> None:
    # The loss is NaN in line 35 for the first time; before it only the gradients of a skipped step were.
    data = diagnose("--symptom", "nan-loss", *FILES, "--format", "json").data
    lines = [one["source"]["line"] for one in data["timeline"] if "loss is nan" in one["what"].lower()]
    assert lines[0] == 35


def test_a_run_directory_is_told_apart_by_itself(diagnose: Command, in_example: Path) -> None:
    data = diagnose(".", "--format", "json").data
    assert {one["name"]: one["kind"] for one in data["inputs"]} == {
        "train.log": "log",
        "config.yaml": "config",
    }


def test_hidden_files_of_a_run_directory_are_not_read(diagnose: Command, in_example: Path) -> None:
    (in_example / ".train.log.swp").write_text("CUDA out of memory")
    (in_example / ".env").write_text("HF_TOKEN=a-secret")
    data = diagnose(".", "--format", "json").data
    assert {one["name"] for one in data["inputs"]} == {"train.log", "config.yaml"}


def test_what_a_project_says_of_itself_is_not_read_with_a_run(diagnose: Command, in_example: Path) -> None:
    (in_example / "docs").mkdir()
    for name in ("README.md", "CHANGELOG.md", "docs/faq.md"):
        (in_example / name).write_text("note: my run ends in CUDA out of memory\n")
    data = diagnose(".", "--format", "json").data
    assert {one["name"] for one in data["inputs"]} == {"train.log", "config.yaml"}


def test_a_report_never_takes_the_place_of_what_it_is_about(diagnose: Command, in_example: Path) -> None:
    before = (in_example / "train.log").read_bytes()
    result = diagnose("train.log", "--report", "train.log")
    assert (result.code, "was handed in" in result.err) == (2, True)
    assert (in_example / "train.log").read_bytes() == before


@pytest.mark.parametrize("ending", [".bak", ".bak1", ".orig", "~"])
def test_a_copy_of_a_configuration_beside_it_is_not_read(
    diagnose: Command, in_example: Path, ending: str
) -> None:
    copy = in_example / f"config.yaml{ending}"
    copy.write_text((in_example / "config.yaml").read_text().replace("fp16", "bf16"))
    found = diagnose(".", "--format", "json").data
    assert copy.name not in {one["name"] for one in found["inputs"]}
    named = diagnose("--symptom", "nan-loss", "train.log", copy.name, "--format", "json").data
    assert [one["kind"] for one in named["inputs"]] == ["log", "config"]


def test_what_weights_and_biases_kept_of_a_run_is_read_and_never_patched(
    diagnose: Command, tmp_path: Path
) -> None:
    files = tmp_path / "wandb" / "run-20261101_101010-abc" / "files"
    files.mkdir(parents=True)
    (files / "config.yaml").write_text("wandb_version: 1\nfp16:\n  desc: null\n  value: true\n")
    (files / "wandb-summary.json").write_text('{"train/loss": 0.0, "_step": 30}')
    (files / "wandb-metadata.json").write_text('{"program": "train.py", "args": ["--bf16"]}')
    (files / "output.log").write_text("{'loss': 0.0, 'grad_norm': nan, 'learning_rate': 2e-05}\n" * 3)
    data = diagnose(str(tmp_path), "--format", "json").data
    assert data["causes"][0]["id"] == "fp16-overflow"
    assert not any(fix.get("diff") for fix in data["fixes"])


def test_the_symptom_is_detected_where_nobody_names_it(diagnose: Command, in_example: Path) -> None:
    data = diagnose(".", "--format", "json").data
    first = data["symptoms"][0]
    assert (first["id"], first["given"], first["detected"]) == ("nan-loss", False, True)


def test_a_pipe_works(example: Path) -> None:
    with (example / "train.log").open("rb") as log:
        command = [sys.executable, "-m", "traindx", "--format", "json"]
        result = subprocess.run(command, stdin=log, capture_output=True, check=False)
    assert result.returncode == 1
    assert b'"<stdin>"' in result.stdout


def test_what_a_command_prints_is_read_like_a_file(example: Path) -> None:
    call = f"{sys.executable} -m traindx --log <(cat train.log) --config <(cat config.yaml) --format json"
    result = subprocess.run(["bash", "-c", call], cwd=example, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert [one["kind"] for one in json.loads(result.stdout)["inputs"]] == ["log", "config"]


def test_a_symptom_alone_gives_the_procedure_with_its_minutes(diagnose: Command) -> None:
    result = diagnose("--symptom", "cuda-oom", "--no-machine")
    assert "min" in result.out
    assert "--answer" in result.out
    assert result.code == 0


@pytest.mark.parametrize("alias", ["nan", "NaN", "inf", "nan-loss"])
def test_symptoms_have_aliases(diagnose: Command, in_example: Path, alias: str) -> None:
    data = diagnose("--symptom", alias, *FILES, "--format", "json").data
    assert data["symptoms"][0]["id"] == "nan-loss"


def test_an_unknown_symptom_is_refused_with_the_nearest(diagnose: Command, in_example: Path) -> None:
    result = diagnose("--symptom", "nan-lss", *FILES)
    assert result.code == 2
    assert "nan-loss" in result.err


def test_a_healthy_run_is_called_healthy(diagnose: Command, tmp_path: Path) -> None:
    noise = (0.04, -0.03, 0.02, -0.05, 0.01, 0.03, -0.02)
    lines = (
        f"step {n}/200 loss {0.8 + 3 / n**0.5 + noise[n % 7]:.4f} grad_norm {1 + noise[n % 5]:.3f}\n"
        for n in range(1, 201)
    )
    (tmp_path / "train.log").write_text("".join(lines))
    result = diagnose(tmp_path / "train.log", "--no-machine")
    assert result.code == 0
    assert "Nothing wrong found in what I could see" in result.out


def test_a_task_learnt_at_once_is_no_fault_until_somebody_wonders(diagnose: Command, tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    losses = (0.6181, 0.0436, 0.0165, 0.0096, 0.0064)
    log.write_text("".join(f"epoch {n} train_loss {loss} val_acc 1.0000\n" for n, loss in enumerate(losses)))
    result = diagnose(log, "--no-machine")
    assert result.code == 0
    assert "ask with --symptom" in result.out
    asked = diagnose(log, "--no-machine", "--symptom", "suspicious-metrics", "--format", "json").data
    assert asked["causes"][0]["id"] == "data-leakage"


def test_an_answer_settles_it(diagnose: Command, in_example: Path) -> None:
    args = ("--symptom", "nan-loss", *FILES, "--answer", "test.fp32_clears_nan=yes", "--format", "json")
    first = diagnose(*args).data["causes"][0]
    assert (first["id"], first["verdict"]) == ("fp16-overflow", "confirmed")


def test_an_answer_against_it_changes_the_order(diagnose: Command, in_example: Path) -> None:
    args = ("--symptom", "nan-loss", *FILES, "--answer", "test.fp32_clears_nan=no", "--format", "json")
    causes = diagnose(*args).data["causes"]
    assert "fp16-overflow" not in [one["id"] for one in causes if one["verdict"] in ("confirmed", "likely")]


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ("test.fp32_clears_nan=perhaps", "yes or no"),
        ("test.fp32_clear_nan=yes", "test.fp32_clears_nan"),
        ("fp32", "FACT=VALUE"),
        ("config.learning_rate=0,001", "with a point: 0.001"),
    ],
)
def test_an_answer_that_does_not_fit_is_refused(
    diagnose: Command, in_example: Path, answer: str, says: str
) -> None:
    result = diagnose(*FILES, "--answer", answer)
    assert result.code == 2
    assert says in result.err


def test_thousands_may_be_set_apart(diagnose: Command, in_example: Path) -> None:
    facts = diagnose(*FILES, "--answer", "model.classes=50,257", "--format", "json").data["facts"]
    assert [one["value"] for one in facts if one["name"] == "model.classes"] == [50257]


def test_two_answers_that_differ_are_refused(diagnose: Command, in_example: Path) -> None:
    answers = ("--answer", "test.lower_lr_helps=yes", "--answer", "test.lower_lr_helps=no")
    result = diagnose(*FILES, *answers)
    assert result.code == 2
    assert "`test.lower_lr_helps` is answered twice" in result.err


def test_the_same_inputs_give_the_same_bytes(example: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "traindx",
        "train.log",
        "config.yaml",
        "--no-machine",
        "--format",
        "json",
    ]
    outputs = {
        subprocess.run(command, cwd=example, capture_output=True, check=False).stdout for _ in range(2)
    }
    assert len(outputs) == 1


def test_the_next_tests_come_in_the_order_of_what_they_tell(diagnose: Command, in_example: Path) -> None:
    data = diagnose("--symptom", "nan-loss", *FILES, "--format", "json").data
    gains = [one["gain"] for one in data["next_tests"]]
    assert gains == sorted(gains, reverse=True)
    assert "test.fp32_clears_nan" in [one["fact"] for one in data["next_tests"]]


def test_skipped_first_steps_of_a_loss_scaler_are_healthy(diagnose: Command, tmp_path: Path) -> None:
    lines = [
        f"step {n}/100 loss {0.8 + 3 / n**0.5:.4f} grad_norm {'inf' if n < 4 else '1.02'}\n"
        for n in range(1, 101)
    ]
    (tmp_path / "train.log").write_text("".join(lines))
    assert diagnose(tmp_path / "train.log", "--no-machine").code == 0


def test_nothing_at_all_is_a_bad_call(diagnose: Command) -> None:
    result = diagnose()
    assert result.code == 2
    assert "--symptom" in result.err


def test_torch_is_not_imported_for_logs_and_configs(example: Path) -> None:
    code = (
        "import sys; sys.argv = ['diagnose', '--symptom', 'nan-loss', 'train.log', 'config.yaml']\n"
        "from traindx.cli.group import run\nrun()\nassert 'torch' not in sys.modules and 'numpy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], cwd=example, check=True, stdout=subprocess.DEVNULL)


@pytest.mark.parametrize("word", ["how", "why-not"])
def test_a_cause_is_explained(diagnose: Command, in_example: Path, word: str) -> None:
    result = diagnose("--symptom", "nan-loss", *FILES, "--explain", word, "loss-scale-instability")
    assert result.code == 1
    assert "dB" in result.out


def test_a_question_is_explained(diagnose: Command, in_example: Path) -> None:
    result = diagnose("--symptom", "nan-loss", *FILES, "--explain", "why", "test.fp32_clears_nan")
    assert "fp16-overflow" in result.out


def test_explaining_what_is_not_there_names_the_nearest(diagnose: Command, in_example: Path) -> None:
    result = diagnose("--symptom", "nan-loss", *FILES, "--explain", "how", "fp16-overfow")
    assert result.code == 2
    assert "fp16-overflow" in result.err


def test_a_script_alone_is_accused_of_what_it_surely_does(diagnose: Command, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(DOUBLE_SOFTMAX)
    result = diagnose(tmp_path / "train.py", "--no-machine", "--format", "json")
    assert result.code == 1
    assert result.data["causes"][0]["id"] == "double-softmax"
    assert "Nothing wrong" not in diagnose(tmp_path / "train.py", "--no-machine").out


def test_prose_in_which_no_symptom_is_recognised_is_not_called_healthy(
    diagnose: Command, tmp_path: Path
) -> None:
    (tmp_path / "issue.md").write_text(
        "We went to the beach and it was raining all day, so we played cards.\n"
    )
    result = diagnose(tmp_path / "issue.md", "--no-machine")
    assert result.code == 0
    assert "Nothing wrong found" not in result.out
    assert "Say what goes wrong with --symptom" in result.out


@pytest.mark.parametrize("report", ["incident.md", "report.txt", "report.json", "diagnosis.log"])
def test_our_own_report_in_the_run_directory_is_no_evidence(
    diagnose: Command, in_example: Path, report: str
) -> None:
    before = diagnose(".", "--format", "json").data
    diagnose(".", "--report", report)
    again = diagnose(".", "--format", "json").data
    assert [one["name"] for one in again["inputs"]] == [one["name"] for one in before["inputs"]]
    assert again["causes"] == before["causes"]
    assert any(report in note for note in again["notes"])


@pytest.mark.parametrize(
    "asked",
    [
        (".", "--explain", "how", "lr-too-high"),
        (".", "--explain", "why-not", "lr-too-low"),
        (".", "--explain", "why", "test.fp32_clears_nan"),
        ("explain", "fp16-overflow"),
        ("explain", "nan-loss"),
        ("explain", "disable-amp"),
        ("checklist", "pre-training", "."),
        ("checklist", "nan-loss"),
        (".",),
    ],
)
@pytest.mark.parametrize("name", ["said.txt", "said"])
def test_what_we_printed_is_no_evidence(
    diagnose: Command, in_example: Path, asked: tuple[str, ...], name: str
) -> None:
    before = diagnose(".", "--format", "json").data
    (in_example / name).write_text(diagnose(*asked).out, encoding="utf-8")
    again = diagnose(".", "--format", "json").data
    assert again["causes"] == before["causes"]
    assert any(name in note for note in again["notes"])


def test_settings_beside_a_script_at_fault_are_no_mistake_of_settings(
    diagnose: Command, tmp_path: Path
) -> None:
    (tmp_path / "config.yaml").write_text("batch_size: 32\n")
    (tmp_path / "train.py").write_text(
        "import torch.nn.functional as F\n"
        "for x, y in loader:\n"
        "    loss = F.cross_entropy(model(x).softmax(-1), y)\n"
        "    optimizer.zero_grad()\n    loss.backward()\n    optimizer.step()\n"
    )
    found = diagnose(tmp_path, "--no-machine", "--format", "json").data
    assert "config-error" not in [one["id"] for one in found["symptoms"]]
    assert found["causes"][0]["id"] == "double-softmax"


def test_a_report_that_is_all_there_is_cannot_be_read(diagnose: Command, in_example: Path) -> None:
    diagnose(".", "--report", "report.txt")
    named = diagnose("report.txt", "--no-machine")
    assert (named.code, "which is no evidence" in named.err) == (2, True)


def test_an_incident_report_that_people_wrote_is_read(diagnose: Command, in_example: Path) -> None:
    (in_example / "incident.md").write_text(
        "# Incident report\n\n## Summary\n\nThe loss became NaN at step 300.\n"
    )
    assert "incident.md" in {one["name"] for one in diagnose(".", "--format", "json").data["inputs"]}
