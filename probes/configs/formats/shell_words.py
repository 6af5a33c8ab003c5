"""A shell script as commands and words. Every character keeps the place in the script it came from,
so that an option that was put together from variables can still be changed where it is written."""

from __future__ import annotations

import re

from traindx.engine.regex import regex

from .edits import line_of
from .shell_parts import MAX_WORD, Command, Heredoc, Script, Word
from .shell_quotes import Quoting, closing

_ASSIGNED = regex(r"([A-Za-z_]\w*)(\+?)=")
_PLAIN = regex(r"[^\\^'\"$`\s#<>();&|]+")
_BATCH = regex(r"(?im)^@echo off\b|[ \t]\^\r?$")
"""What a batch file of Windows shows itself by: there a backslash stands between folders and escapes nothing."""
_SPACE = " \t"
_REDIRECT = regex(r"[<>]+&?[\d-]*|[<>]\(")
_STOPS = ";&|\n()"
_HEREDOC = regex(r"<<(-?)[ \t]*(?:'([^'\n]+)'|\"([^\"\n]+)\"|([\w.]+))")


def split(text: str) -> Script:
    """Read a script. Nothing is run; what would need running is UNKNOWN."""
    return _Splitter(text).whole()


class _Splitter(Quoting):
    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.command = Command()
        self.waiting: list[tuple[str, bool, bool, Command]] = []
        self.redirects = self.cut = self.below_cut = False
        self.batch = "\\\n" not in text and _BATCH.search(text) is not None

    def whole(self) -> Script:
        while self.at < len(self.text):
            self.step()
        self.end_word()
        self.end_command()
        return self.script

    def step(self) -> None:
        char = self.text[self.at]
        if (char == "\\" and not self.batch) or (
            char == "^" and self.text[self.at + 1 : self.at + 2] in ("\r", "\n")
        ):
            self.escape()
        elif char == "'":
            self.single()
        elif char == '"':
            self.double()
        elif char in "$`":
            self.dollar(quoted=False)
        elif char in _SPACE or char == "\r":
            self.end_word()
            self.at += 1
        elif char == "#" and self.piece is None:
            self.comment()
        elif char in "<>":
            self.redirect()
        elif char == "(" and self.opens_array():
            self.array()
        elif char in _STOPS:
            self.stop(char)
        else:
            plain = _PLAIN.match(self.text, self.at)
            end = plain.end() if plain else self.at + 1
            self.grow(self.at, end)
            self.at = end

    def end_word(self) -> None:
        if self.piece is None:
            return
        words = self.piece.words(self.at)
        self.piece = None
        if self.redirects:
            self.command.writes, self.redirects = (words[0].text if words else ""), False
            return
        if len(words) == 1 and not self.command.words and (found := _ASSIGNED.match(words[0].text)):
            self.assign(found, words[0])
        self.command.words += words

    def assign(self, found: re.Match[str], word: Word) -> None:
        value = word.part(found.end())
        if found[2]:
            before = self.script.variables.get(found[1], [])
            parts = [*before, value]
            value = Word(
                "".join(one.text for one in parts)[:MAX_WORD],
                [at for one in parts for at in one.offsets][:MAX_WORD],
            )
        self.script.variables[found[1]] = [value]

    def end_command(self) -> None:
        words = self.command.words
        # Options on lines of their own are an excerpt; below a command that was cut off nobody reads them.
        lost = self.below_cut and bool(words) and words[0].text.startswith("-")
        if (words or self.command.heredocs) and not lost:
            self.remember_exports()
            self.script.commands.append(self.command)
        self.below_cut, self.cut = (self.cut if words else self.below_cut), False
        self.command, self.redirects = Command(), False

    def remember_exports(self) -> None:
        words = self.command.words
        if words and words[0].text in ("export", "declare", "local", "readonly", "typeset", "env"):
            for word in words[1:]:
                if found := _ASSIGNED.match(word.text):
                    self.assign(found, word)

    def stop(self, char: str) -> None:
        self.end_word()
        self.at += 1
        if char == "\n":
            waiting, self.waiting = self.waiting, []
            for one in waiting:
                self.heredoc(*one)
        self.end_command()

    def escape(self) -> None:
        following = self.text[self.at + 1 : self.at + 3]
        if following[:1] == "\n" or following == "\r\n":
            self.at += 2 if following[:1] == "\n" else 3
            self.end_word_at_continuation()
        else:
            if re.compile(r"[ \t]+\r?\n").match(self.text, self.at + 1):
                self.script.broken_continuations.append(self.at)
                self.cut = True
            if following:
                self.grow(self.at + 1, self.at + 2)
            self.at += 2

    def end_word_at_continuation(self) -> None:
        """A word may go on over a continued line, but one that starts with blanks is a new word."""
        if self.text[self.at : self.at + 1] in (" ", "\t"):
            self.end_word()

    def comment(self) -> None:
        end = line_of(self.text, self.at)[1]
        self.script.comments.append((self.at, end))
        if self.command.words and self.text[self.at : end].rstrip().endswith("\\"):
            self.script.comments_within.append(self.at)
            self.cut = True
        self.at = end

    def redirect(self) -> None:
        found = _HEREDOC.match(self.text, self.at)
        if found and not self.text.startswith("<<<", self.at):
            mark = next(one for one in found.groups()[1:] if one)
            self.end_word()
            self.waiting.append((mark, bool(found[1]), found[4] is None, self.command))
            self.at = found.end()
            return
        if self.piece and "".join(self.piece.chars).isdigit():
            self.piece = None
        self.end_word()
        sign = found[0] if (found := _REDIRECT.match(self.text, self.at)) else ">"
        if self.text.startswith("(", self.at + 1):
            self.at, self.redirects = closing(self.text, self.at + 1), False
            return
        self.at += len(sign)
        self.redirects = sign.endswith(">")
        if sign.endswith("<"):
            self.at = _next_word(self.text, self.at)

    def heredoc(self, mark: str, strips: bool, plain: bool, command: Command) -> None:
        indent = "[ \t]*" if strips else ""
        last = re.compile(rf"^{indent}{re.escape(mark)}[ \t]*\r?$", re.MULTILINE)
        found = last.search(self.text, self.at)
        end = found.start() if found else len(self.text)
        command.heredocs.append(Heredoc(self.at, end, plain))
        self.at = min(found.end() + 1, len(self.text)) if found else len(self.text)

    def opens_array(self) -> bool:
        return self.piece is not None and bool(_ASSIGNED.fullmatch("".join(self.piece.chars[:200])))

    def array(self) -> None:
        """`NAME=(word word)`: its words become the value of the variable."""
        found = _ASSIGNED.fullmatch("".join(self.piece.chars)) if self.piece else None
        self.piece = None
        outer, self.command = self.command, Command()
        self.at += 1
        while self.at < len(self.text) and self.text[self.at] != ")":
            if self.text[self.at] == "\n":
                self.end_word()
                self.at += 1
            else:
                self.step()
        self.end_word()
        self.at += 1
        words, self.command = self.command.words, outer
        if found:
            before = self.script.variables.get(found[1], []) if found[2] else []
            self.script.variables[found[1]] = [*before, *words]


def _next_word(text: str, at: int) -> int:
    found = re.compile(r"[ \t]*[^\s;&|]*").match(text, at)
    return found.end() if found else at
