"""The names and words in a rule's text: what must stand in a file for it to match at all."""

from __future__ import annotations

import re

from traindx.engine.regex import regex

_NAME = regex(r"(?<![$\w])[A-Za-z_]\w*")
_STRING = regex(r"\"[^\"]*\"|'[^']*'")
_KEYWORDS = frozenset(
    [
        "False",
        "None",
        "True",
        "and",
        "else",
        "for",
        "from",
        "if",
        "import",
        "in",
        "is",
        "lambda",
        "not",
        "or",
        "return",
    ]
)
_HARMLESS = regex(r"\\[wdsb.()\[\]{}|*+?^$/-]|\[[^\]^][^\]]*\]")
_ANY_BYTE = regex(r"\.|\[\^|\\[WDSB]")


def names_in(pattern: str) -> set[str]:
    """The names that a pattern writes out."""
    return set(_NAME.findall(_STRING.sub("", pattern))) - _KEYWORDS


def outer_call(pattern: str) -> str:
    """The name that a pattern calls: `step` for `$O.step($X)`; empty where it is no call of a name."""
    depth = 0
    for index in range(len(pattern) - 1, -1, -1) if pattern.endswith(")") else ():
        depth += {")": 1, "(": -1}.get(pattern[index], 0)
        if depth == 0:
            match = re.fullmatch(r"(?:[\w.$()\[\], ]*\.)?([A-Za-z_]\w*)", pattern[:index])
            return match[1] if match else ""
    return ""


def ascii_only(regex: str) -> str:
    r"""The same expression with `\w` and its like for ASCII alone, where that cannot match half a character.

    Unicode classes cost the search a millisecond each time a rule is made ready.
    """
    return regex if _ANY_BYTE.search(_HARMLESS.sub("", regex)) else f"(?-u){regex}"
