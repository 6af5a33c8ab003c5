"""The formats that are read and edited, one module each, imported when a file needs it.

A format has these functions:

    read(text) -> Reading
    spell(value, old, text, *, casts) -> str     a value as this format writes it, in the style of the old entry
    insert(text, anchor, keys, raw) -> list[Edit]    new keys behind the entry or section whose span is `anchor`
    remove(text, entry) -> Edit | None           an option or key taken out, where that is possible
    section(keys, raw) -> str                    a section with one key, as the value that it is; of formats where a
                                                 value may be nothing, or an empty section
"""

from __future__ import annotations

import importlib
from typing import Any, Protocol

from traindx.engine.facts import Scalar

from ..document import Entry, Path, Reading, Span
from .edits import Edit

MODULES = {
    "yaml": "yaml_file", "json": "json_file", "toml": "toml_file", "ini": "ini_file", "python": "python_file",
    "shell": "shell_file", "notebook": "notebook", "printed": "printed",
}  # fmt: skip


class Format(Protocol):
    """What a format module offers."""

    def read(self, text: str) -> Reading:
        """Every value in a text, with its place."""
        ...

    def spell(self, value: Scalar, old: Entry | None, text: str, *, casts: bool) -> str:
        """A value as this format writes it."""
        ...

    def insert(self, text: str, anchor: Span, keys: Path, raw: str) -> list[Edit]:
        """New keys behind an anchor."""
        ...

    def remove(self, text: str, entry: Entry) -> Edit | None:
        """An entry taken out."""
        ...

    def section(self, keys: Path, raw: str) -> str:
        """A section as a value, with one key in it, or in the sections inside it."""
        ...


def format_module(name: str) -> Format:
    """The module of a format."""
    module: Any = importlib.import_module(f".{MODULES[name]}", __name__)
    return module  # type: ignore[no-any-return]
