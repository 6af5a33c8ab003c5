"""Calls a function once a module is fully imported by the script. We import nothing ourselves.

    when_imported("torch", attach)

A finder at the head of `sys.meta_path` lets the real finders find the module, and adds a call to the
end of its execution. The loader stays the real one, so that whoever merely asks for the spec
(`importlib.util.find_spec`), reloads the module or reads its source sees nothing of us.
"""

from __future__ import annotations

import sys
from _thread import get_ident
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any, Callable

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec


class _Finder:
    """Finds nothing of its own."""

    def __init__(self) -> None:
        self.waiting: dict[str, Callable[[ModuleType], object]] = {}
        self._finding: set[int] = set()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec that the other finders give, with our call behind the loading."""
        thread = get_ident()
        if fullname not in self.waiting or thread in self._finding:
            return None
        self._finding.add(thread)
        try:
            spec = self._found_by_others(fullname, path, target)
        finally:
            self._finding.discard(thread)
        if spec is not None and hasattr(spec.loader, "exec_module"):
            self._add_our_call(spec.loader)
        return spec

    def _found_by_others(self, fullname: str, path: Any, target: Any) -> ModuleSpec | None:
        for finder in list(sys.meta_path):
            find = getattr(finder, "find_spec", None)
            spec: ModuleSpec | None = find(fullname, path, target) if find and finder is not self else None
            if spec is not None:
                return spec
        return None

    def _add_our_call(self, loader: Any) -> None:
        execute = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            loader.__dict__.pop("exec_module", None)
            self.arrived(module)

        # Python leaves the frames of its import system out of tracebacks and warnings; this is one of them.
        exec_module.__code__ = exec_module.__code__.replace(
            co_filename="<frozen importlib._bootstrap>", co_name="_call_with_frames_removed"
        )
        try:
            loader.exec_module = exec_module
        except AttributeError:
            return  # A loader that cannot be changed (a frozen application): the run goes on unwatched.

    def arrived(self, module: ModuleType) -> None:
        """Call what waits for this module, once."""
        call = self.waiting.pop(module.__name__, None)
        if not self.waiting and self in sys.meta_path:
            sys.meta_path.remove(self)
        if call is not None:
            call(module)


_finder = _Finder()


def when_imported(name: str, call: Callable[[ModuleType], object]) -> None:
    """Call `call(module)` when the module `name` has been imported; now, where it has been.

    The call must not raise: it would look like an error of the import.
    """
    module = sys.modules.get(name)
    if module is not None:
        call(module)
        return
    _finder.waiting[name] = call
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
