"""The modules of the process that hold parameters or other modules, as they were put together."""

from __future__ import annotations

import gc
import weakref
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

MOST = 50_000
"""References kept before those of dead modules are thrown out."""


class Registry:
    """Hears of every module that is given a parameter or a child, through torch's registration hooks.

    Copies and unpickled modules are not heard of: `all_alive` finds them, in some 50 ms.
    """

    _heard: dict[int, weakref.ref[torch.nn.Module]]

    def __init__(self, torch: ModuleType) -> None:
        self._torch = torch
        self._heard = {}
        module = torch.nn.modules.module
        self._handles = [
            module.register_module_parameter_registration_hook(self._hear),
            module.register_module_module_registration_hook(self._hear),
        ]

    def _hear(self, module: torch.nn.Module, name: str, value: Any) -> None:
        self._heard[id(module)] = weakref.ref(module)
        if len(self._heard) > MOST:
            self.heard()

    def hear_all(self, root: torch.nn.Module) -> None:
        """A model that was put together before."""
        self._heard.update((id(module), weakref.ref(module)) for module in root.modules())

    def heard(self) -> list[torch.nn.Module]:
        """The modules heard of that are alive. Where all are, and too many, the registry starts anew."""
        alive = {key: ref for key, ref in self._heard.items() if ref() is not None}
        self._heard = alive if len(alive) < MOST else {}
        return [one for one in (ref() for ref in alive.values()) if one is not None]

    def all_alive(self) -> list[torch.nn.Module]:
        """Every module of the process. Types are compared, for isinstance would wake lazy objects."""
        objects = gc.get_objects()
        kinds = {kind for kind in set(map(type, objects)) if issubclass(kind, self._torch.nn.Module)}
        return [one for one in objects if type(one) in kinds]

    def close(self) -> None:
        """Hear no more."""
        for handle in self._handles:
            handle.remove()
