"""What a file is: by its name where that says it, else by its first bytes."""

from __future__ import annotations

import re
from pathlib import Path

from traindx.engine.regex import regex

from .inputs import Input, Kind
from .text import Unreadable, encoding_of, is_binary, not_text, open_bytes
from .wrapped import wrapping_of

_UNPACKED = (".gz", ".zst")
_COPY = regex(r"(?i)(?<=[^.])(?:\.(?:bak|backup|orig|old|save|rej)\d*|~)$")
"""How editors, and our own patches, name what a file was before."""

_BY_NAME: tuple[tuple[tuple[str, ...], tuple[str, ...], Kind], ...] = (
    (("events.out.tfevents.",), (), Kind.EVENTS),
    (("trainer_state", "all_results", "eval_results", "train_results"), ("_state.json", "_results.json"), Kind.RECORDS),
    (("wandb-summary",), (".json",), Kind.RECORDS),
    (("wandb-metadata",), (".json",), Kind.OTHER),
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
    r"tfrecords?|idx|model|vocab|bpe|spm|proto|gguf|diff|patch)$"
)
_BIG_TABLES = regex(
    r"(?i)^(?:tokenizer|vocab|merges|added_tokens|special_tokens_map|package-lock|model\.safetensors\.index|pytorch_model\.bin\.index)[\w.-]*\.json$"
)
_LINES_OF_JSON = regex(r"\{[^\n]*\}[ \t\r]*\n\s*\{")
_METRIC_HEADER = regex(rb"(?i)loss|acc|lr|epoch|step|iter|grad")


def kind_of(path: Path) -> Kind:
    """What a file is, by its name where that says it, else by its first bytes."""
    name = _COPY.sub("", path.name)
    for ending in _UNPACKED:
        name = name.removesuffix(ending)
    low = name.lower()
    for beginnings, endings, kind in _BY_NAME:
        if low.startswith(beginnings or "") and low.endswith(endings or ""):
            # detectron2, mmcv and mmengine name their JSON lines so.
            if low.endswith((".json", ".jsonl", ".ndjson")):
                return _of_lines(start_of(path, 1 << 16), kind)
            return kind
    return Kind.OTHER if _NOT_READ.search(name) else _by_content(path)


def start_of(path: Path, size: int = 4096) -> str:
    """The first bytes of a file as text, without the space before it; empty where it cannot be read."""
    return _plain(_start(path, size))


def why_other(path: Path) -> str:
    """Why a file is nothing that is read, for a person who named it."""
    start = _start(path)
    if not start:
        return "empty"
    return (
        not_text(start)
        or "by its name no log, configuration or script; say with --log, --config or --code what it is"
    )


def _by_content(path: Path) -> Kind:
    start = _start(path)
    if is_binary(start):
        return Kind.OTHER
    text = _plain(start)
    if text.startswith("#!"):
        return Kind.CODE if "python" in text.split("\n", 1)[0] else Kind.CONFIG
    if text.startswith("{"):
        return _of_lines(text, Kind.CONFIG)
    if re.match(r"(?:from\s+\w[\w.]*\s+import\s|import\s+\w)", text):
        return Kind.CODE
    return Kind.LOG


def _of_lines(text: str, kind: Kind) -> Kind:
    """Lines of JSON are rows of metrics, or hold what was printed; what is none is of this kind."""
    if not _LINES_OF_JSON.match(text):
        return kind
    return Kind.LOG if wrapping_of(text.encode()) else Kind.RECORDS


def _plain(start: bytes) -> str:
    return start.decode(encoding_of(start), errors="replace").lstrip("\ufeff \t\r\n")


def _start(path: Path, size: int = 4096) -> bytes:
    try:
        with open_bytes(Input(str(path), Kind.OTHER, path)) as file:
            return file.read(size)
    except (Unreadable, OSError, EOFError):
        return b""


def kind_inside(path: Path) -> Kind:
    """What a file in a run directory is.

    Hidden files, tables that are not metrics, model files and copies beside their original are passed over.
    """
    original = _COPY.sub("", path.name)
    if original != path.name and path.with_name(original).exists():
        return Kind.OTHER
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
