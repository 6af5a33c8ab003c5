"""Text of a condition to its words, numbers, texts and signs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..regex import regex

_TOKEN = regex(
    r"""\s*(?:
        (?P<number>(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?(?![\w.]))
      | (?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
      | (?P<name>[A-Za-z_]\w*(?:\.\w+)*)
      | (?P<sign><=|>=|==|!=|[-+*/<>()\[\],])
      | (?P<end>\Z)
      | (?P<unknown>\S))""",
    re.VERBOSE,
)
_ESCAPES = {"n": "\n", "t": "\t", '"': '"', "'": "'"}


class ConditionError(ValueError):
    """A condition that does not parse or does not make sense.

    `offset` is where in the text it goes wrong, counted from 0; `wrong` is the word at fault,
    where there is one.
    """

    def __init__(self, message: str, offset: int = 0, wrong: str = "") -> None:
        super().__init__(message)
        self.message, self.offset, self.wrong = message, offset, wrong


def tokens_of(text: str) -> Iterator[tuple[str, str, int]]:
    """Kind, text and offset of every token; the last one is of the kind `end`.

    Raises ConditionError for a character that belongs to none.
    """
    for match in _TOKEN.finditer(text):
        kind = str(match.lastgroup)
        token, position = match[kind], match.start(kind)
        if kind == "unknown":
            wrong = text[position : position + 12].split()[0]
            raise ConditionError(f"cannot read `{wrong}` here", position, wrong)
        yield kind, token, position
        if kind == "end":
            return


def unquote(token: str) -> str:
    r"""The text of a quoted string. Only \\n, \\t and escaped quotes are special, so that \\d stays \\d."""
    return re.sub(r"\\([nt\"'])", lambda match: _ESCAPES[match[1]], token[1:-1])
