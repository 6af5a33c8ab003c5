"""Finds the settings that a run prints: namespaces, dumps of `key: value`, banners, command lines.

They are only found and bounded here; the readers of configurations parse them.
"""

from __future__ import annotations

from collections.abc import Iterable

from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.regex import regex

from ..printed import PrintedSettings
from .printed_openings import DOTTED, FLAG, OPTIMIZER, ending_of
from .prose import NOTE
from .ranks import body_of, prefix_of

MAX_LINES = 600
MAX_BLOCKS = 40
MAX_CHARACTERS = 1 << 16
_PAIR = regex(
    r"""^\s*(?:\[[\w.]+:\d+:\w+\]\s*)?[-|>* "']*[\w./ -]{1,60}?["']?\s*(?:[:=]\s*|\.{3,}\s?|\s{2,}|\s\|\s|\t)\S.*$"""
)
_RAISED = regex(
    r"""^(?:Traceback \(most recent call last\)|\s*File "[^"\n]{1,300}", line \d+|(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception|Interrupt)(?::\s|$))"""
)
"""Lines of a traceback, none of which stands among settings: a call in the code of a frame began the block."""
_PROGRESS = regex(
    r"(?i)%\||^(?=.*\b(?:epoch|step|iter|iteration|batch|update)s?\b\W*\d)(?=.*(?:loss|acc(?:uracy)?|ppl|reward)\b\W{0,4}(?:\d|nan|inf))"
)
"""A bar, or a line that says how far the run is and what it has reached: the settings are over."""
_ASSIGNED = regex(r"^[A-Za-z_]\w* = \S")
"""How a setting of a configuration in Python begins that is printed whole, as OpenMMLab prints it."""
_NESTED_CALL = regex(r"^[A-Za-z_]\w* = (?:dict\(|\[|\{)")
_PARENT = regex(r"^[A-Za-z_][\w-]*:$")
_YAML = regex(r"^(?:\s+\S|- ?\S|[A-Za-z_][\w.-]*:(?:\s|$))")
_ROW_OF = 5
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
        if start in (b"--", b"$ ", b"+ ", b"{\n", b"{") or b" ....." in line:
            return True
        return line.count(b"=") >= _ROW_OF or line.rstrip().endswith(b" (")

    def paste(self, number: int, text: str, format: str) -> None:
        """A person pasted settings and says in which format."""
        if len(self.blocks) < MAX_BLOCKS and len(text) <= MAX_CHARACTERS:
            self.blocks.append(PrintedSettings(self._name, number, text, format))

    def hear(self, number: int, line: bytes, start: int) -> bool:
        """Whether a block of settings begins in this line."""
        if self._how or len(self.blocks) >= MAX_BLOCKS:
            return False
        text = _body(line, start)
        how = ending_of(text)
        if not how:
            return False
        self._first, self._how, self._lines = number, how, []
        self._depth = 0
        self._take(text)
        return True

    def attend(self, number: int, line: bytes) -> bool:
        """Whether the next line belongs to the open block."""
        prefix = prefix_of(line)
        text = _body(line, prefix.end)
        if NOTE.match(text) or _RAISED.match(text):
            self._end()
            return False
        if self._how in ("pairs", "flags", "dotted") and _PROGRESS.search(text):
            self._end()
            return False
        if self._how == "pairs":
            self._turn(text)
        if self._how == "pairs" and not (
            _PAIR.match(text) or (len(self._lines) == 1 and not text.strip("-=* "))
        ):
            self._end()
            return False
        if self._how == "assigned" and self._depth <= 0 and text and not _ASSIGNED.match(text):
            self._end()
            return False
        if self._how == "nested" and (body_of(line, prefix.end) > prefix.end or not _YAML.match(text)):
            self._end()
            return False
        if self._how == "flags" and not FLAG.match(text):
            self._end()
            return False
        if self._how == "dotted" and not DOTTED.match(text):
            self._end()
            return False
        self._take(text)
        return True

    def close(self) -> None:
        """The log is at its end."""
        if self._how:
            self._end()

    def _turn(self, text: str) -> None:
        """What follows a heading may be a whole configuration: in Python, or nested as in YAML."""
        if _NESTED_CALL.match(text) and all(map(_ASSIGNED.match, self._lines[1:])):
            self._how = "assigned"
        elif _PARENT.match(text) and all(map(_YAML.match, self._lines[1:])):
            self._how = "nested"
        else:
            return
        self._first, self._lines = self._first + 1, self._lines[1:]

    def _take(self, text: str) -> None:
        self._lines.append(text)
        match self._how:
            case "assigned":
                self._depth += len(_OPENING.findall(text)) - len(_CLOSING.findall(text))
                finished = False
            case "row":
                finished = True
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
        if self._lines and OPTIMIZER.search(self._lines[0]):
            self._lines = _as_set(self._lines)
        text = "\n".join(self._lines)[:MAX_CHARACTERS]
        enough = self._how not in ("pairs", "flags") or len(self._lines) > 1
        if enough and text.strip() not in ("{", ""):
            self.blocks.append(PrintedSettings(self._name, self._first, text))
        self._how, self._lines = "", []


def _as_set(lines: list[str]) -> list[str]:
    """An optimizer with the rate that it was given: below a schedule it shows the one of the moment, be it 0, as well."""
    if not any(line.lstrip().startswith("initial_lr:") for line in lines):
        return lines
    kept = ("" if line.lstrip().startswith("lr:") else line for line in lines)
    return [line.replace("initial_lr:", "lr:") for line in kept]


def _body(line: bytes, start: int) -> str:
    """The message of a line. Its end is taken off first: a heading that ends in a colon is no name of a logger."""
    line = line.rstrip()
    return line[body_of(line, start) :].decode("utf-8", "replace")
