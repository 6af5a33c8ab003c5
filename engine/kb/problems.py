"""Mistakes in a knowledge base: each with its place, what was expected and the nearest valid word."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One mistake in one file."""

    file: str
    line: int
    column: int
    message: str
    hint: str = ""
    """What to do, or the nearest valid word."""
    source: tuple[tuple[int, str], ...] = ()
    """The lines around it, numbered."""

    def __str__(self) -> str:
        lines = [f"{self.file}:{self.line}:{self.column}: {self.message}"]
        width = len(str(self.source[-1][0])) if self.source else 0
        for number, text in self.source:
            lines.append(f"  {'>' if number == self.line else ' '} {number:>{width}} | {text}")
        if self.hint:
            lines.append(f"  {self.hint}")
        return "\n".join(lines)


class KnowledgeError(Exception):
    """A knowledge base with mistakes. Holds all of them, in the order of files and lines."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(set(problems)))
        count = len(self.problems)
        super().__init__(
            "\n\n".join(map(str, self.problems))
            + f"\n\n{count} mistake{'s' * (count != 1)} in the knowledge base"
        )


def nearest(word: str, known: Iterable[str]) -> str:
    """`did you mean X?`, or nothing where no known word is close."""
    close = difflib.get_close_matches(word, list(known), n=3, cutoff=0.6)
    return f"did you mean {' or '.join(f'`{one}`' for one in close)}?" if close else ""
