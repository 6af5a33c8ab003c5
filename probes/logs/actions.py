"""What is done with lines of one shape, besides templates."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from itertools import count
from operator import call
from typing import Any, NamedTuple

from .template import Template
from .watch import Watch

MAX_CAREFUL = 3000
"""How often lines of one shape are read with care where no template helps."""
_PASSED_OVER: Callable[[int], None] = deque[int](maxlen=0).append


class Careful:
    """An action: every line of this shape is read with care, for a while."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = MAX_CAREFUL


class _Sentinel:
    __slots__ = ()


NEW = _Sentinel()
BAR = _Sentinel()
HEADER = _Sentinel()
Action = Template | Watch | Careful | _Sentinel | None


class Shapes(dict[bytes, Action]):
    """Shape -> action; NEW for one not seen before."""

    def __init__(self, known: Iterable[tuple[bytes, Action]]) -> None:
        super().__init__(known)
        self._takers = _Takers(self)

    def __missing__(self, shape: bytes) -> Action:
        return NEW

    def __setitem__(self, shape: bytes, action: Action) -> None:
        self._takers.pop(shape, None)
        super().__setitem__(shape, action)

    def sort(self, shapes: list[bytes]) -> Sorted:
        """Which lines of a block ask for which action. Those that ask for nothing are left out.

        There are millions of lines, so no step of Python is taken for each.
        """
        takers = self._takers
        deque(map(call, map(takers.__getitem__, shapes), count()), 0)
        groups = {action: indices[:] for action, indices in takers.groups.items() if indices}
        slow = [(index, self[shapes[index]]) for index in takers.slow]
        for action in groups:
            takers.groups[action].clear()
        takers.slow.clear()
        return Sorted(groups.pop(BAR, []), groups.pop(HEADER, []), groups, slow)


class Sorted(NamedTuple):
    """The lines of a block by what is done with them, each by its index."""

    bars: list[int]
    headers: list[int]
    fast: dict[Template, list[int]]
    """Those that templates read."""
    slow: list[tuple[int, Action]]
    """Those to look at one by one."""


class _Takers(dict[bytes, Callable[[int], None]]):
    """Shape -> what takes the index of a line of this shape, for the action that it asks for."""

    def __init__(self, shapes: Shapes) -> None:
        super().__init__()
        self._shapes = shapes
        self.groups: dict[Any, list[int]] = {}
        self.slow: list[int] = []

    def __missing__(self, shape: bytes) -> Callable[[int], None]:
        action = self._shapes[shape]
        if action is None:
            taker = _PASSED_OVER
        elif action is BAR or action is HEADER or isinstance(action, Template):
            taker = self.groups.setdefault(action, []).append
        else:
            taker = self.slow.append
        if action is not NEW:
            self[shape] = taker
        return taker
