"""The rule that nothing of ours stops the run: what raises becomes a trouble record and is switched off."""

from __future__ import annotations

import functools
from typing import Any, Callable, TypeVar

from .journal import Journal

Result = TypeVar("Result")


def guarded(
    journal: Journal, name: str, call: Callable[..., Result], off: Callable[[], object] | None = None
) -> Callable[..., Result | None]:
    """The call, made safe. Its first error is recorded under `name`, `off` is called, and then it does nothing.

    KeyboardInterrupt, SystemExit and what a signal handler raises pass: they are the user's. Costs one try block and one frame.
    """
    alive = True

    @functools.wraps(call)
    def safe(*args: Any, **kwargs: Any) -> Result | None:
        nonlocal alive
        if not alive:
            return None
        try:
            return call(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 - no fault of ours may end the run
            journal.trouble(name, error)
            alive = False
            if off is not None:
                off()
            return None

    return safe
