"""The literal text that a regular expression cannot match without: what a fast scan looks for first."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

MOST_GROUPS = 3
_AROUND = (sre.LITERAL, sre.IN, sre.AT, sre.ASSERT, sre.ASSERT_NOT)
"""What may stand beside an alternation that is still the whole pattern."""


def literals(pattern: str) -> tuple[str, ...]:
    """Texts of which every match contains at least one, in lower case; empty where there are none.

    `a (?:cat|dog) ran off` gives `(" ran off",)`: of what must be there, the longest. An alternation
    gives one text for each branch: `CUDA error|NCCL error`.
    """
    tree = _parser.parse(pattern)
    return tuple(sorted({text.lower() for text in _best(list(tree))}))


def needs(pattern: str) -> tuple[tuple[tuple[str, ...], ...], ...]:
    """What each wording of a pattern cannot match without: of every group at least one text, in lower case.

    `loss.{0,9}(?:is|was) nan|nan loss` gives two wordings: the first needs a text of each of the groups
    `(" nan",)`, `("loss",)` and `("is", "was")`, the second `("nan loss",)`. The groups hardest to meet
    come first, and at most MOST_GROUPS of them are kept.
    """
    wordings = {_groups(items) for items in _wordings(list(_parser.parse(pattern)))}
    return tuple(sorted(wordings))


def _groups(items: list[Any]) -> tuple[tuple[str, ...], ...]:
    groups = {tuple(sorted({text.lower() for text in texts})) for texts in _candidates(items)}
    ranked = sorted(groups, key=lambda texts: (-min(map(len, texts)), len(texts), texts))
    return tuple(texts for texts in ranked if min(map(len, texts)) > 1)[:MOST_GROUPS]


def _wordings(items: list[Any]) -> Iterator[list[Any]]:
    """The branches of a pattern that is one alternation, each with what the parser took out of them all."""
    branches = [place for place, (kind, _) in enumerate(items) if kind is sre.BRANCH]
    if len(branches) != 1 or not all(kind in _AROUND for kind, _ in items if kind is not sre.BRANCH):
        yield items
        return
    place = branches[0]
    for branch in items[place][1][1]:
        yield from _wordings([*items[:place], *branch, *items[place + 1 :]])


def _best(items: list[Any]) -> frozenset[str]:
    """The best set for a sequence: the one whose shortest text is longest."""
    return max(_candidates(items), key=lambda texts: (min(map(len, texts)), -len(texts)), default=frozenset())


def _candidates(items: list[Any]) -> Iterator[frozenset[str]]:
    run = ""
    for kind, argument in items:
        if kind is sre.LITERAL:
            run += chr(argument)
            continue
        if run:
            # The parser takes out what branches begin with alike: `lr|learning` is `l(?:r|earning)`.
            branches = argument[1] if kind is sre.BRANCH else ()
            yield frozenset(run + _lead(branch) for branch in branches) or frozenset({run})
            run = ""
        if inner := _inside(kind, argument):
            yield inner
    if run:
        yield frozenset({run})


def _lead(items: Any) -> str:
    """The literal text that a sequence begins with."""
    texts = itertools.takewhile(lambda item: item[0] is sre.LITERAL, items)
    return "".join(chr(argument) for _, argument in texts)


def _inside(kind: Any, argument: Any) -> frozenset[str]:
    if kind is sre.SUBPATTERN:
        return _best(list(argument[3]))
    if kind is sre.BRANCH:
        branches = [_best(list(branch)) for branch in argument[1]]
        return frozenset().union(*branches) if all(branches) else frozenset()
    if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT, getattr(sre, "POSSESSIVE_REPEAT", None)) and argument[0] > 0:
        return _best(list(argument[2]))
    return frozenset()


__all__ = ["literals", "needs", "re"]
