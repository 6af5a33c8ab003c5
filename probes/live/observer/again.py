"""Which models were told of before, under another optimizer."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

    from .model import ModelSeen

MOST = 30
"""Models that are remembered."""


class Again:
    """Knows models by their modules. Several optimizers may hold parts of one, at once or one after the other."""

    def __init__(self) -> None:
        self._found: list[tuple[int, list[weakref.ref[torch.nn.Module]]]] = []

    def number(self, model: ModelSeen) -> int | None:
        """The number under which the same modules were found before."""
        roots = {id(one) for one in model.roots}
        self._found = [one for one in self._found if all(ref() is not None for ref in one[1])]
        for number, refs in self._found:
            if {id(ref()) for ref in refs} == roots:
                return number
        if roots and len(self._found) < MOST:
            self._found.append((model.number, [weakref.ref(one) for one in model.roots]))
        return None
