"""The literal text that a regular expression cannot match without: what a fast scan looks for first."""

from __future__ import annotations

from collections.abc import Iterator

from .patterns import Gap, Group, Sequence, append, branches_of

MOST_GROUPS = 3
SHORTEST_IN_PROSE = 2
"""The shortest text worth looking for in sentences: `lr`, or a word of Chinese."""


def literals(pattern: str) -> tuple[str, ...]:
    """Texts of which every match contains at least one, in lower case; empty where there are none.

    `a (?:cat|dog) ran off` gives `(" ran off",)`: of what must be there, the longest. An alternation
    gives one text for each branch: `CUDA error|NCCL error`.
    """
    texts = {text.lower() for text in _one_of_each(branches_of(pattern))}
    return tuple(sorted(text for text in texts if not any(one in text for one in texts if one != text)))


def needs(pattern: str) -> tuple[tuple[tuple[str, ...], ...], ...]:
    """What each wording of a pattern cannot match without: of every group at least one text, in lower case.

    `loss.{0,9}(?:is|was) nan|nan loss` gives two wordings: the first needs a text of each of the groups
    `(" nan",)`, `("loss",)` and `("is", "was")`, the second `("nan loss",)`. The groups hardest to meet
    come first, and at most MOST_GROUPS of them are kept.
    """
    wordings = {_groups(wording) for branch in branches_of(pattern) for wording in _wordings(branch)}
    return tuple(sorted(wordings))


def _groups(sequence: Sequence) -> tuple[tuple[str, ...], ...]:
    groups = {tuple(sorted({text.lower() for text in texts})) for texts in _candidates(sequence)}
    ranked = sorted(groups, key=lambda texts: (-min(map(len, texts)), len(texts), texts))
    return tuple(texts for texts in ranked if min(map(len, texts)) >= SHORTEST_IN_PROSE)[:MOST_GROUPS]


def _wordings(sequence: Sequence) -> Iterator[Sequence]:
    """The branches of a sequence that is one alternation, each with the text around it."""
    group = next((part for part in sequence if isinstance(part, Group)), None)
    if (
        group is None
        or group.repeats
        or not all(part is group or isinstance(part, str) or part is Gap.ONE for part in sequence)
    ):
        yield sequence
        return
    place = sequence.index(group)
    for branch in group.branches:
        wording = sequence[:place]
        append(wording, *branch, *sequence[place + 1 :])
        yield from _wordings(wording)


def _one_of_each(branches: list[Sequence]) -> frozenset[str]:
    """The best texts of every branch; none where one branch has none."""
    found = [_best(branch) for branch in branches]
    return frozenset().union(*found) if all(found) else frozenset()


def _best(sequence: Sequence) -> frozenset[str]:
    """The best set for a sequence: the one whose shortest text is longest."""
    if len(sequence) == 1 and isinstance(sequence[0], str):
        return frozenset(sequence)  # type: ignore[arg-type]
    return max(_candidates(sequence), key=_worth, default=frozenset())


def _worth(texts: frozenset[str]) -> tuple[int, int]:
    return min(map(len, texts)), -len(texts)


def _candidates(sequence: Sequence) -> Iterator[frozenset[str]]:
    """Sets of texts: a match of the sequence contains one of each."""
    run = ""
    for part in sequence:
        if isinstance(part, str):
            run = part
            continue
        if isinstance(part, Group):
            if run:
                leads = [_lead(branch) for branch in part.branches]
                yield frozenset(run + lead for lead in leads) if all(leads) else frozenset({run})
            if inside := _one_of_each(part.branches):
                yield inside
        elif run:
            yield frozenset({run})
        run = ""
    if run:
        yield frozenset({run})


def _lead(sequence: Sequence) -> str:
    """The text that a sequence begins with."""
    return sequence[0] if sequence and isinstance(sequence[0], str) else ""


__all__ = ["SHORTEST_IN_PROSE", "literals", "needs"]
