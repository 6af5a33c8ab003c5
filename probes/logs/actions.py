"""What is done with lines of one shape, besides templates."""

from __future__ import annotations

from .template import Template
from .watch import Watch

MAX_CAREFUL = 3000
"""How often lines of one shape are read with care where no template helps."""


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

    def __missing__(self, shape: bytes) -> Action:
        return NEW
