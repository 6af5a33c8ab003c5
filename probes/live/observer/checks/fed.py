"""Which forwards a loss was computed from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..graphs import mark_of, nodes_below
from ..reached import NODES

Mark = tuple[str, int]
"""What `mark_of` gives for the last node of what a forward gave."""


def count_unused(marks: Iterable[Mark], last: Any) -> int:
    """How many forwards have no part in the graph that ends in `last`; all of them where there is none."""
    fed = {mark_of(node) for node in nodes_below(last, NODES)}
    return sum(mark not in fed for mark in marks)
