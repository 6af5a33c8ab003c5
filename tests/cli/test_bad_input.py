"""Whatever is handed in: a clear message or a note, never a traceback, and nothing written."""

from __future__ import annotations

import gzip
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Command

BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{','.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
DEEP = "[" * 5000 + "]" * 5000

Maker = Callable[[Path], Path]


def text(name: str, content: str) -> Maker:
    return data(name, content.encode())


def data(name: str, content: bytes) -> Maker:
    def make(folder: Path) -> Path:
        (folder / name).write_bytes(content)
        return folder / name

    return make


def loop(folder: Path) -> Path:
    run = folder / "run"
    run.mkdir()
    (run / "again").symlink_to(run, target_is_directory=True)
    (run / "gone.log").symlink_to(folder / "nowhere.log")
    (run / "train.log").write_text("step 1 loss 1.0\n")
    return run


def pipe(folder: Path) -> Path:
    os.mkfifo(folder / "train.log")
    return folder


def going_round(folder: Path) -> Path:
    (folder / "train.log").symlink_to(folder / "train.log")
    return folder / "train.log"


# Where nothing at all could be read, that is a bad call.
REFUSED: dict[str, tuple[Maker, str]] = {
    "a missing file": (lambda folder: folder / "nowhere.log", "no such file"),
    "a misspelt command": (lambda folder: Path("taill"), "did you mean `tail`"),
    "an empty log": (text("train.log", ""), "train.log: empty"),
    "a blank log": (text("train.log", " \n\n"), "train.log: empty"),
    "an empty configuration": (text("config.yaml", ""), "config.yaml: empty"),
    "a binary log": (data("train.log", bytes(range(256)) * 64), "binary, not text"),
    "a pickle for a configuration": (data("config.yaml", pickle.dumps({"lr": 0.1})), "never opened"),
    "a pickle by its name": (data("scores.pkl", pickle.dumps([0.1])), "scores.pkl: a pickle or an archive"),
    "an array": (data("features.npy", b"\x93NUMPY\x01\x00v\x00"), "features.npy: binary, not text"),
    "a text of another kind": (
        text("fix.patch", "--- a\n+++ b\n"),
        "say with --log, --config or --code what it is",
    ),
    "a billion laughs": (text("config.yaml", BOMB), "unfolds to more than"),
    "JSON nested without end": (text("ds_config.json", DEEP), "nested too deeply"),
    "YAML nested without end": (text("config.yaml", "[" * 100_000), "nested too deeply"),
    "YAML maps nested without end": (text("config.yaml", "{a: " * 50_000), "nested too deeply"),
    "YAML lists nested without end": (text("config.yaml", "- " * 50_000), "nested too deeply"),
    "an archive that is none": (data("train.log.gz", b"\x1f\x8b not gzip at all"), "damaged"),
    "an empty run directory": (lambda folder: folder, "no log, configuration or script"),
    "a name too long for a file": (lambda folder: folder / ("a" * 300), "too long"),
    "links that go round": (going_round, "Too many levels"),
    "a device": (lambda folder: Path("/dev/null"), "neither a file nor a directory"),
    "a run directory with a pipe in it": (pipe, "no log, configuration or script"),
}
# Anything else is read as far as it goes, and what is odd about it is said.
NOTED: dict[str, tuple[Maker, int, str]] = {
    "a truncated archive": (
        data("train.log.gz", gzip.compress(b"step 1 loss 1.0\n" * 4000)[:-20]), 1, "damaged or cut off"
    ),
    "one huge line": (text("train.log", "x" * 3_000_000), 0, "longer than 64 KiB"),
    "a log without a loss": (text("train.log", "hello\nworld\n"), 0, "no loss is printed"),
    "bytes of no encoding": (
        data("train.log", b"\xff\xfe\xfa loss \x00\x01 1.0\n" * 10), 0, "Nothing wrong found"
    ),
    "YAML with a tab": (text("config.yaml", "train:\n\tlr: 0.1\n"), 1, "YAML allows no tab"),
    "duplicate keys": (
        text("config.yaml", "learning_rate: 0.1\nlearning_rate: 0.2\n"), 0, "config.yaml: line 2: the key `learning_rate` stands twice; first in line 1, and the last counts"
    ),
    "JSON that is cut off": (text("ds_config.json", '{"fp16": {"enabled": true'), 1, "found the end of the text"),
    "TOML that is none": (text("config.toml", "= 1\n[["), 1, "config.toml: line 1"),
    "Python that is none": (text("train.py", "def (:\n"), 0, "train.py:1: does not parse"),
    "a name that is no text": (data(os.fsdecode(b"bad\xff.log"), b"hello\n"), 0, "bad\N{REPLACEMENT CHARACTER}.log"),
    "a run directory with a loop": (loop, 0, "gone.log: a link to"),
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "inputs"
    folder.mkdir()
    return folder


def seen(folder: Path) -> set[str]:
    return {str(path) for path in folder.rglob("*")}


@pytest.mark.parametrize(("make", "said"), REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_read_is_refused(diagnose: Command, folder: Path, make: Maker, said: str) -> None:
    path = make(folder)
    before = seen(folder)
    result = diagnose(path, "--no-machine")
    assert result.code == 2
    assert path.name in result.err
    assert said in " ".join(result.err.split())
    assert "Traceback" not in result.err
    assert seen(folder) == before


@pytest.mark.parametrize(("make", "code", "said"), NOTED.values(), ids=NOTED.keys())
def test_what_is_odd_is_noted(diagnose: Command, folder: Path, make: Maker, code: int, said: str) -> None:
    path = make(folder)
    before = seen(folder)
    result = diagnose(path, "--no-machine")
    assert result.code == code, result.err
    assert said in " ".join(result.out.split())
    assert "Traceback" not in result.err
    assert "fault of traindx" not in result.out
    assert seen(folder) == before


def test_a_tab_is_named_with_its_place(diagnose: Command, folder: Path) -> None:
    (folder / "config.yaml").write_text("train:\n\tlr: 0.1\n")
    out = diagnose(folder / "config.yaml", "--no-machine").out
    assert "config.yaml:2" in out
    report = diagnose(folder / "config.yaml", "--no-machine", "--format", "markdown").out
    assert "\n  >>> 2: \tlr: 0.1\n" in report


def test_a_file_among_good_ones_does_not_hide_them(diagnose: Command, folder: Path) -> None:
    (folder / "train.log").write_text(
        "".join(f"step {n} loss {'nan' if n > 5 else 1 / n}\n" for n in range(1, 12))
    )
    (folder / "config.yaml").write_bytes(b"\x80\x04\x95\x00\x00")
    result = diagnose(folder / "train.log", folder / "config.yaml", "--no-machine", "--format", "json")
    assert result.data["symptoms"][0]["id"] == "nan-loss"
    assert any("config.yaml" in one for one in result.data["not_seen"])


def test_a_pack_that_leads_nowhere_is_a_bad_call(diagnose: Command, folder: Path) -> None:
    (folder / "facts").mkdir()
    (folder / "facts" / "mine.yaml").symlink_to(folder / "nowhere")
    (folder / "again").symlink_to(folder, target_is_directory=True)
    result = diagnose("--kb", folder, "--symptom", "nan-loss")
    assert result.code == 2
    assert "cannot be read" in result.err


def redirected(call: str) -> subprocess.CompletedProcess[str]:
    """The command as a shell starts it."""
    call = f"exec {sys.executable} -m traindx {call}"
    return subprocess.run(["bash", "-c", call], capture_output=True, text=True, check=False)


def test_a_full_disk_behind_the_output_is_said() -> None:
    result = redirected("--help >/dev/full")
    assert result.returncode == 2
    assert "is full" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("call", ["<&-", "nowhere.log >&-", "nowhere.log 2>&-"])
def test_a_stream_that_is_closed_is_no_fault_of_ours(call: str) -> None:
    assert redirected(call).returncode == 2


@pytest.mark.parametrize("option", ["--log", "--diff", "--write"])
def test_what_an_experiment_would_not_heed_is_refused(diagnose: Command, option: str) -> None:
    result = diagnose(
        "--experiment", option, *(["x.log"] if option == "--log" else []), "--", "python", "train.py"
    )
    assert result.code == 2
    assert f"{option} is not for that" in result.err
