"""The packages whose versions a log lists: `torch==2.1.0`, `pip list`, `conda list`, an environment report."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from traindx.engine.facts import Place
from traindx.engine.regex import regex

from .collected import Collected

_PINNED = regex(r"(?:^|[\s,'\"\[(])([A-Za-z][\w.-]*)==(\d[\w.+!-]*)")
_ONLY_PINNED = regex(r"^\s*(?:\[pip3?\]\s*)?(?:[A-Za-z][\w.-]*(?:\[[\w,]+\])?==\d[\w.+!-]*[\s,;]*)+$")
_TABLE = regex(
    r"^\s*(?:\||#)?\s*(?:Package|Name)\s+\|?\s*Version\b|^\s*\$?.*\b(?:pip3?|conda|uv pip|mamba) (?:list|freeze)\b"
)
_ROW = regex(
    r"^\s*(?:\[(?:pip3?|conda)\]\s+|\|\s*)?([A-Za-z][\w.-]*)\s+\|?\s*(\d+(?:\.\w+)+(?:[+-]\S*)?)(?:\s.*)?$"
)
_RULE = regex(r"^[\s|+=-]*$")
_INSTALLED = regex(r"^\s*Successfully installed ((?:[A-Za-z][\w.-]*-\d[\w.+!]*\s*)+)$")
_ONE_INSTALLED = regex(r"([A-Za-z][\w.-]*?)-(\d[\w.+!]*)(?=\s|$)")

PlaceOf = Callable[[int, bytes], Place]
"""Gives the place of a line, by its number and the line itself."""


class Packages:
    """Reads lists of packages out of one log."""

    def __init__(self, facts: Collected, place: PlaceOf) -> None:
        self._facts, self._place = facts, place
        self.open = False
        """A table of packages is being read."""

    @staticmethod
    def literals() -> Iterable[str]:
        """Words that such lines hold."""
        yield from ("package", "conda", "successfully installed", " pip ", " freeze ")

    @staticmethod
    def may_be(line: bytes) -> bool:
        """Whether a line without any of those words may still name a package."""
        return b"==" in line

    def hear(self, number: int, line: bytes) -> bool:
        """Whether a line lists packages or begins such a list."""
        text = line.decode("utf-8", "replace").rstrip()
        if _ONLY_PINNED.match(text):
            found = _PINNED.findall(text)
        elif installed := _INSTALLED.match(text):
            found = _ONE_INSTALLED.findall(installed[1])
        elif row := re.match(r"^\s*\[(?:pip3?|conda)\]", text) and _ROW.match(text):
            found = [row.groups()]
        else:
            self.open = bool(_TABLE.match(text))
            return self.open
        self._note(found, number, line)
        return True

    def attend(self, number: int, line: bytes) -> bool:
        """Whether the next line is a row of the open table."""
        text = line.decode("utf-8", "replace").rstrip()
        row = _ROW.match(text)
        if row is not None:
            self._note([row.groups()], number, line)
            return True
        if _ONLY_PINNED.match(text):
            self._note(_PINNED.findall(text), number, line)
            return True
        self.open = bool(text) and (
            bool(_RULE.match(text)) or bool(_TABLE.match(text)) or text.startswith("#")
        )
        return self.open

    def _note(self, found: Iterable[tuple[str, ...]], number: int, line: bytes) -> None:
        place = self._place(number, line)
        for name, version in found:
            normal = re.sub(r"[-_.]+", "_", name).lower()
            self._facts.add(f"env.package.{normal}", version, place)
