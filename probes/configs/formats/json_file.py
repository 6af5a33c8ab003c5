"""JSON: read with places, also with comments and trailing commas, and edited."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from traindx.engine.regex import regex
from traindx.engine.yaml_nodes import MAX_DEPTH

from ..document import MAX_ENTRIES, Entry, Path, Problem, Reading, Span
from .json_edit import insert, remove, section, spell

_SPACE = regex(r"[ \t\r\n]+")
_COMMENT = regex(r"//[^\r\n]*|#[^\r\n]*|/\*(?:[^*]|\*(?!/))*\*/")
_STRING = regex(r'"(?:[^"\\\r\n]|\\.)*"|\'(?:[^\'\\\r\n]|\\.)*\'')
_WORD = regex(r"[^\s,:\[\]{}\"'/#]+")
_NUMBER = regex(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?")
_WORDS: dict[str, Any] = {
    "true": True, "false": False, "null": None, "NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf"),
}  # fmt: skip
_MEANT = {"true": "true", "false": "false", "none": "null", "null": "null", "nan": "NaN"}


class _Broken(Exception):
    def __init__(self, message: str, at: int, kind: str = "syntax") -> None:
        super().__init__(message)
        self.problem = Problem(message, at, kind)


def read(text: str) -> Reading:
    """Every value of a JSON text. What only a tolerant reader accepts is noted as `loose`."""
    reader = _Reader(text)
    try:
        reader.whole()
    except _Broken as broken:
        reader.problems.append(broken.problem)
    return Reading(tuple(reader.entries.values()), tuple(reader.problems), sections=reader.sections)


class _Reader:
    """Recursive descent. Depth and number of values are bounded; of two equal keys the last counts."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self.count = text, 0, 0
        self.entries: dict[Path, Entry] = {}
        self.problems: list[Problem] = []
        self.sections: dict[Path, Span] = {}

    def whole(self) -> None:
        self.skip()
        if self.at == len(self.text):
            raise _Broken("no settings", 0, "note")
        self.value((), None)
        self.skip()
        if self.at < len(self.text):
            raise _Broken(f"expected the end, found {self.found()}", self.at)

    def skip(self) -> None:
        """Step over space and comments."""
        while self.at < len(self.text):
            if space := _SPACE.match(self.text, self.at):
                self.at = space.end()
            elif comment := _COMMENT.match(self.text, self.at):
                self.loose("a comment, which Python's json module refuses", self.at)
                self.at = comment.end()
            else:
                return

    def loose(self, message: str, at: int) -> None:
        """Note the first of its kind; the rest say nothing new."""
        if all(one.message != message for one in self.problems):
            self.problems.append(Problem(message, at, "loose"))

    def found(self) -> str:
        return f"`{self.text[self.at]}`" if self.at < len(self.text) else "the end of the text"

    def takes(self, mark: str) -> bool:
        if not self.text.startswith(mark, self.at):
            return False
        self.at += 1
        return True

    def value(self, path: Path, key: int | None) -> None:
        self.count += 1
        if self.count > MAX_ENTRIES:
            raise _Broken(f"more than {MAX_ENTRIES} values, which no configuration has", self.at, "note")
        if len(path) > MAX_DEPTH:
            raise _Broken("nested too deeply", self.at, "note")
        start, opening = self.at, self.text[self.at : self.at + 1]
        if opening not in ("{", "["):
            value, style = self.scalar()
            self.add(path, value, start, key, style)
            return
        empty = self.mapping(path) if opening == "{" else self.list(path)
        if empty:
            self.add(path, {} if opening == "{" else [], start, key, "")
        elif key is not None:
            self.sections[path] = (key, self.at)

    def add(self, path: Path, value: Any, start: int, key: int | None, style: str) -> None:
        whole = None if key is None else (key, self.at)
        self.entries[path] = Entry(path, value, start, (start, self.at), whole, style)

    def mapping(self, path: Path) -> bool:
        """Read a mapping; whether it was empty."""
        seen: set[str] = set()
        for _ in self.items("}"):
            start = self.at
            key = self.key()
            if key in seen:
                self.problems.append(Problem(f"the key `{key}` stands twice", start, "duplicate"))
            seen.add(key)
            self.value((*path, key), start)
        return not seen

    def key(self) -> str:
        string = _STRING.match(self.text, self.at)
        if string is None:
            raise _Broken(f"expected a key in double quotes, found {self.found()}", self.at)
        self.at = string.end()
        key = self.string(string)
        self.skip()
        if not self.takes(":"):
            raise _Broken(f"expected `:` after the key `{key[:60]}`, found {self.found()}", self.at)
        self.skip()
        return key

    def list(self, path: Path) -> bool:
        """Read a list; whether it was empty."""
        index = -1
        for index, _ in enumerate(self.items("]")):
            self.value((*path, index), None)
        return index < 0

    def items(self, closing: str) -> Iterator[None]:
        """Stop at each item in turn, from the opening bracket to behind the closing one."""
        self.at += 1
        self.skip()
        while not self.takes(closing):
            yield
            self.skip()
            comma = self.at
            if self.takes(","):
                self.skip()
                if self.text.startswith(closing, self.at):
                    self.loose("a comma too many before the end, which JSON does not allow", comma)
            elif not self.text.startswith(closing, self.at):
                raise _Broken(f"expected `,` or `{closing}`, found {self.found()}", self.at)

    def scalar(self) -> tuple[Any, str]:
        """A value that holds no others, and its quote."""
        if string := _STRING.match(self.text, self.at):
            self.at = string.end()
            return self.string(string), string[0][0]
        word = _WORD.match(self.text, self.at)
        if word is None:
            raise _Broken(f"expected a value, found {self.found()}", self.at)
        if word[0] in _WORDS:
            value = _WORDS[word[0]]
        elif _NUMBER.fullmatch(word[0]):
            value = float(word[0]) if any(mark in word[0] for mark in ".eE") else int(word[0][:400])
        else:
            meant = _MEANT.get(word[0].lower())
            hint = f"; write `{meant}`" if meant else ""
            raise _Broken(f"`{word[0][:40]}` is no JSON value{hint}", self.at)
        self.at = word.end()
        return value, ""

    def string(self, found: re.Match[str]) -> str:
        if found[0][0] == "'":
            self.problems.append(Problem("text in single quotes, which JSON does not allow", found.start()))
            return found[0][1:-1]
        try:
            return str(json.loads(found[0], strict=False))
        except ValueError as error:
            raise _Broken(str(error).split(":")[0], found.start()) from None


__all__ = ["insert", "read", "remove", "section", "spell"]
