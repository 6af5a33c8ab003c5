"""A regular expression as the texts it is made of: a reader that knows what the search for literals needs, and no more.

Python's own parser goes character by character; with it, reading the patterns of the knowledge base would take
longer than all the rest of compiling. Whether a pattern is a regular expression at all is for others to say:
what cannot be followed here is a gap, of which nothing is known.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple, TypeAlias

from ..regex import regex


class Gap(Enum):
    """A part of a pattern that is no text."""

    ONE = "one character of several"
    ANY = "whatever"


class Group(NamedTuple):
    """A part that matches one of its branches, at least once."""

    branches: list[Sequence]
    repeats: bool = False


Sequence: TypeAlias = "list[str | Gap | Group]"
"""Parts that match one after the other. What takes no character, such as a word boundary, is left out."""

_REPEAT = r"(?: [*+?] | \{ (?: \d+ (?: , \d* )? | , \d* ) \} ) [?+]?"
_TOKEN = regex(
    rf"""
    (?P<text> [^\\\[\](){{}}|.*+?^$]+ )
  | (?P<edge> \\[bBAZ] | [\^$] | \(\? [aiLmsu]+ \) )
  | (?P<repeat> {_REPEAT} )
  | (?P<escape> \\ (?: x[0-9a-fA-F]{{2}} | u[0-9a-fA-F]{{4}} | U[0-9a-fA-F]{{8}} | N\{{[^}}]*\}} | \d+ | . ) )
  | (?P<set> \[ \^? \]? (?: [^\]\\] | \\. )* \] )
  | (?P<open> \( (?: (?!\?) | \? (?: P?<\w+> | [aiLmsu-]*: | > ) ) )
  | (?P<look> \(\? <? [=!] )
  | (?P<bar> \| )
  | (?P<close> \) (?P<repeated> (?= {_REPEAT} ) )? )
  | (?P<one> \. )
  | (?P<same> \(\?P= \w+ \) )
  | (?P<plain> [\]{{}}] )
  | (?P<beyond> . )
    """,
    re.VERBOSE | re.DOTALL,
)
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}


def branches_of(pattern: str) -> list[Sequence]:
    """The alternatives that a pattern is made of."""
    outside: list[tuple[str, list[Sequence]]] = []
    branches: list[Sequence] = [[]]
    for token in _TOKEN.finditer(pattern):
        kind = token.lastgroup
        if kind == "edge":
            continue
        if kind in ("text", "plain"):
            append(branches[-1], token[0])
        elif kind == "bar":
            branches.append([])
        elif kind == "repeat":
            _repeat(branches[-1], token[0])
        elif kind in ("open", "look"):
            outside.append((kind, branches))
            branches = [[]]
        elif kind == "close" and outside:
            opened, around = outside.pop()
            if opened == "open":
                alone = len(branches) == 1 and token["repeated"] is None
                append(around[-1], *(branches[0] if alone else [Group(branches)]))
            branches = around
        elif kind == "escape":
            append(branches[-1], _escaped(token[0]))
        elif kind == "set":
            append(branches[-1], _set(token[0][1:-1]))
        elif kind == "one":
            append(branches[-1], Gap.ONE)
        elif kind == "same":
            append(branches[-1], Gap.ANY)
        else:
            return [[Gap.ANY]]
    return [[Gap.ANY]] if outside else branches


def append(sequence: Sequence, *parts: str | Gap | Group) -> None:
    """Put parts behind a sequence; texts that meet become one."""
    for part in parts:
        if sequence and isinstance(part, str) and isinstance(last := sequence[-1], str):
            sequence[-1] = last + part
        else:
            sequence.append(part)


def _escaped(text: str) -> str | Gap:
    letter = text[1]
    if letter in "dDsSwWN":
        return Gap.ONE
    if not letter.isalnum():
        return letter
    if letter in "xuU" and len(text) > 2:
        return chr(int(text.lstrip("\\xuU"), 16))
    return _CONTROLS.get(letter, Gap.ANY)


def _set(inside: str) -> str | Gap:
    """A set of characters: the text it stands for where it holds just one."""
    if len(inside) == 2 and inside[0] == "\\" and not inside[1].isalnum():
        return inside[1]
    return inside if len(inside) == 1 else Gap.ONE


def _repeat(sequence: Sequence, count: str) -> None:
    """Let the last part repeat; of a text, that is its last character."""
    if not sequence:
        return
    last = sequence.pop()
    if isinstance(last, str):
        append(sequence, *filter(None, [last[:-1]]))
        last = Group([[last[-1]]])
    optional = count[0] in "*?" or count.startswith(("{0", "{,"))
    sequence.append(Gap.ANY if optional or isinstance(last, Gap) else last._replace(repeats=True))
