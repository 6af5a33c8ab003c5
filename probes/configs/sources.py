"""From an input to documents: which format a text is in, and the texts inside it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from traindx.engine.facts import Origin
from traindx.engine.regex import regex

from .document import Document, Part, Reading
from .exact import File
from .formats import format_module
from .tracked import is_copy, untracked

_BY_SUFFIX = {
    "yaml": "yaml", "yml": "yaml", "json": "json", "jsonc": "json", "json5": "json", "hjson": "json", "toml": "toml",
    "py": "python", "pyw": "python", "ipynb": "notebook", "sh": "shell", "bash": "shell", "zsh": "shell",
    "slurm": "shell", "sbatch": "shell", "sub": "shell", "pbs": "shell", "env": "shell", "bat": "shell",
    "cmd": "shell", "ps1": "shell", "ini": "ini", "cfg": "ini", "conf": "ini", "properties": "ini", "gin": "ini",
    "prototxt": "printed", "pbtxt": "printed", "textproto": "printed",
}  # fmt: skip
_BY_NAME = regex(r"(?i)^(?:Dockerfile|Makefile|\.env)(?:\.|$)")
_PACKED = regex(r"\.(?:gz|zst)$")
_SHELL = regex(
    r"^\s*(?:export\s+\w+=|#SBATCH|(?:[\w./-]*/)?(?:python[\d.]*|torchrun|accelerate|deepspeed|srun|sbatch|bash|composer|axolotl|"
    r"llamafactory-cli|tune|yolo|docker|CUDA_VISIBLE_DEVICES=\S*)\s)|\s--[a-z][\w-]+",
    re.MULTILINE,
)
_PYTHON = regex(
    r"^(?:import|from|def|class|with|for|if)\s|^[A-Za-z_][\w.]*\s*=\s*\S|^\w+\s*:\s*\w+\s*=", re.MULTILINE
)
_COMMAND = regex(
    r"\s*(?:[$+>#!]\s+|\S+@\S+[$#]\s+)?(?:\w+=\S+\s+)*(?:\S*/)?(?:python[\d.]*|torchrun|accelerate|deepspeed|srun|bash|sh|lightning|"
    r"llamafactory-cli|axolotl|tune)\s|\s*--[A-Za-z][\w.-]*\s+[^\s:=]|\s*(?:[$+]|\S+@\S+[$#])\s+\S.*\s--?[A-Za-z]"
)
_ASSIGNED = regex(r"[A-Za-z_]\w* = ")
_NESTED = regex(r"(?:[A-Za-z_][\w.-]*:(?: [^\n]*)?\n|[ -][^\n]*\n)*?[A-Za-z_][\w-]*:\n +[A-Za-z_-]")
_REPR = regex(r"\s*[A-Za-z_][\w.]*\(")
_PROTOBUF = regex(r"^\w+:? ?\{\s*(?:#.*)?$[^{}]*^\s+\w+(?:: ?[^\s,]+| ?\{)\s*$", re.MULTILINE)
_DEEPEST = 3


def format_of(name: str, text: str) -> str:
    """The format of a text, by its name where that says it, else by how it begins."""
    base = _PACKED.sub("", name.rsplit("/", 1)[-1])
    suffix = base.rsplit(".", 1)[-1].lower() if "." in base else ""
    if _BY_NAME.match(base):
        return "shell"
    return _BY_SUFFIX.get(suffix) or _by_content(text)


def printed_format(text: str) -> str:
    """How a block that a run printed is read: a command line as a script, a whole file as what it is, else as printed settings."""
    if _COMMAND.match(text):
        return "shell"
    if _ASSIGNED.match(text) and "= dict(" in text:
        return "python"
    return "yaml" if _NESTED.match(text) else "printed"


def _by_content(text: str) -> str:
    start = text.lstrip("\ufeff \t\r\n")
    if start.startswith("#!"):
        return "python" if "python" in start.split("\n", 1)[0] else "shell"
    if start.startswith("{"):
        return "json"
    if start.startswith("["):
        return (
            "toml"
            if _is_toml(text)
            else "ini"
            if re.match(r"\[[\w. -]+\]\s*$", start, re.MULTILINE)
            else "json"
        )
    if _SHELL.search(text):
        return "shell"
    if _PYTHON.search(text):
        return "toml" if _is_toml(text) else "python" if _is_python(text) else "ini"
    return "printed" if _REPR.match(start) or _PROTOBUF.match(start) else "yaml"


def _is_toml(text: str) -> bool:
    import tomllib

    try:
        return bool(tomllib.loads(text))
    except (tomllib.TOMLDecodeError, RecursionError):
        return False


def _is_python(text: str) -> bool:
    return not any(one.kind == "syntax" for one in format_module("python").read(text).problems)


def read_documents(
    file: File, origin: Origin, *, named: bool = True, format_name: str = ""
) -> list[Document]:
    """The documents of a file: itself, and the texts inside it."""
    name = format_name or format_of(file.name, file.text)
    if name == "shell" and origin is Origin.CONFIG:
        origin = Origin.SCRIPT
    reading = format_module(name).read(file.text)
    copied = origin is Origin.CONFIG and is_copy(file)
    if (kept := untracked(reading)) is not None:
        # A run wrote it down of itself: the best word there is on what it used, and nothing to edit.
        reading, origin = kept, Origin.LOG
    elif copied:
        origin = Origin.LOG
    outer = Document(file, name, origin, file.text, reading, named=named)
    outer.copied = kept is not None or copied
    return [outer, *_inside(outer, outer.reading, None, 1)]


def _inside(outer: Document, reading: Reading, around: Part | None, depth: int) -> Iterator[Document]:
    for part in reading.parts:
        placed = _placed(part, around)
        name = part.format or format_of(part.name, part.text)
        inner = format_module(name).read(part.text)
        if not part.name and not part.format.startswith(("python", "shell")):
            # An option that only looks like JSON is no broken file.
            inner = inner._replace(problems=())
        yield Document(
            outer.file, name, _origin(outer, part, name), part.text, inner, placed, named=outer.named
        )
        if depth < _DEEPEST:
            yield from _inside(outer, inner, placed, depth + 1)


def _origin(outer: Document, part: Part, name: str) -> Origin:
    """Commands are a script's; what a script writes into a file is a file of the run, and no option."""
    if outer.origin is not Origin.LOG and name == "shell":
        return Origin.SCRIPT
    return Origin.CONFIG if part.name and outer.origin is Origin.SCRIPT else outer.origin


def _placed(part: Part, around: Part | None) -> Part:
    """The part with the offsets of the file's text."""
    if around is None:
        return part
    offsets = tuple(around.offsets[at] if at >= 0 else -1 for at in part.offsets)
    return part._replace(offsets=offsets, escape=around.escape)
