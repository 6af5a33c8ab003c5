"""A seed that is set again while the run trains, so that training draws the same numbers once more."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Callable

from ..journal import Journal
from ..look.places import Place, Places
from ..part import Part
from ..patching import replace

if TYPE_CHECKING:
    import torch

    from ..watcher import Watcher

TIMES = 3
"""How often training stands at the same numbers before that is said."""

HEAD = 64
"""Bytes of the state of the generator: its seed, how many numbers are left, and the first of them."""

LOOKED_UP = 64
"""Calls whose line is looked up."""


class Reseeded(Part):
    """Compares where torch's generator stands after the second step that follows each `torch.manual_seed`.

    It counts where one optimizer had stepped before, so that a run that trains one model after the other is left alone, and
    where the generator moved between the first and the second step: training itself draws. A seed that differs each time, or is
    set where the state is put back afterwards, never leads to the same place.
    """

    name = "reseeded"
    asleep = ("after_step",)

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal, self._watcher, self._torch = journal, watcher, watcher.torch
        self._places = Places(watcher.torch, {})
        self._calls = 0
        self._place = Place()
        self._stepped: dict[int, int] = {}
        """The steps of each optimizer when the seed was set."""
        self._follows = 0
        self._first: tuple[int, ...] = ()
        self._stood: weakref.WeakKeyDictionary[Any, dict[tuple[int, ...], int]] = weakref.WeakKeyDictionary()
        """Of each optimizer how often the generator stood in each place."""
        for owner in (watcher.torch.random, watcher.torch):
            replace(watcher, owner, "manual_seed", self._wrap)

    def _wrap(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def manual_seed(*args: Any, **kwargs: Any) -> Any:
            generator = original(*args, **kwargs)
            if self._watcher.step:
                self._watcher.own("reseeded", self._seeded)
            return generator

        return manual_seed

    def _seeded(self) -> None:
        self._calls += 1
        if self._calls <= LOOKED_UP:
            self._place = self._places.here()
        self._stepped = dict(self._watcher.steps)
        self._follows, self._first = 0, ()
        self._watcher.wake(self, "after_step")

    def after_step(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        """The first and the second step of an optimizer after the seed was set."""
        before = self._stepped.get(id(optimizer), 0)
        if not before or (self._follows and self._follows != id(optimizer)):
            return
        self._follows = id(optimizer)
        stands = self._where()
        if step == before + 1:
            self._first = stands
            return
        self._watcher.rest(self, "after_step")
        if step != before + 2 or stands == self._first:
            return
        stood = self._stood.setdefault(optimizer, {})
        if len(stood) < LOOKED_UP or stands in stood:
            stood[stands] = stood.get(stands, 0) + 1
        if stood.get(stands, 0) >= TIMES:
            where = {"file": self._place.file or None, "line": self._place.line or None}
            self._journal.fact("data.draws_repeat", True, step=step, **where)  # type: ignore[arg-type]

    def _where(self) -> tuple[int, ...]:
        """Reading the state draws nothing."""
        return tuple(self._torch.random.default_generator.get_state()[:HEAD].tolist())
