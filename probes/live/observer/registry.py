"""The modules of the process that hold parameters or other modules, as they were put together."""

from __future__ import annotations

import gc
import sys
import weakref
from types import FrameType, ModuleType
from typing import TYPE_CHECKING, Any, Callable

if TYPE_CHECKING:
    import torch

MOST = 50_000
"""References kept before those of dead modules are thrown out."""

SCANS = 40
"""How often the live objects are searched in one process: some loops make optimizers without end."""


class Registry:
    """Hears of every module that is given a parameter or a child, through torch's registration hooks, or is copied or unpickled.

    What is made otherwise `all_alive` finds, in some 50 ms.
    """

    _heard: dict[int, weakref.ref[torch.nn.Module]]
    _copies: dict[int, weakref.ref[torch.nn.Module]]

    def __init__(self, torch: ModuleType) -> None:
        self._torch = torch
        self._heard = {}
        self._copies = {}
        self._scans = 0
        module = torch.nn.modules.module
        self._handles = [
            module.register_module_parameter_registration_hook(self._hear),
            module.register_module_module_registration_hook(self._hear),
        ]

    def _hear(self, module: torch.nn.Module, name: str, value: Any) -> None:
        self._heard[id(module)] = weakref.ref(module)
        if len(self._heard) > MOST:
            self.heard()

    def wrap_setstate(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """A module is put together at once: it is copied, or unpickled."""

        def __setstate__(module: Any, state: Any) -> None:
            original(module, state)
            self._hear(module, "", None)
            if _is_copied():
                self._copies[id(module)] = self._heard[id(module)]

        return __setstate__

    def is_copy(self, module: torch.nn.Module) -> bool:
        """Whether `copy.deepcopy` has made it."""
        found = self._copies.get(id(module))
        return found is not None and found() is module

    def hear_all(self, root: torch.nn.Module) -> None:
        """A model that was put together before."""
        self._heard.update((id(module), weakref.ref(module)) for module in root.modules())

    def heard(self) -> list[torch.nn.Module]:
        """The modules heard of that are alive. Where all are, and too many, the registry starts anew."""
        alive = {key: ref for key, ref in self._heard.items() if ref() is not None}
        self._heard = alive if len(alive) < MOST else {}
        self._copies = {key: ref for key, ref in self._copies.items() if ref() is not None}
        return [one for one in (ref() for ref in alive.values()) if one is not None]

    def all_alive(self) -> list[torch.nn.Module]:
        """Every module of the process; after many searches those heard of.

        Types are compared, for isinstance would wake lazy objects.
        """
        if self._scans >= SCANS:
            return self.heard()
        self._scans += 1
        objects = gc.get_objects()
        kinds = {kind for kind in set(map(type, objects)) if issubclass(kind, self._torch.nn.Module)}
        found = [one for one in objects if type(one) in kinds]
        self._heard.update((id(one), weakref.ref(one)) for one in found)
        return found

    def close(self) -> None:
        """Hear no more."""
        for handle in self._handles:
            handle.remove()


def _is_copied() -> bool:
    """Whether `copy.deepcopy` puts a module together: its frame is the first that is not ours, nor a subclass's that passes the call on."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_code.co_name in ("ours", "__setstate__"):
        frame = frame.f_back
    return frame is not None and frame.f_code.co_name == "_reconstruct"
