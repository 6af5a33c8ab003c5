"""Which facts bring a condition up: without one of them it cannot hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .parse import Node, needs

Triggers = frozenset[str]


def triggers(
    node: Node, may_be_false: Callable[[str], bool], cost: Callable[[str], float]
) -> Triggers | None:
    """Facts of which one must be known, and be something else than false, for a condition to hold.

    None where it may hold without any. Of the parts of an `and` each will do: the one whose facts
    cost least is taken. `may_be_false` says which facts are known where they are false.
    """
    match node:
        case ["fact", name]:
            return frozenset([name])
        case ["said", *_]:
            return needs(node)
        case ["or", *parts]:
            found = [triggers(part, may_be_false, cost) for part in parts]
            return frozenset().union(*filter(None, found)) if all(found) else None
        case ["and", *parts]:
            return _cheapest((triggers(part, may_be_false, cost) for part in parts), cost)
        case ["not", *_] | ["const", *_]:
            return None
        case _:  # what compares or counts is unknown while one of its facts is
            return _cheapest((frozenset([name]) for name in needs(node) if not may_be_false(name)), cost)


def _cheapest(sets: Iterable[Triggers | None], cost: Callable[[str], float]) -> Triggers | None:
    return min(filter(None, sets), key=lambda one: (sum(map(cost, one)), sorted(one)), default=None)
