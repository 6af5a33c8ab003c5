"""Who is told what: the parts of the observer and their events, guarded so that no fault of theirs ends the run."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, Callable

from .compiling import compiler_switch, run_as_it_is
from .journal import Journal
from .part import Part

EVENTS = tuple(name for name, value in vars(Part).items() if callable(value))
"""What a part can be told: the methods of Part."""


class Telling:
    """Tells each part what it asked for.

    parts      all that were not removed, in the order in which they are told
    busy       whether it is the observer that computes
    alarm      the step at which the first part that rests wants to be told again
    listening  whether a function mode of ours stands in torch's stack: what the parts compute goes past it
    """

    def __init__(self, torch: ModuleType, journal: Journal) -> None:
        self.journal = journal
        self.parts: list[Part] = []
        self.busy = False
        self.listening = False
        self._calls: dict[str, list[Callable[..., None]]] = {event: [] for event in EVENTS}
        self._compiler = compiler_switch(torch)
        self.alarm = sys.maxsize
        self._alarms: list[tuple[int, Part, tuple[str, ...]]] = []
        self._past_modes = torch._C.DisableTorchFunction
        for entry in (Telling.tell, Telling.own):
            run_as_it_is(torch, entry)

    def add(self, part: Part) -> None:
        """From now on this part is told what it overrides."""
        self.parts.append(part)
        for event in EVENTS:
            if getattr(type(part), event) is not getattr(Part, event):
                self._calls[event] = [*self._calls[event], getattr(part, event)]
        self.rest(part, *part.asleep)

    def remove(self, part: Part) -> None:
        """This part is told nothing more."""
        self.parts = [one for one in self.parts if one is not part]
        for event, calls in self._calls.items():
            self._calls[event] = [one for one in calls if one.__self__ is not part]  # type: ignore[attr-defined]

    def rest(self, part: Part, *events: str) -> None:
        """Tell this part nothing of these events until it wakes: what has nothing to do costs nothing."""
        for event in events:
            calls = self._calls[event]
            self._calls[event] = [one for one in calls if one.__self__ is not part]  # type: ignore[attr-defined]

    def wake(self, part: Part, *events: str) -> None:
        """Tell this part of these events again, in its turn, unless it was removed."""
        for event in events:
            told = {id(part), *(id(one.__self__) for one in self._calls[event])}  # type: ignore[attr-defined]
            self._calls[event] = [getattr(one, event) for one in self.parts if id(one) in told]

    def rest_until(self, step: int, part: Part, *events: str) -> None:
        """Tell it nothing of these events until the run has made so many steps."""
        self.rest(part, *events)
        self._alarms.append((step, part, events))
        self.alarm = min(self.alarm, step)

    def ring(self) -> None:
        """The step has come for which some part waits."""
        due = [one for one in self._alarms if one[0] <= self.alarm]
        self._alarms = [one for one in self._alarms if one[0] > self.alarm]
        self.alarm = min((one[0] for one in self._alarms), default=sys.maxsize)
        for _, part, events in due:
            self.wake(part, *events)

    def tell(self, event: str, *args: Any) -> None:
        """Something happened in the run. What the parts themselves do (a replayed forward) is not told."""
        calls = self._calls[event]
        if self.busy or not calls:
            return
        self.busy = True
        compiler = self._compiler(None)
        try:
            if self.listening:
                with self._past_modes():
                    for call in calls:
                        call(*args)
            else:
                for call in calls:
                    call(*args)
        except Exception as error:  # noqa: BLE001 - no fault of ours may end the run
            self._go_on_without(call, error, calls, args)
        finally:
            self._compiler(compiler)
            self.busy = False

    def own(self, name: str, call: Callable[..., object], *args: Any) -> None:
        """Run something of the observer's own, guarded, as `tell` runs the parts."""
        if self.busy:
            return
        self.busy = True
        compiler = self._compiler(None)
        try:
            call(*args)
        except Exception as error:  # noqa: BLE001 - no fault of ours may end the run
            self.journal.trouble(name, error)
        finally:
            self._compiler(compiler)
            self.busy = False

    def pass_on(self, event: str, *args: Any) -> None:
        """A part tells the other parts."""
        calls = self._calls[event]
        try:
            for call in calls:
                call(*args)
        except Exception as error:  # noqa: BLE001 - no fault of ours may end the run
            self._go_on_without(call, error, calls, args)

    def _go_on_without(
        self,
        failed: Callable[..., None],
        error: Exception,
        calls: list[Callable[..., None]],
        args: tuple[Any, ...],
    ) -> None:
        """A part that raises is recorded and removed; those behind it are told all the same."""
        part: Part = failed.__self__  # type: ignore[attr-defined]
        self.journal.trouble(part.name, error)
        self.remove(part)
        for call in calls[calls.index(failed) + 1 :]:
            try:
                call(*args)
            except Exception as another:  # noqa: BLE001, PERF203 - each may fail by itself
                self._go_on_without(call, another, [call], args)
