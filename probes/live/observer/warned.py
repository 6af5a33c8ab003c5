"""Notes the warnings that Python prints: what a library says of a call of the script, and of which line."""

from __future__ import annotations

from types import ModuleType
from typing import Any, Callable

from .guard import guarded
from .journal import Journal
from .traces import hidden, leave_out_ours

MOST = 64
"""Warnings of one process that are noted. A library that warns of everything is not heard to its end."""

LONGEST = 2000
"""Characters kept of one."""


class Warned:
    """Writes each warning down once, with the line that it names. `step` tells the rounds of the loop so far."""

    def __init__(self, journal: Journal, step: Callable[[], int]) -> None:
        self._journal = journal
        self._step = step
        self._noted: set[tuple[str, str, int]] = set()

    def listen(self, warnings: ModuleType) -> None:
        """From now on, through what Python calls to print a warning.

        Filters have chosen before, and what the script catches, makes an error of or shows in a way of its own does not
        come here. A Python that prints in another way is left alone.
        """
        show = getattr(warnings, "_showwarnmsg_impl", None)
        if show is None:
            return
        note = guarded(self._journal, "warned", self._note)

        @hidden
        def ours(warning: Any) -> None:
            try:
                show(warning)
            except BaseException as error:
                leave_out_ours(error)
                raise
            note(warning)

        warnings._showwarnmsg_impl = ours  # type: ignore[attr-defined]

    def _note(self, warning: Any) -> None:
        key = (warning.category.__name__, str(warning.filename), int(warning.lineno))
        if key in self._noted or len(self._noted) == MOST:
            return
        self._noted.add(key)
        category, file, line = key
        text = str(warning.message)[:LONGEST]
        self._journal.record(
            "warning", category=category, message=text, file=file, line=line, step=self._step()
        )
