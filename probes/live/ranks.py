"""Ranks compared: do they hold the same, by their checksums at equal steps?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .processes import Process, number, whole
from .told import LiveFacts

_KINDS = {"parameters": "dist.ranks_drift", "gradients": "dist.gradients_differ"}
"""Column of a `checksum` record -> the fact that says that ranks differ in it."""
ALIKE = 5
"""Steps of which each rank tells what it was given before the same everywhere is no chance."""
Step = tuple[int, int]
"""An optimizer and its step."""


def tell_drift(facts: LiveFacts, processes: Sequence[Process], tolerance: float) -> None:
    """Say whether two ranks disagree. `tolerance` is a share of the larger of two sums."""
    _tell_averaged(facts, processes, tolerance)
    for column, fact in _KINDS.items():
        sums = {one.rank: (one, _sums(one, column)) for one in processes if one.rank is not None}
        common = set.intersection(*(set(own) for _, own in sums.values())) if len(sums) > 1 else set()
        for key in sorted(common, key=lambda key: key[1]):
            values = {rank: own[key] for rank, (_, own) in sums.items()}
            low, high = min(values.values()), max(values.values())
            differ = high - low > tolerance * max(abs(low), abs(high))
            rank = max(values, key=lambda rank: abs(values[rank] - _usual(values)))
            text = ", ".join(f"rank {rank}: {value:.9g}" for rank, value in sorted(values.items())[:8])
            facts.tell(fact, differ, sums[rank][0].place({"step": key[1]}, text))
            if differ:
                break


def _tell_averaged(facts: LiveFacts, processes: Sequence[Process], tolerance: float) -> None:
    """Say whether the ranks train one model: a wrapper averages its gradients, or they are equal in some step.

    Else each may have a model of its own (of an ensemble, of a fold), or they meet now and then, as in local SGD.
    """
    ranks = [one for one in processes if one.rank is not None]
    wrapped = any(record.get("wrapped") for one in ranks for record in one.of("checksum"))
    sums = [_sums(one, "gradients") for one in ranks]
    common = set.intersection(*map(set, sums)) if len(sums) > 1 else set()
    values = [[own[key] for own in sums] for key in common]
    equal = any(max(one) - min(one) <= tolerance * max(one) for one in values if max(one) > 0)
    if wrapped or values:
        facts.tell("dist.gradients_averaged", wrapped or equal, ranks[0].place({}))


def tell_same_samples(facts: LiveFacts, processes: Sequence[Process]) -> None:
    """Say whether all ranks are given the same in each step that was looked at, which is another one each time."""
    ranks = [one for one in processes if one.rank is not None]
    given = [_sums(one, "given") for one in ranks]
    common = set.intersection(*map(set, given)) if len(given) > 1 else set()
    differ = any(len({own[key] for own in given}) > 1 for key in common)
    if differ or len({given[0][key] for key in common}) >= ALIKE:
        facts.tell("dist.same_samples", not differ, ranks[0].place({"step": max(common)[1]}))


def _sums(process: Process, column: str) -> Mapping[Step, float]:
    found = {}
    for record in process.of("checksum"):
        value, step = number(record.get(column)), whole(record.get("step"))
        if value is not None and step is not None:
            found[whole(record.get("optimizer")) or 0, step] = value
    return found


def _usual(values: Mapping[int, float]) -> float:
    ordered = sorted(values.values())
    return ordered[len(ordered) // 2]
