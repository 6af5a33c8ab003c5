"""What the documents say is so."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from traindx.cli.group import COMMANDS

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
_OUTPUT = re.compile(r"(<!-- output: diagnose (.*?) -->\n```text\n)(.*?)(```\n)", re.DOTALL)


def outputs() -> list[str]:
    return [found[2] for found in _OUTPUT.finditer(README.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("call", outputs())
def test_the_readme_shows_real_output(call: str, update: bool) -> None:
    command = [sys.executable, "-m", "traindx", *shlex.split(call)]
    real = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    text = README.read_text(encoding="utf-8")
    found = next(one for one in _OUTPUT.finditer(text) if one[2] == call)
    if update:
        README.write_text(text[: found.start(3)] + real + text[found.end(3) :], encoding="utf-8")
    else:
        assert found[3] == real


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "docs/architecture.md"])
def test_every_path_that_a_document_names_is_there(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    linked = re.findall(r"\]\(((?!https?:)[^)#]+)\)", text)
    named = re.findall(
        r"`((?:kb|engine|probes|templates|src|tests|docs|benchmarks|examples|\.ci)/[\w./-]*)`", text
    )
    missing = [
        one
        for one in (*linked, *named)
        if not (ROOT / name).parent.joinpath(one).exists() and not (ROOT / one).exists()
    ]
    # The recipes name files that they tell how to make.
    assert [one for one in missing if "my-" not in one] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_documented(command: str) -> None:
    assert f"diagnose {command}" in README.read_text(encoding="utf-8") + (ROOT / "CONTRIBUTING.md").read_text(
        encoding="utf-8"
    )


@pytest.mark.parametrize("marker", ["example", "tests"])
def test_ci_runs_the_commands_of_the_readme(marker: str) -> None:
    script = ROOT / ".ci" / "readme_command.py"
    command = subprocess.run(
        [sys.executable, script, marker], capture_output=True, text=True, check=True
    ).stdout
    assert "pip install" in command
    assert f"readme_command.py {marker}" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
