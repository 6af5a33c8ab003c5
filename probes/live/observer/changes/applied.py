"""Whether a change took effect, and how a function of the run is replaced for it."""

from __future__ import annotations

import functools
from typing import Any, Callable

from ..journal import Journal


class Applied:
    """Called when a change takes effect; the first time is recorded."""

    def __init__(self, journal: Journal, name: str) -> None:
        self._journal = journal
        self._name = name
        self._said = False

    def __call__(self) -> None:
        """Now."""
        if not self._said:
            self._said = True
            self._journal.record("changed", change=self._name)


def wrap(owner: Any, name: str, around: Callable[..., Any]) -> None:
    """Put `around(original, *args, **kwargs)` in the place of `owner.name`. Raises AttributeError."""
    original = getattr(owner, name)

    @functools.wraps(original)
    def changed(*args: Any, **kwargs: Any) -> Any:
        return around(original, *args, **kwargs)

    setattr(owner, name, changed)


def is_one_of(value: Any, *allowed: Any) -> Any:
    """The value of a change, checked. Raises ValueError."""
    if value not in allowed:
        raise ValueError(f"{value!r} is not one of {', '.join(map(repr, allowed))}")
    return value
