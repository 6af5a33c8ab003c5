"""Files that a configuration names: followed where they lie among the inputs or beside it, never elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from traindx.engine.regex import regex

from ..inputs import Input, Kind
from .combine import Read
from .document import Entry

MAX_INCLUDED = 30
_FILE = regex(r"(?i)[^\s{}$<>|*?\"']{1,300}\.(?:ya?ml|jsonc?|json5|toml|py|ini|cfg)")
_GROUP = regex(r"(?:override )?/?(?P<group>[\w./-]*?)(?:@[\w.-]+)?$")
_OPTIONS = ("config-name", "config_name")


def included(read: Read, inputs: Sequence[Input]) -> Iterator[Input | str]:
    """The files that a document names: an input for one that may be read, its name for one that is missing."""
    base = read.document.file.path
    for wanted in dict.fromkeys(_named(read)):
        found = _among(wanted, inputs) or (_beside(wanted, base) if base else None)
        yield found or wanted


def _named(read: Read) -> Iterator[str]:
    keys = {(dialect.normal(key), dialect) for dialect in read.dialects for key in dialect.includes}
    for entry in read.document.reading.entries:
        names = [part for part in entry.path if isinstance(part, str)]
        if names and isinstance(entry.value, str) and any(one.normal(names[-1]) == key for key, one in keys):
            yield from (match[0] for match in _FILE.finditer(entry.value[:400]))
            if names[-1] in _OPTIONS and re.fullmatch(r"[\w-]{1,80}", entry.value):
                yield f"{entry.value}.yaml"
        yield from _hydra(entry)


def _hydra(entry: Entry) -> Iterator[str]:
    """`defaults: [base, optimizer: adam]` names base.yaml and optimizer/adam.yaml."""
    match entry.path:
        case ("defaults", int()) if isinstance(entry.value, str) and entry.value != "_self_":
            yield f"{entry.value.lstrip('/')}.yaml"
        case ("defaults", int(), str() as group) if isinstance(entry.value, str):
            if found := _GROUP.match(group):
                yield f"{found['group']}/{entry.value}.yaml"


def _among(wanted: str, inputs: Iterable[Input]) -> Input | None:
    """An input of this name: the whole relative path where one ends in it, else the last part."""
    parts = Path(wanted.replace("\\", "/").removeprefix("./")).parts
    named = [one for one in inputs if one.kind is Kind.CONFIG and Path(one.name).name == parts[-1]]
    return next(
        (one for one in named if Path(one.name).parts[-len(parts) :] == parts), named[0] if named else None
    )


def _beside(wanted: str, base: Path) -> Input | None:
    """A file in the directory of the one that names it, or below; links that lead out are not followed."""
    root = base.parent.resolve()
    try:
        path = (root / wanted).resolve()
        inside = not Path(wanted).is_absolute() and path.is_relative_to(root) and path.is_file()
    except (OSError, ValueError):
        return None
    if not inside or path == base.resolve():
        return None
    return Input(str(base.parent / wanted), Kind.CONFIG, base.parent / wanted, named=False)
