"""The literal text that a regular expression cannot match without: what a fast scan looks for first."""

from __future__ import annotations

import itertools
import re
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any


def literals(pattern: str) -> tuple[str, ...]:
    """Texts of which every match contains at least one, in lower case; empty where there are none.

    `a (?:cat|dog) ran off` gives `(" ran off",)`: of what must be there, the longest. An alternation
    gives one text for each branch: `CUDA error|NCCL error`.
    """
    tree = _parser.parse(pattern)
    return tuple(sorted({text.lower() for text in _best(list(tree))}))


def _best(items: list[Any]) -> frozenset[str]:
    """The best set for a sequence: the one whose shortest text is longest."""
    candidates: list[frozenset[str]] = []
    run = ""
    for kind, argument in items:
        if kind is sre.LITERAL:
            run += chr(argument)
            continue
        if run:
            # The parser takes out what branches begin with alike: `lr|learning` is `l(?:r|earning)`.
            branches = argument[1] if kind is sre.BRANCH else ()
            candidates.append(frozenset(run + _lead(branch) for branch in branches) or frozenset({run}))
            run = ""
        if inner := _inside(kind, argument):
            candidates.append(inner)
    if run:
        candidates.append(frozenset({run}))
    return max(candidates, key=lambda texts: (min(map(len, texts)), -len(texts)), default=frozenset())


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


__all__ = ["literals", "re"]
