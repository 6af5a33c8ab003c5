"""The folder of a run that MLflow kept: a file for each metric and each setting, put together again."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .inputs import Input, Kind

OWN = frozenset(("metrics", "params", "tags", "meta.yaml"))
"""What such a folder holds of MLflow's own; the rest are files that the run left there."""
SETTINGS = "params (a file each)"
MAX_FILES = 400
"""Metrics that are read: those whose names speak of a loss or a score first."""
MAX_SIZE = 16 << 20
"""Bytes of one metric."""
MAX_ALL = 64 << 20
"""Bytes of all metrics of a run."""
_DIGITS = 19
_FIRST = ("loss", "acc", "lr", "learning_rate", "grad_norm", "reward", "score", "eval", "val")


def is_run(folder: Path) -> bool:
    """Whether MLflow keeps a run in a folder."""
    if not (folder / "metrics").is_dir() and not (folder / "params").is_dir():
        return False
    try:
        # A pipe of that name would never end.
        if not (folder / "meta.yaml").is_file():
            return False
        with (folder / "meta.yaml").open("rb") as file:
            return b"lifecycle_stage:" in file.read(4096)
    except OSError:
        return False


def inputs_of(folder: Path, notes: list[str]) -> list[Input]:
    """The metrics as a table, a row for each step, and the settings as one configuration. What is left out goes to `notes`."""
    found = []
    if table := _table(folder / "metrics", notes):
        name = str(folder / "metrics (rows by step)")
        found.append(Input(name, Kind.RECORDS, data=table.encode(), named=False))
    if settings := {name: _value(text) for name, text in _texts(folder / "params", notes)}:
        data = json.dumps(settings, indent=1, ensure_ascii=False).encode()
        found.append(Input(str(folder / SETTINGS), Kind.CONFIG, data=data, named=False))
    return found


def _texts(folder: Path, notes: list[str]) -> Iterator[tuple[str, str]]:
    """The files of a folder by name; `train/loss` is a file in a folder of its own."""
    left = MAX_ALL
    files = [path for path in folder.rglob("*") if path.is_file()]
    files.sort(key=lambda path: (not any(word in path.name.lower() for word in _FIRST), path))
    read = 0
    for path in sorted(files[:MAX_FILES]):
        try:
            size = path.stat().st_size
            if size <= min(MAX_SIZE, left):
                text = path.read_text("utf-8", "replace")
                left -= size
                read += 1
                yield path.relative_to(folder).as_posix(), text
        except OSError:
            continue
    if read < len(files):
        notes.append(
            f"{folder}: {len(files) - read} of {len(files)} files were left out: too many, too large or unreadable"
        )


def _table(folder: Path, notes: list[str]) -> str:
    """Every metric's lines of `time value step` as columns beside each other."""
    rows: dict[int, dict[str, str]] = {}
    names: list[str] = []
    for name, text in _texts(folder, notes):
        names.append(name)
        for line in text.splitlines():
            match line.split():
                case [_, value, step, *_] if step.isascii() and step.isdigit() and len(step) < _DIGITS:
                    rows.setdefault(int(step), {})[name] = value
                case _:
                    continue
    if not rows:
        return ""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["step", *names])
    writer.writerows([step, *(rows[step].get(name, "") for name in names)] for step in sorted(rows))
    return out.getvalue()


def _value(text: str) -> Any:
    """A setting as what it was: MLflow keeps all as text."""
    text = text.strip()
    if text in ("True", "False", "None"):
        return {"True": True, "False": False, "None": None}[text]
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text
