"""`benchmarks/accuracy.py` scores folders of cases and writes a page."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "accuracy.py"
CASES = {
    "too-large": """
symptom: cuda-oom
cause: batch-too-large-for-memory
also_accept: [model-too-large-for-memory]
evidence_strength: decisive
log: |
  step 1 loss 2.31
  torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.69 GiB of which 512.00 MiB is free.
""",
    "typing-error": """
symptom: config-error
cause: config-unknown-key
evidence_strength: suggestive
config_name: run.yaml
config: |
  learning_rate: 0.001
  learning_rat: 0.002
""",
    "no-such-cause": """
symptom: nan-loss
cause: moon-phase
evidence_strength: absent
log: |
  step 1 loss nan
""",
}


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("cases")
    for name, text in CASES.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    path = folder / "page.md"
    call = [sys.executable, str(SCRIPT), f"given={folder}", "--page", str(path), "--jobs", "1"]
    done = subprocess.run(call, check=True, capture_output=True, text=True)
    assert "3 of 3 cases" in done.stderr
    return path.read_text(encoding="utf-8")


def test_the_page_says_how_many_cases_there_were_and_that_they_were_seen(page: str) -> None:
    assert "over 3 cases given" in page
    assert "read while the rules were written" in page


def test_a_cause_that_is_not_known_is_never_right(page: str) -> None:
    assert "| moon-phase | " in page
    assert "| absent | 1 | 0% | 0% |" in page


def test_every_baseline_is_on_the_page(page: str) -> None:
    for name in (
        "nearest neighbour by words",
        "commonest cause of the symptom",
        "random cause of the symptom",
    ):
        assert f"| {name} | " in page


def test_a_file_that_is_no_case_is_named(tmp_path: Path) -> None:
    (tmp_path / "other.yaml").write_text("title: no case\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(SCRIPT), f"seen={tmp_path}"], check=False, capture_output=True, text=True
    )
    assert done.returncode != 0
    assert "other.yaml is no case" in done.stderr
