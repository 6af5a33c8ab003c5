"""Text of a condition to its words, numbers, texts and signs."""

from __future__ import annotations

import itertools
import re

from ..regex import regex

_ONE = r"""
    (?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?(?![\w.])
  | "(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'
  | [A-Za-z_]\w*(?:\.\w+)*
  | <=|>=|==|!=|[-+*/<>()\[\],]
"""
_TOKEN = regex(rf"\s*({_ONE})", re.VERBOSE)
_ALL = regex(rf"(?:\s*(?>{_ONE}))*+\s*", re.VERBOSE)
END = ""
"""What a parser finds behind the last token."""
_WORDS = frozenset(("and", "or", "not", "in"))
_ESCAPES = {"n": "\n", "t": "\t", '"': '"', "'": "'"}


class ConditionError(ValueError):
    """A condition that does not parse or does not make sense.

    `offset` is where in the text it goes wrong, counted from 0; `wrong` is the word at fault,
    where there is one.
    """

    def __init__(self, message: str, offset: int = 0, wrong: str = "") -> None:
        super().__init__(message)
        self.message, self.offset, self.wrong = message, offset, wrong


def tokens_of(text: str) -> list[str]:
    """The words, numbers, quoted texts and signs of a condition. Raises ConditionError for a character that belongs to none."""
    read = _ALL.match(text)
    if read is not None and read.end() < len(text):
        position = read.end()
        wrong = text[position : position + 12].split()[0]
        hint = "; write == to compare" if wrong.startswith("=") else ""
        raise ConditionError(f"cannot read `{wrong}` here{hint}", position, wrong)
    return _TOKEN.findall(text)


def is_number(token: str) -> bool:
    """Whether a token is a number."""
    return token[:1].isdigit() or token[:1] == "."


def is_text(token: str) -> bool:
    """Whether a token is a text in quotes."""
    return token[:1] in ('"', "'")


def is_name(token: str) -> bool:
    """Whether a token names a fact, a function or a truth, and is no word of the language."""
    return (token[:1].isalpha() or token[:1] == "_") and token not in _WORDS


def offset_of(text: str, number: int) -> int:
    """Where in a condition its token of this number begins, both counted from 0; the end where there are not so many."""
    places = (match.start(1) for match in _TOKEN.finditer(text))
    return next(itertools.islice(places, number, None), len(text))


def unquote(token: str) -> str:
    r"""The text of a quoted string. Only \\n, \\t and escaped quotes are special, so that \\d stays \\d."""
    return re.sub(r"\\([nt\"'])", lambda match: _ESCAPES[match[1]], token[1:-1])
