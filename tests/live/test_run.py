"""`diagnose run`: the command keeps its output and its exit code, and a summary comes last on standard error."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from traindx.cli.errors import guarded
from traindx.cli.group import run as run_command
from traindx.probes.inputs import Kind
from traindx.probes.live.command import named_in

SAYS = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(7)"


class Result(NamedTuple):
    code: int
    out: str
    err: str


Diagnose = Callable[..., Result]


@pytest.fixture
def diagnose(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Diagnose:
    """`diagnose run`, in this process and an empty folder."""
    monkeypatch.chdir(tmp_path)

    def call(*args: str | Path) -> Result:
        monkeypatch.setattr(sys, "argv", ["diagnose", "run", *map(str, args)])
        capfd.readouterr()
        code = guarded(run_command)
        return Result(code, *capfd.readouterr())

    return call


def test_output_and_exit_code_are_the_commands(diagnose: Diagnose) -> None:
    result = diagnose("--", sys.executable, "-c", SAYS)
    assert (result.code, result.out) == (7, "out\n")
    assert result.err.startswith("err\ndiagnose: exit code 7 after ")


def test_a_healthy_run_says_so_and_what_was_watched(diagnose: Diagnose) -> None:
    result = diagnose("--", sys.executable, "-c", "pass")
    assert result.code == 0
    assert "no optimizer step was seen" in result.err
    assert "Nothing wrong found: no symptom, and no cause above possible." in result.err


def test_a_failure_without_a_reason_is_no_clean_bill_of_health(diagnose: Diagnose) -> None:
    result = diagnose("--", sys.executable, "-c", SAYS)
    assert "Nothing wrong found" not in result.err


def test_an_exception_is_diagnosed(diagnose: Diagnose) -> None:
    code = "raise RuntimeError('CUDA out of memory. Tried to allocate 2.00 GiB.')"
    result = diagnose("--", sys.executable, "-c", code)
    assert result.code == 1
    assert "(cuda-oom)" in result.err


def test_the_summary_says_what_was_raised_and_where(diagnose: Diagnose, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("x = 1\nraise ValueError('bad sample 77')\n")
    summary = " ".join(diagnose("--", sys.executable, "train.py").err.partition("diagnose: ")[2].split())
    assert "raised: ValueError: bad sample 77 [" in summary
    assert "train.py:2]" in summary


def test_a_command_that_ends_well_stood_still_nowhere(diagnose: Diagnose) -> None:
    """A last evaluation may take longer than the steps did."""
    code = (
        "import time, torch\n"
        "net = torch.nn.Linear(2, 1)\noptimizer = torch.optim.SGD(net.parameters(), lr=0.01)\n"
        "for _ in range(5):\n"
        "    net(torch.ones(1, 2)).sum().backward()\n    optimizer.step()\n    optimizer.zero_grad()\n"
        "time.sleep(4)"
    )
    result = diagnose("--hang-after", "1", "--", sys.executable, "-c", code)
    assert (result.code, "(hang)" in result.err) == (0, False)


def test_the_exit_code_can_be_the_diagnosis(diagnose: Diagnose) -> None:
    fine, failing = ("pass", "raise RuntimeError('CUDA out of memory. Tried to allocate 2.00 GiB.')")
    assert diagnose("--exit-code", "--", sys.executable, "-c", f"{fine}; import os; os._exit(9)").code == 0
    assert diagnose("--exit-code", "--", sys.executable, "-c", failing).code == 1


def test_a_command_that_is_killed_by_a_signal(diagnose: Diagnose) -> None:
    result = diagnose("--", sys.executable, "-c", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    assert result.code == 137
    assert "ended by SIGKILL" in result.err


def test_several_reports_each_in_the_format_of_its_suffix(diagnose: Diagnose, tmp_path: Path) -> None:
    result = diagnose("-r", "dx.json", "--report", "incident.md", "--", sys.executable, "-c", "pass")
    assert json.loads((tmp_path / "dx.json").read_text())["outcome"] == "nothing-found"
    assert (tmp_path / "incident.md").read_text().startswith("# Incident report")
    assert result.err.splitlines()[-1].startswith("  Nothing wrong found")


def test_standard_input_is_the_commands(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "traindx", "run", "--", sys.executable, "-c", "print(input())"],
        input="typed\n", capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "typed\n")


def test_no_records_are_left_behind(
    diagnose: Diagnose, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "records"
    folder.mkdir()
    monkeypatch.setattr("tempfile.mkdtemp", lambda **_: str(folder))
    diagnose("--", sys.executable, "-c", "pass")
    assert not folder.exists()


def test_records_are_kept_where_asked(diagnose: Diagnose, tmp_path: Path) -> None:
    diagnose("--keep", "kept", "--", sys.executable, "-c", "pass")
    assert len(list((tmp_path / "kept").glob("*.jsonl"))) == 2


def test_a_kept_folder_is_diagnosed_as_the_run_was(diagnose: Diagnose, tmp_path: Path) -> None:
    fails = "raise KeyError('labels')"
    diagnose("--keep", tmp_path / "kept", "--report", "run.json", "--", sys.executable, "-c", fails)
    script = [sys.executable, "-m", "traindx", "kept", "-f", "json"]
    done = subprocess.run(script, check=False, cwd=tmp_path, capture_output=True, timeout=60)
    then, later = json.loads((tmp_path / "run.json").read_text()), json.loads(done.stdout)
    shown = ("symptoms", "causes", "inputs")
    assert [later[one] for one in shown] == [then[one] for one in shown]


def test_a_run_that_shows_the_symptom_is_stopped(diagnose: Diagnose) -> None:
    code = (
        "import threading, time\n"
        "def work(): raise RuntimeError('CUDA out of memory. Tried to allocate 2.00 GiB.')\n"
        "threading.Thread(target=work).start()\ntime.sleep(50)"
    )
    result = diagnose("--stop-on", "cuda-oom", "--", sys.executable, "-c", code)
    assert result.code == 128 + 15
    assert "diagnose: stopping the run" in result.err
    assert "(cuda-oom)" in result.err


# -- calls that cannot work


def test_a_command_that_is_not_there(diagnose: Diagnose) -> None:
    result = diagnose("--", "no-such-command", "x")
    assert (result.code, result.out) == (2, "")
    assert "there is no command `no-such-command`" in result.err


def test_a_script_without_python_in_front(diagnose: Diagnose, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("")
    result = diagnose("--", "./train.py")
    assert result.code == 2
    assert "run it with `python ./train.py`" in result.err


@pytest.mark.parametrize(
    "wrong",
    [("--report", "nowhere/x.md"), ("--stop-on", "no-such-symptom"), ("--keep", "full"), ("--kb", "nowhere")],
)
def test_a_wrong_call_is_refused_before_anything_runs(
    diagnose: Diagnose, tmp_path: Path, wrong: tuple[str, str]
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    result = diagnose(*wrong, "--", sys.executable, "-c", "print('ran')")
    assert (result.code, result.out) == (2, "")


def test_no_command_at_all(diagnose: Diagnose) -> None:
    assert diagnose().code == 2


# -- when something of ours fails


def test_a_fault_in_the_diagnosis_loses_neither_the_run_nor_its_exit_code(
    diagnose: Diagnose, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ValueError("ours")

    monkeypatch.setattr("traindx.cli.watched.diagnosed", broken)
    result = diagnose("--", sys.executable, "-c", SAYS)
    assert (result.code, result.out) == (7, "out\n")
    assert "a fault of traindx: ValueError: ours" in result.err


def test_without_a_folder_for_records_the_command_runs_all_the_same(
    diagnose: Diagnose, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(**_: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.mkdtemp", full)
    result = diagnose("--", sys.executable, "-c", SAYS)
    assert (result.code, result.out) == (7, "out\n")
    assert "the run is not watched: no folder for its records (No space left on device)" in result.err


def test_a_fault_while_it_runs_leaves_the_run_alone(
    diagnose: Diagnose, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: object) -> None:
        raise ValueError("ours")

    monkeypatch.setattr("traindx.probes.live.records.Tail.new", broken)
    assert diagnose("--", sys.executable, "-c", SAYS).code == 7


# -- the files on the command line


def test_scripts_and_configurations_on_the_command_line_are_inputs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "package").mkdir()
    for name in ("train.py", "config.yaml", "other.json", "package/__main__.py", "data.bin"):
        (tmp_path / name).write_text("{}")
    command = [
        "python",
        "train.py",
        "--config",
        "config.yaml",
        "--ds=other.json",
        "-m",
        "package",
        "data.bin",
        "x",
    ]
    assert [(one.name, one.kind) for one in named_in(command)] == [
        ("train.py", Kind.CODE),
        ("config.yaml", Kind.CONFIG),
        ("other.json", Kind.CONFIG),
        ("package/__main__.py", Kind.CODE),
    ]


def test_the_settings_in_them_are_facts(diagnose: Diagnose, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("pass")
    (tmp_path / "config.yaml").write_text("learning_rate: 0.25\n")
    diagnose("-r", "dx.json", "--", sys.executable, "train.py", "--config=config.yaml")
    facts = {one["name"]: one["value"] for one in json.loads((tmp_path / "dx.json").read_text())["facts"]}
    assert facts["config.learning_rate"] == 0.25


def test_the_exit_code_stays_the_commands_where_nobody_reads_the_summary(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "traindx", "run", "--", sys.executable, "-c", "import sys; sys.exit(7)"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as watched:
        assert watched.stdout is not None
        assert watched.stderr is not None
        watched.stdout.close()
        watched.stderr.close()
        assert watched.wait(60) == 7
