"""Finds the settings that a run prints: namespaces, dumps of `key: value`, banners, command lines.

They are only found and bounded here; the readers of configurations parse them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.regex import regex

from ..printed import PrintedSettings
from .prose import NOTE
from .ranks import body_of, prefix_of

MAX_LINES = 600
MAX_BLOCKS = 40
MAX_CHARACTERS = 1 << 16
_NAMES = r"cfg|config(?:uration)?s?|args|arguments|hparams|hyper[- _]?parameters|parameters|settings|options|params"
_CALL = regex(
    r"(?:^|[\s:=])(?:Namespace|\w*(?:Arguments|Args|Config|Configuration|HParams|Settings)\w*)\s?\((?=\w|$|\s*$)"
)
_BRACES = regex(rf"(?i)^(?!.{{0,40}}\btrial \d).{{0,60}}\b(?:{_NAMES}|json)\b[^{{}}()]{{0,30}}[:=]?\s*\{{")
_LONE_BRACE = regex(r"^\s*\{\s*$")
_HEADING = regex(rf"(?i)^[\W_]*(?:(?:\w+ ){{0,3}}(?:{_NAMES})|running training(?: /.*)?)[\W_]*$")
_BANNER = regex(r"^==\(\(====\)\)==")
_PAIR = regex(
    r"""^\s*(?:\[[\w.]+:\d+:\w+\]\s*)?[-|>* "']*[\w./ -]{1,60}?["']?\s*(?:[:=]\s*|\.{3,}\s?|\s{2,}|\s\|\s|\t)\S.*$"""
)
_FLAG = regex(r"^\s*--[A-Za-z][\w.-]*(?:\s*[:=]\s*|\s+)\S")
_DOTTED = regex(r"^\s*(?:\[[\w.]+:\d+:\w+\]\s*)?[\w./-]+ ?\.{4,} ?\S")
_COMMAND = regex(
    r"^\s*(?:(?:\$|\+|>|#|\S+@\S+[$#]) +)?(?:\w+=\S+ +){0,6}(?:\S*/)?(?:torchrun|accelerate|deepspeed|python[\d.]*|srun|bash|sh|lightning|llamafactory-cli|axolotl|tune)\s.*"
)
_PROMPT = regex(r"^\s*(?:\$|\+|\S+@\S+[$#]) +\S.* --?\w")
_RAISED = regex(
    r"""^(?:Traceback \(most recent call last\)|\s*File "[^"\n]{1,300}", line \d+|(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception|Interrupt)(?::\s|$))"""
)
"""Lines of a traceback, none of which stands among settings: a call in the code of a frame began the block."""
_PROGRESS = regex(
    r"(?i)%\||^(?=.*\b(?:epoch|step|iter|iteration|batch|update)s?\b\W*\d)(?=.*(?:loss|acc(?:uracy)?|ppl|reward)\b\W{0,4}(?:\d|nan|inf))"
)
"""A bar, or a line that says how far the run is and what it has reached: the settings are over."""
_OPENING = regex(r"[({\[]")
_CLOSING = regex(r"[)}\]]")


class Settings:
    """Collects the blocks of settings of one log."""

    def __init__(self, name: str, knowledge: Knowledge) -> None:
        self.blocks: list[PrintedSettings] = []
        self._name = name
        self._lines: list[str] = []
        self._first = 0
        self._how = ""
        self._depth = 0

    @staticmethod
    def literals() -> Iterable[str]:
        """Words that a line beginning such a block may hold."""
        yield from (
            "namespace", "arguments", "args", "cfg", "config", "hparams", "parameters", "settings", "options",
            "params", "json", "running training", "torchrun", "accelerate", "deepspeed", "python", "srun",
            "unsloth", "llamafactory", "axolotl",
        )  # fmt: skip

    @property
    def open(self) -> bool:
        """Whether a block is being collected."""
        return bool(self._how)

    @staticmethod
    def may_begin(line: bytes) -> bool:
        """Whether a line without any of those words may still begin a block."""
        start = line.lstrip()[:2]
        return start in (b"--", b"$ ", b"+ ", b"{\n", b"{") or b" ....." in line

    def hear(self, number: int, line: bytes, start: int) -> bool:
        """Whether a block of settings begins in this line."""
        if self._how or len(self.blocks) >= MAX_BLOCKS:
            return False
        text = line[body_of(line, start) :].decode("utf-8", "replace").rstrip()
        how = _kind(text)
        if not how:
            return False
        self._first, self._how, self._lines = number, how, []
        self._depth = 0
        self._take(text)
        return True

    def attend(self, number: int, line: bytes) -> bool:
        """Whether the next line belongs to the open block."""
        prefix = prefix_of(line)
        text = line[body_of(line, prefix.end) :].decode("utf-8", "replace").rstrip()
        if NOTE.match(text) or _RAISED.match(text):
            self._end()
            return False
        if self._how in ("pairs", "flags", "dotted") and _PROGRESS.search(text):
            self._end()
            return False
        if self._how == "pairs" and not (
            _PAIR.match(text) or (len(self._lines) == 1 and not text.strip("-=* "))
        ):
            self._end()
            return False
        if self._how == "flags" and not _FLAG.match(text):
            self._end()
            return False
        if self._how == "dotted" and not _DOTTED.match(text):
            self._end()
            return False
        self._take(text)
        return True

    def close(self) -> None:
        """The log is at its end."""
        if self._how:
            self._end()

    def _take(self, text: str) -> None:
        self._lines.append(text)
        match self._how:
            case "balanced":
                self._depth += len(_OPENING.findall(text)) - len(_CLOSING.findall(text))
                finished = self._depth <= 0
            case "command":
                finished = not text.endswith("\\")
            case "banner":
                finished = len(self._lines) >= 6
            case _:
                finished = False
        if finished or len(self._lines) >= MAX_LINES or sum(map(len, self._lines[-1:])) > MAX_CHARACTERS:
            self._end()

    def _end(self) -> None:
        text = "\n".join(self._lines)[:MAX_CHARACTERS]
        enough = self._how not in ("pairs", "flags") or len(self._lines) > 1
        if enough and text.strip() not in ("{", ""):
            self.blocks.append(PrintedSettings(self._name, self._first, text))
        self._how, self._lines = "", []


def _kind(text: str) -> str:
    """How the block that begins with this line ends; empty where none begins."""
    if _CALL.search(text) or _BRACES.match(text) or _LONE_BRACE.match(text):
        return "balanced"
    if _BANNER.match(text):
        return "banner"
    if _HEADING.match(text):
        return "pairs"
    if _FLAG.match(text):
        return "flags"
    if _DOTTED.match(text):
        return "dotted"
    if _PROMPT.match(text) or (_COMMAND.match(text) and re.search(r"\s--?\w|\.py\b|\.ya?ml\b", text)):
        return "command"
    return ""
