"""What did the person hand in? Files told apart by name and first bytes, run directories walked."""

from __future__ import annotations

import io
import os
import re
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from traindx.engine.regex import regex

from .inputs import Input, Kind
from .text import MAX_TEXT, Unreadable, encoding_of, is_binary, open_bytes

MAX_FILES = 400
"""Inputs taken from one run directory; a person names what should be read beyond."""
MAX_SEEN = 20_000
MAX_DEPTH = 6
_SKIPPED = frozenset((
    ".git", ".hg", ".svn", ".venv", "venv", "env", "node_modules", "__pycache__", ".cache", ".mypy_cache",
    ".ruff_cache", ".pytest_cache", "site-packages", ".ipynb_checkpoints", "wandb-media", "media", ".idea", ".vscode",
))  # fmt: skip
_UNPACKED = (".gz", ".zst")

_BY_NAME: tuple[tuple[tuple[str, ...], tuple[str, ...], Kind], ...] = (
    (("events.out.tfevents.",), (), Kind.EVENTS),
    (("trainer_state", "all_results", "eval_results", "train_results"), ("_state.json", "_results.json"), Kind.RECORDS),
    ((), (".jsonl", ".ndjson", ".csv", ".tsv"), Kind.RECORDS),
    (("requirements", "constraints"), (".txt", ".in"), Kind.PACKAGES),
    (("pip-freeze", "pip_freeze", "pipfreeze", "pip-list", "pip_list", "piplist"), (), Kind.PACKAGES),
    (("environment", "conda"), (".yaml", ".yml"), Kind.PACKAGES),
    (("conda-list", "conda_list"), (), Kind.PACKAGES),
    ((), (".py", ".ipynb"), Kind.CODE),
    ((), (".pt", ".pth", ".ckpt", ".safetensors"), Kind.CHECKPOINT),
    (("pytorch_model", "adapter_model", "optimizer", "scheduler"), (".bin",), Kind.CHECKPOINT),
    (
        (),
        (
            ".yaml", ".yml", ".json", ".jsonc", ".json5", ".toml", ".sh", ".bash", ".zsh", ".slurm", ".sbatch", ".sub",
            ".pbs", ".ps1", ".bat", ".cmd", ".env", ".ini", ".cfg", ".conf", ".gin",
        ),
        Kind.CONFIG,
    ),
    (("dockerfile", "docker-compose", "compose"), (), Kind.CONFIG),
    (("makefile",), ("makefile",), Kind.CONFIG),
    ((), (".log", ".out", ".err", ".txt", ".md", ".rst", ".stdout", ".stderr"), Kind.LOG),
    (("nohup", "slurm", "stdout", "stderr", "log", "dmesg"), (), Kind.LOG),
)  # fmt: skip
"""What names begin and end with, in lower case; the first that fits tells the kind."""
_NOT_READ = regex(
    r"(?i)\.(?:pt|pth|bin|ckpt|safetensors|onnx|h5|hdf5|pkl|pickle|joblib|npy|npz|msgpack|parquet|arrow|feather|db|sqlite|"
    r"png|jpe?g|webp|bmp|gif|tiff?|mp4|avi|mov|mkv|wav|flac|mp3|ogg|pdf|zip|tar|tgz|xz|7z|so|dll|exe|whl|lock|map|ttf|"
    r"tfrecords?|idx|model|vocab|bpe|spm|proto|gguf)$"
)
_BIG_TABLES = regex(
    r"(?i)^(?:tokenizer|vocab|merges|added_tokens|special_tokens_map|package-lock|model\.safetensors\.index|pytorch_model\.bin\.index)[\w.-]*\.json$"
)
_METRIC_HEADER = regex(rb"(?i)loss|acc|lr|epoch|step|iter|grad")


class BadInput(Exception):
    """An input that a person named and that is not there. The message is for the person."""


class Found:
    """The inputs, and what a person should know about how they were found."""

    __slots__ = ("inputs", "notes")

    def __init__(self, inputs: Iterable[Input] = ()) -> None:
        self.inputs = list(inputs)
        self.notes: list[str] = []


def discover(paths: Iterable[Path]) -> Found:
    """Tell the named files apart and walk the named directories.

    Raises BadInput for a path that is not there, cannot be looked at, or is neither file, pipe nor directory.
    """
    found = Found()
    for path in paths:
        if os.path.isdir(path):
            _walk(path, found)
        else:
            found.inputs.append(_file(path, None))
    return found


def named(path: Path, kind: Kind) -> Input:
    """An input whose kind the person says.

    Raises BadInput where it is not there.
    """
    if os.path.isdir(path):
        raise BadInput(f"{path}: is a directory; name it without an option")
    return _file(path, kind)


def piped(name: str, kind: Kind, stream: io.BufferedReader) -> Input:
    """What comes through a pipe: a log is read as it comes, anything else at once."""
    if kind is Kind.LOG:
        return Input(name, kind, stream=stream)
    return Input(name, kind, data=stream.read(MAX_TEXT + 1))


def _file(path: Path, kind: Kind | None) -> Input:
    """A file or a pipe, such as `<(command)` gives; without a kind, a pipe brings a log."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        if os.path.islink(path):
            raise BadInput(f"{path}: a link to {os.readlink(path)}, which is not there") from None
        raise BadInput(f"{path}: no such file or directory{_nearby(path)}") from None
    except (OSError, ValueError) as error:
        raise BadInput(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    if stat.S_ISREG(mode):
        return Input(str(path), kind or kind_of(path), path)
    if not stat.S_ISFIFO(mode):
        raise BadInput(f"{path}: neither a file nor a directory")
    try:
        return piped(str(path), kind or Kind.LOG, path.open("rb"))
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from None


def kind_of(path: Path) -> Kind:
    """What a file is, by its name where that says it, else by its first bytes."""
    name = path.name
    for ending in _UNPACKED:
        name = name.removesuffix(ending)
    low = name.lower()
    for beginnings, endings, kind in _BY_NAME:
        if low.startswith(beginnings or "") and low.endswith(endings or ""):
            return kind
    return Kind.OTHER if _NOT_READ.search(name) else _by_content(path)


def _by_content(path: Path) -> Kind:
    start = _start(path)
    if is_binary(start):
        return Kind.OTHER
    text = start.decode(encoding_of(start), errors="replace").lstrip("\ufeff \t\r\n")
    if text.startswith("#!"):
        return Kind.CODE if "python" in text.split("\n", 1)[0] else Kind.CONFIG
    if text.startswith("{"):
        return Kind.RECORDS if re.match(r"\{[^\n]*\}\s*\n\s*\{", text) else Kind.CONFIG
    if re.match(r"(?:from\s+\w[\w.]*\s+import\s|import\s+\w)", text):
        return Kind.CODE
    return Kind.LOG


def _start(path: Path, size: int = 4096) -> bytes:
    try:
        with open_bytes(Input(str(path), Kind.OTHER, path)) as file:
            return file.read(size)
    except (Unreadable, OSError, EOFError):
        return b""


def _walk(root: Path, found: Found) -> None:
    """Everything in a run directory that a probe can read, the likeliest files first."""
    files: list[tuple[Path, Kind]] = []
    for count, path in enumerate(_files(root, found), 1):
        if count > MAX_SEEN:
            found.notes.append(f"{root}: more than {MAX_SEEN} files; only these were looked at")
            break
        kind = _kind_inside(path)
        if kind is not Kind.OTHER:
            files.append((path, kind))
    files.sort(key=lambda one: (len(one[0].relative_to(root).parts), str(one[0])))
    if len(files) > MAX_FILES:
        found.notes.append(f"{root}: {len(files)} readable files; the {MAX_FILES} nearest the top were read")
    found.inputs.extend(Input(str(path), kind, path, named=False) for path, kind in files[:MAX_FILES])
    if not files and not any(one.kind is Kind.LIVE for one in found.inputs):
        found.notes.append(f"{root}: no log, configuration or script in this directory")


def _files(root: Path, found: Found) -> Iterator[Path]:
    from .live.kept import inputs_of_run, is_watched_run

    seen: set[tuple[int, int]] = set()
    waiting = [(root, 0)]
    while waiting:
        folder, depth = waiting.pop()
        try:
            place = folder.stat()
            entries = sorted(folder.iterdir())
        except OSError as error:
            found.notes.append(f"{folder}: cannot be listed ({error.strerror})")
            continue
        if (place.st_dev, place.st_ino) in seen:
            continue
        seen.add((place.st_dev, place.st_ino))
        if is_watched_run(folder):
            found.inputs.extend(inputs_of_run(folder))
            continue
        for entry in entries:
            if os.path.isdir(entry):
                if depth < MAX_DEPTH and entry.name not in _SKIPPED:
                    waiting.append((entry, depth + 1))
            elif os.path.isfile(entry):
                yield entry
            elif os.path.islink(entry):
                found.notes.append(f"{entry}: a link to {os.readlink(entry)}, which is not there")


def _kind_inside(path: Path) -> Kind:
    """What a file in a run directory is. Hidden files, tables that are not metrics and model files are passed over."""
    if _BIG_TABLES.search(path.name) or path.name.startswith((".", "README", "LICENSE")):
        return Kind.OTHER
    kind = kind_of(path)
    if (
        kind is Kind.RECORDS
        and path.suffix.lower() != ".json"
        and not _METRIC_HEADER.search(_start(path, 512))
    ):
        return Kind.OTHER
    return kind


def _nearby(path: Path) -> str:
    """A file of a similar name in the same directory, as a hint."""
    import difflib

    try:
        names = os.listdir(path.parent)
    except OSError:
        return ""
    close = difflib.get_close_matches(path.name, [name for name in names if name != path.name], n=1)
    return f"; did you mean {path.parent / close[0]}?" if close else ""
