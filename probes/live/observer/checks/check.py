"""Something that looks into tensors in sampled steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..journal import Journal
from ..look.places import Place
from ..operations import Call
from ..part import Part

if TYPE_CHECKING:
    from ..watcher import Watcher


class Check(Part):
    """Told of the events of a part, in sampled steps only, and there also of calls of torch functions.

    `functions`: the names of the torch functions whose calls it wants to be told. `early`: in how many of the
    first steps it is told of, beside the few thorough ones (sampling.py). The device may be waited for.
    `enough`: whether it, which hears of every function, wants to hear no more in this look. `cut_short`: whether it was not told all of this look, since it had taken its time (allowance.py).
    """

    functions: tuple[str, ...] = ()
    early = 0
    enough = cut_short = False

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self.journal = journal
        self.watcher = watcher
        self.torch = watcher.torch
        self._said: dict[str, Any] = {}

    def applies(self) -> bool:
        """Whether there is anything here to look into."""
        return True

    def look_began(self, step: int) -> None:
        """A sampled step begins; `step` counts as in `after_step`."""

    def called(self, call: Call) -> None:
        """The run called one of `functions`, and it returned."""

    def computed_aside(self, output: Any) -> None:
        """A trained model was asked something without gradients between its training forward and the backward pass."""

    def look_ended(self, step: int) -> None:
        """The sampled step is over: the optimizer has stepped, or an evaluation began."""

    def retract(self, *names: str) -> None:
        """What was said of these no longer holds."""
        for name in names:
            self._said.pop(name, None)
        self.journal.retract(*names)

    def say(
        self,
        name: str,
        value: Any,
        call: Call | None = None,
        note: str | None = None,
        place: Place | None = None,
    ) -> None:
        """Write a fact, with the line of the call, or this one. What was said last is not said again."""
        if name in self._said and self._said[name] == value:
            return
        self._said[name] = value
        if call is not None and value is not False:
            place = call.place()
        self.journal.fact(
            name,
            value,
            step=self.watcher.step + 1,
            file=place.file if place and place.file else None,
            line=place.line if place and place.file else None,
            note=note,
        )
