"""The commands that run a script for a few steps, as a person calls them."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import pytest

HEALTHY = """
import torch
from torch import nn
torch.set_num_threads(1)
torch.manual_seed(0)
inputs, labels = torch.randn(64, 8), torch.randint(0, 3, (64,))
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(40):
    loss = nn.functional.cross_entropy(net(inputs), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("the end")
"""
FAULTY = HEALTHY.replace("torch.randn(64, 8)", "torch.randn(64, 8).log()")
WILD = HEALTHY.replace(
    "cross_entropy(net(inputs), labels)", "mse_loss(net(inputs), inputs[:, :3] * 2)"
).replace("lr=0.1", "lr=3.0")


def diagnose(folder: Path, code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    script = folder / "train.py"
    script.write_text(code, encoding="utf-8")
    command = [sys.executable, "-m", "traindx", *arguments, "--", sys.executable, str(script)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_preflight_ticks_a_sound_run_and_ends_it(tmp_path: Path) -> None:
    done = diagnose(tmp_path, HEALTHY, "preflight")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "the end" not in done.stdout
    assert "ok Every parameter that trains gets a gradient." in done.stdout
    assert "ok The first loss is no worse than guessing." in done.stdout
    assert "NO " not in done.stdout


def test_preflight_names_what_is_wrong(tmp_path: Path) -> None:
    done = diagnose(tmp_path, FAULTY, "preflight")
    assert done.returncode == 1
    assert "NO The inputs are finite.  data.inputs.nonfinite = yes" in done.stdout
    assert "NaN or Inf" in done.stdout


def test_preflight_says_what_a_run_that_fails_before_its_first_step_did_not_pass(tmp_path: Path) -> None:
    done = diagnose(
        tmp_path, HEALTHY.replace("optimizer = ", "net.requires_grad_(False)\noptimizer = "), "preflight"
    )
    assert done.returncode == 1
    assert "NO A batch, a forward pass, a backward pass and an optimizer step pass." in done.stdout
    assert "NO Something trains." in done.stdout


def test_preflight_does_not_ask_for_an_accelerator_that_is_not_there(tmp_path: Path) -> None:
    code = HEALTHY.replace("torch.manual_seed(0)", 'torch.manual_seed(0)\ndevice = torch.device("cpu")')
    done = diagnose(tmp_path, code.replace("nn.Linear(16, 3))", "nn.Linear(16, 3)).to(device)"), "preflight")
    assert "NO The model is on the accelerator" not in done.stdout


def test_a_tenth_of_the_rate_is_tried_and_helps(tmp_path: Path) -> None:
    done = diagnose(tmp_path, WILD, "test", "lr-tenth", "--steps", "20")
    assert "yes: A tenth of the learning rate makes the trouble go away." in done.stdout, (
        done.stdout + done.stderr
    )
    assert "lr-too-high" in done.stdout


def test_a_profile_lists_operators(tmp_path: Path) -> None:
    done = diagnose(tmp_path, HEALTHY, "profile", "--steps", "3", "--skip", "1")
    assert done.returncode == 0, done.stderr
    assert "3 steps, " in done.stdout
    assert "aten::addmm" in done.stdout


def test_memory_names_the_line_that_made_a_tensor(tmp_path: Path) -> None:
    done = diagnose(tmp_path, HEALTHY, "memory")
    assert "64x16 float32, made in this step" in done.stdout, done.stdout + done.stderr
    assert "train.py:10" in done.stdout
    assert "parameter" in done.stdout


def test_an_unknown_experiment_is_refused_with_the_nearest(tmp_path: Path) -> None:
    done = diagnose(tmp_path, HEALTHY, "test", "lr-tent")
    assert done.returncode == 2
    assert "lr-tenth" in done.stderr


def test_a_breakpoint_opens_the_debugger_on_the_terminal_of_the_run(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(HEALTHY.replace("nn.ReLU()", "nn.Threshold(0.0, float('nan'))"), encoding="utf-8")
    command = [sys.executable, "-m", "traindx", "run", "--break", "1", "--", sys.executable, str(script)]
    process, terminal = pty.fork()
    if process == 0:
        os.execv(sys.executable, command)
    seen, asked, end = b"", False, time.monotonic() + 60
    while time.monotonic() < end:
        try:
            seen += os.read(terminal, 4096)
        except OSError:
            break
        if b"(Pdb)" in seen and not asked:
            asked = True
            os.write(terminal, b"p type(module).__name__, tuple(output.shape)\ncontinue\n")
    os.waitpid(process, 0)
    assert b"('Threshold', (64, 16))" in seen
    assert b"the end" in seen


PART = HEALTHY.replace(
    "optimizer = ",
    """class Task(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = net
    def training_step(self):
        return nn.functional.cross_entropy(self.net(inputs), labels)
task = Task()
optimizer = """,
).replace(
    "nn.functional.cross_entropy(net(inputs), labels)\n    optimizer", "task.training_step()\n    optimizer"
)
"""A training library calls a method of the script's module, and that a part of it."""


@pytest.mark.parametrize(
    ("module", "said"),
    [
        ("encoder.*", "fits no module that was called: Task, net, net.0, net.1, net.2"),
        ("net.*", "was not reached: of 3 modules none was the first whose output held NaN or Inf"),
    ],
)
def test_why_nothing_was_stopped_at_is_said(tmp_path: Path, module: str, said: str) -> None:
    done = diagnose(tmp_path, PART, "run", "--break", module)
    assert f"diagnose: the breakpoint {module} {said}" in done.stderr


@pytest.mark.parametrize("command", ["preflight", "profile", "memory", "experiment"])
def test_a_command_that_is_not_there_is_refused(command: str) -> None:
    call = [sys.executable, "-m", "traindx", command, "--", "no-such-program"]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "diagnose: there is no command `no-such-program`\n")
