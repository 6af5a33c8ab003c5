"""Words of a shell script: what quotes hold, and what variables fill in."""

from __future__ import annotations

from traindx.engine.regex import regex

from .shell_parts import Piece, Script, Word

UNKNOWN = "\ufffc"
"""Stands for what only running the script would tell."""
MAX_CHARACTERS = 2_000_000
"""Characters that all words together may grow to."""
_VARIABLE = regex(r"\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*|\d+)(?:\[[@*]\])?(?::?([-=])([^}]*))?\})")
_QUOTED = regex(r"[^\\\"$`]+")


class Quoting:
    """A place in a script, and the word that grows there."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.script = Script()
        self.piece: Piece | None = None
        self.grown = 0

    def grow(self, start: int, end: int) -> None:
        """Take a stretch of the script into the word."""
        if self.piece is None:
            self.piece = Piece(self.at)
        self.piece.add(self.text[start:end], start)

    def single(self) -> None:
        """Take in what stands in single quotes."""
        end = self.text.find("'", self.at + 1)
        end = len(self.text) if end < 0 else end
        self.open_quotes()
        self.grow(self.at + 1, end)
        self.at = end + 1

    def double(self) -> None:
        """Take in what stands in double quotes."""
        self.open_quotes()
        self.at += 1
        while self.at < len(self.text) and self.text[self.at] != '"':
            char = self.text[self.at]
            if char == "\\" and self.text[self.at + 1 : self.at + 2] in ('"', "\\", "$", "`", "\n"):
                if self.text[self.at + 1] != "\n":
                    self.grow(self.at + 1, self.at + 2)
                self.at += 2
            elif char in "$`":
                self.dollar(quoted=True)
            else:
                plain = _QUOTED.match(self.text, self.at)
                end = plain.end() if plain else self.at + 1
                self.grow(self.at, end)
                self.at = end
        self.at += 1

    def open_quotes(self) -> None:
        """A word starts, even where nothing stands in its quotes."""
        if self.piece is None:
            self.piece = Piece(self.at)
        self.piece.quoted = True

    def dollar(self, *, quoted: bool) -> None:
        """Take in what a variable holds, as far as the script says."""
        found = _VARIABLE.match(self.text, self.at)
        if found is None:
            self.run()
            return
        self.at = found.end()
        words = self.script.variables.get(found[1] or found[2])
        if words is None and found[3]:
            start = found.start(4)
            words = (
                [Word(found[4], list(range(start, start + len(found[4]))))] if "$" not in found[4] else None
            )
        if self.piece is None:
            self.piece = Piece(found.start())
        self.piece.quoted |= quoted
        self.grown += sum(len(word.text) for word in words or ())
        if words is None or self.grown > MAX_CHARACTERS:
            self.piece.add(UNKNOWN, -1)
            return
        for index, word in enumerate(words):
            if index:
                self.piece.take(Word(" ", [-1]), split=True)
            self.piece.take(word, split=not quoted and len(words) == 1)

    def run(self) -> None:
        """Step over a command or an arithmetic expression whose result would be filled in."""
        start = self.at
        if self.text.startswith("$(", start):
            end = closing(self.text, start + 1)
        elif self.text[start] == "`":
            end = self.text.find("`", start + 1) + 1 or len(self.text)
        elif self.text.startswith("${", start):
            end = self.text.find("}", start) + 1 or len(self.text)
        elif self.text[start + 1 : start + 2] in ("", " ", "\n", '"'):
            self.grow(start, start + 1)
            self.at += 1
            return
        else:
            end = start + 2
        if self.piece is None:
            self.piece = Piece(start)
        self.piece.add(UNKNOWN, -1)
        self.at = end


def closing(text: str, at: int) -> int:
    """Behind the bracket that closes the one at an offset."""
    depth = 0
    for offset in range(at, len(text)):
        depth += {"(": 1, ")": -1}.get(text[offset], 0)
        if depth == 0:
            return offset + 1
    return len(text)
