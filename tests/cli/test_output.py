"""What is printed: for a person, for a program, as an incident report."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from traindx.engine.diagnosis import Diagnosis
from traindx.engine.report.data import json_schema, record_model

from .conftest import Command

ROOT = Path(__file__).parents[2]
FILES = ("train.log", "config.yaml")
HOSTILE = """\
step 1 loss 2.0
\x1b]0;owned\x07\x1b[31mRuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB </summary><script>alert(1)</script> | `x` @everyone
"""


def test_text_is_plain_when_piped(diagnose: Command, in_example: Path) -> None:
    assert "\x1b" not in diagnose(*FILES).out


def test_colour_can_be_asked_for(diagnose: Command, in_example: Path) -> None:
    assert "\x1b[" in diagnose(*FILES, "--color").out


def test_no_color_is_respected(diagnose: Command, in_example: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in diagnose(*FILES).out


def test_one_screen_is_one_screen(diagnose: Command, in_example: Path) -> None:
    assert len(diagnose("--symptom", "nan-loss", *FILES).out.splitlines()) <= 60


def test_the_committed_schema_is_current() -> None:
    committed = json.loads((ROOT / "docs" / "diagnosis.schema.json").read_text(encoding="utf-8"))
    assert committed == json_schema()


def test_json_is_what_its_schema_says(diagnose: Command, in_example: Path) -> None:
    out = diagnose(*FILES, "--format", "json").out
    model = record_model(Diagnosis)
    assert set(json.loads(out)) == set(model.model_fields)
    model.model_validate_json(out)


def test_the_incident_report_has_its_sections(diagnose: Command, in_example: Path) -> None:
    diagnose("--symptom", "nan-loss", *FILES, "--report", "incident.md")
    text = (in_example / "incident.md").read_text(encoding="utf-8")
    sections = re.findall(r"^## (.*)$", text, re.MULTILINE)
    wanted = [
        "Summary", "Timeline", "What was seen", "Causes considered", "Fixes, in the order to try",
        "Verification", "Take-back plan", "What was not checked", "Environment", "How to repeat this diagnosis",
    ]  # fmt: skip
    assert [one for one in sections if one in wanted] == wanted


def test_a_report_in_json_is_the_same_as_the_format(diagnose: Command, in_example: Path) -> None:
    out = diagnose(*FILES, "--format", "json", "--report", "dx.json").out
    assert (in_example / "dx.json").read_text(encoding="utf-8") == out


def test_a_report_that_cannot_be_written_is_a_bad_call(diagnose: Command, in_example: Path) -> None:
    result = diagnose(*FILES, "--report", "nowhere/incident.md")
    assert result.code == 2
    assert "nowhere/incident.md" in result.err


def test_a_report_takes_no_file_away(diagnose: Command, in_example: Path) -> None:
    notes = in_example / "notes.md"
    notes.write_text("mine\n")
    result = diagnose(*FILES, "--report", notes)
    assert (in_example / "notes.md.bak").read_text() == "mine\n"
    assert "what stood there is notes.md.bak" in result.err


def test_a_report_takes_the_place_of_the_one_before(diagnose: Command, in_example: Path) -> None:
    for _ in range(2):
        diagnose(*FILES, "--report", "report.txt")
    assert not list(in_example.glob("*.bak*"))


@pytest.mark.parametrize("output", ["text", "markdown", "json"])
def test_secrets_do_not_get_out(diagnose: Command, tmp_path: Path, output: str) -> None:
    (tmp_path / "config.yaml").write_text(
        "learning_rate: 1e-4\nwandb_api_key: 0123456789abcdef0123456789abcdef01234567\n"
    )
    secret = "hf_" + "aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH"
    (tmp_path / "train.log").write_text(
        f"export HF_TOKEN={secret}\nmail jane.doe@example.com about /home/jane/runs\n"
        f"step 1 loss nan token={secret}\nRuntimeError: login failed for jane.doe@example.com with {secret} in /home/jane/x\n"
    )
    out = diagnose(
        "--symptom", "nan-loss", tmp_path / "train.log", tmp_path / "config.yaml", "--format", output
    ).out
    for private in (secret, "0123456789abcdef", "jane.doe@", "/home/jane"):
        assert private not in out


@pytest.mark.parametrize("output", ["text", "json"])
def test_a_log_cannot_drive_the_terminal(diagnose: Command, tmp_path: Path, output: str) -> None:
    (tmp_path / "train.log").write_text(HOSTILE)
    out = diagnose("--symptom", "cuda-oom", tmp_path / "train.log", "--format", output).out
    assert "\x1b" not in out
    assert "\x07" not in out


def test_a_log_cannot_break_out_of_the_markdown(diagnose: Command, tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text(HOSTILE)
    out = diagnose("--symptom", "cuda-oom", tmp_path / "train.log", "--format", "markdown").out
    prose = re.sub(r"(`+).*?\1", "", out)
    assert "<script>" not in prose
    assert "@everyone" not in prose


def test_a_reader_that_goes_away_has_found_nothing() -> None:
    """`diagnose kb list | head -1`: 1 would say that a cause was found."""
    command = [sys.executable, "-m", "traindx", "kb", "list"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as listing:
        assert listing.stdout is not None
        listing.stdout.close()
        assert listing.wait(60) == 0
