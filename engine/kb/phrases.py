"""Word groups that patterns share: `{works}` in a pattern stands for the phrase `works`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..regex import regex

_NAME = regex(r"(?<!\\)\{([a-z][a-z0-9-]*)\}")


class UnknownPhrase(KeyError):
    """A pattern names a phrase that does not exist; the argument is the name."""


def spell_out(pattern: str, phrases: Mapping[str, str]) -> str:
    r"""A pattern with its phrases put in, each as a group of its own.

    Only `{lower-case-name}` is a phrase: `{2,5}` stays a count and `\{name}` a text.
    Raises UnknownPhrase for a name that is not in `phrases`.
    """

    def phrase(match: re.Match[str]) -> str:
        if match[1] not in phrases:
            raise UnknownPhrase(match[1])
        return f"(?:{phrases[match[1]]})"

    return _NAME.sub(phrase, pattern)
