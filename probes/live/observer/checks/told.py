"""The checks that look into tensors in sampled steps, and how each is told of them."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Callable

from ..journal import Journal
from ..operations import Call, Listener
from .allowance import Allowance
from .check import Check
from .every import CHECKS
from .pace import EARLY

if TYPE_CHECKING:
    from ..watcher import Watcher

Told = dict[str, list[tuple[Check, Callable[..., None]]]]
"""Who is told of an event, and how."""

EVENTS = (
    "batch_loaded",
    "before_forward",
    "after_forward",
    "before_backward",
    "after_backward",
    "before_step",
    "look_began",
    "computed_aside",
    "look_ended",
)
"""What checks are told, in sampled steps only."""


class ToldChecks:
    """All of them. Between `begin` and `end` those that look into this step are told."""

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal = journal
        self._checks = [kind(journal, options, watcher) for kind in CHECKS]
        self._told: Told = {}
        self._allowance = Allowance()
        self._plans: dict[tuple[Check, ...], tuple[Told, dict[str, list[Listener]]]] = {}

    @property
    def listening(self) -> bool:
        """Whether a look is on."""
        return bool(self._told)

    def begin(self, step: int, usual: float) -> dict[str, list[Listener]]:
        """A look begins, in a loop whose steps take so many seconds. Returns who is to hear of the calls of which torch function."""
        self._allowance.renew(usual)
        due = (one for one in self._checks if step not in EARLY or EARLY.index(step) < one.early)
        chosen = tuple(one for one in due if one.applies())
        if chosen not in self._plans:
            self._plans[chosen] = (_told(chosen), self._heard(chosen))
        self._told, heard = self._plans[chosen]
        for one in chosen:
            one.enough = one.cut_short = False
        return heard

    def end(self) -> None:
        """The look is over."""
        self._told = {}

    def tell(self, event: str, *args: Any) -> None:
        """Pass on what happened to those that want to know."""
        for check, call in self._told.get(event, ()):
            self._safely(check, call, *args)

    def failed(self, error: BaseException) -> None:
        """The script raised; this is told to all."""
        for check in list(self._checks):
            self._safely(check, check.failed, error)

    def _heard(self, checks: tuple[Check, ...]) -> dict[str, list[Listener]]:
        heard: dict[str, list[Listener]] = {}
        for check in checks:
            for name in check.functions:
                heard.setdefault(name, []).append(self._listener(check))
        return heard

    def _listener(self, check: Check) -> Listener:
        def listen(call: Call) -> bool:
            self._safely(check, check.called, call)
            return check.enough or check.cut_short

        return listen

    def _safely(self, check: Check, call: Callable[..., None], *args: Any) -> None:
        """A check that raises is recorded and told nothing more; the others go on."""
        if check not in self._checks:
            return
        if self._allowance.is_used_up(check) and call.__name__ != "look_ended":
            check.cut_short = True
            return  # what it has gathered it may still say
        start = time.thread_time()
        try:
            call(*args)
        except Exception as error:  # noqa: BLE001 - the other checks and the run go on
            self._journal.trouble(check.name, error)
            self._checks.remove(check)
            self._plans.clear()  # with the end of the look goes what it holds
        self._allowance.took(check, time.thread_time() - start)


def _told(checks: tuple[Check, ...]) -> Told:
    return {
        event: [
            (one, getattr(one, event))
            for one in checks
            if getattr(type(one), event) is not getattr(Check, event)
        ]
        for event in EVENTS
    }
