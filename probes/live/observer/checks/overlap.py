"""Which samples of evaluation stood in training, and whether they are many enough to say that a split leaks."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

    Calls = list[tuple[bool, torch.Tensor]]
    """Of each call of a model whether it trained, and some numbers of each sample, a row each."""

LEVELS = 32
"""Inputs of fewer different numbers are codes, such as boards and masks, of which some are alike by themselves."""

PART = 16
"""Samples of an evaluation that are judged together: an evaluation on the training set has all of them from training."""

PARTS, FEW = 3, 0.1
"""So many of them at least; and the share of copies that a single evaluation may have by itself."""


def leaks(calls: Calls) -> bool:
    """Whether most parts of the evaluation hold both copies and other samples. What is trained on later is neither: a sampler may not have drawn it yet.

    A validation set may leak where a test set does not: those that come between the same steps of training are judged alone as well,
    by more than the few copies that many sets have.
    """
    between = _between_trainings(calls)
    many = [copies for copies in between if sum(copies) > FEW * len(copies)]
    return any(_are_mixed(copies) for copies in (list(itertools.chain(*between)), *many))


def _are_mixed(copies: list[bool]) -> bool:
    """Whether most parts hold both. Before or after validation many evaluate the training set as well."""
    parts = _without_ends(_in_parts(copies))
    mixed = sum(0 < sum(part) < PART for part in parts)
    return len(parts) >= PARTS and 2 * mixed >= len(parts)


def all_are_copies(calls: Calls) -> bool | None:
    """Whether nothing was evaluated but samples of training; None where too little was."""
    parts = _in_parts([copy for _, copy, _ in _copies(calls)])
    return all(map(all, parts)) if len(parts) >= PARTS else None


def _between_trainings(calls: Calls) -> list[list[bool]]:
    """Of each evaluation whether its samples are copies, those left out that are trained on later."""
    ever = {row for trains, rows in calls if trains for row in map(tuple, rows.tolist())}
    grouped = itertools.groupby(_copies(calls), key=lambda one: one[2])
    return [[copy for row, copy, _ in group if copy or row not in ever] for _, group in grouped]


def _without_ends(parts: list[list[bool]]) -> list[list[bool]]:
    """Without those of nothing but copies that come first or last."""
    others = [number for number, part in enumerate(parts) if not all(part)]
    return parts[others[0] : others[-1] + 1] if others else []


def _in_parts(copies: list[bool]) -> list[list[bool]]:
    """So many samples at a time."""
    return [copies[start : start + PART] for start in range(0, len(copies) - PART + 1, PART)]


def _copies(calls: Calls) -> Iterator[tuple[tuple[float, ...], bool, int]]:
    """Each sample, when it is evaluated for the first time, whether it was trained on before, and after which call of training. None where nothing can be told.

    What is evaluated a second time before the training goes on counts again: it may stand on both sides. What comes more often,
    as an empty sample, is alike by itself.
    """
    evaluated = not all(trains for trains, _ in calls)
    if not evaluated or len(calls[0][1][:PART].unique()) < LEVELS:
        return
    trained = set[tuple[float, ...]]()
    known: dict[tuple[float, ...], list[int]] = {}
    last = 0
    for number, (trains, rows) in enumerate(calls):
        last = number if trains else last
        for row in map(tuple, rows.tolist()):
            if trains:
                trained.add(row)
            elif (times := known.setdefault(row, [])) in ([], [last]):
                times.append(last)
                yield row, row in trained, last
