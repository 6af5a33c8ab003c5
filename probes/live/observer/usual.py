"""Which gradient norms are usual in a run."""

from __future__ import annotations

import statistics
from collections import deque

EXPLODING = 1e3
"""A gradient norm above which a step is looked at, if it is JUMP times the usual one. Source: the playbooks."""

JUMP = 20.0

KNOWN = 5
"""Norms after which it is known what is usual."""

LAST = 50
"""Norms that count."""


class UsualNorm:
    """The last gradient norms of a run."""

    def __init__(self) -> None:
        self._norms: deque[float] = deque(maxlen=LAST)

    def is_far_beyond(self, norm: float) -> bool:
        """Whether a norm, finite, explodes by what the run was used to. It counts for the next ones."""
        known = norm > EXPLODING and len(self._norms) >= KNOWN
        beyond = known and norm > JUMP * statistics.median(self._norms)
        self._norms.append(norm)
        return beyond
