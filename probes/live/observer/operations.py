"""Tells listeners of the calls of chosen torch functions, in this thread, while it is switched on."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable

from .look.places import Place, Places
from .look.stack import put_in, take_out
from .traces import call_in_place, hidden, leave_out_ours

if TYPE_CHECKING:
    from .watcher import Watcher


@dataclass(frozen=True)
class Call:
    """One call of a torch function by the run: `name` as in `cross_entropy`, `sub`, `relu_`."""

    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    result: Any
    places: Places

    def argument(self, position: int, name: str, default: Any = None) -> Any:
        """The argument at this position or of this name."""
        return self.args[position] if len(self.args) > position else self.kwargs.get(name, default)

    def place(self) -> Place:
        """The line of the script and the module that called. To be asked while the listener runs."""
        return self.places.here()


Listener = Callable[[Call], bool]
"""Returns whether it has enough; one that hears of every function costs nothing from there on."""

EVERY = "*"
"""In the place of a name: every function."""


class Operations:
    """Switched on, it tells each listener of the calls of its functions, or of all, when they have returned.

    Kernels, graph and results stay what they are. What the observer itself calls is not told. Nothing is
    seen in other threads, nor in processes forked meanwhile.
    """

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._mode: Any = None
        self._home = (0, 0)
        self._heard: dict[str, list[Listener]] = {}
        self._of_all: list[Listener] = []
        self._ready: tuple[int, Any] = (-1, None)

    def start(self, heard: dict[str, list[Listener]]) -> None:
        """From now on tell the listeners, which stand under the names of their functions."""
        self.stop()
        self._of_all = [*heard.get(EVERY, ())]
        self._heard = heard
        self._home = (os.getpid(), threading.get_ident())
        self._mode = self._made()
        put_in(self._watcher.torch, self._mode)
        self._watcher.listening = True

    def stop(self) -> None:
        """Tell nothing more."""
        mode, self._mode, self._heard, self._of_all = self._mode, None, {}, []
        self._watcher.listening = False
        if mode is not None and self._home[1] == threading.get_ident():
            take_out(self._watcher.torch, mode)

    @property
    def on(self) -> bool:
        """Whether listeners are being told."""
        return self._mode is not None

    def _made(self) -> Any:
        """The mode, made anew where a model was found since."""
        models = self._watcher.models_found
        if self._ready[0] != models:
            self._ready = (models, self._make_mode())
        return self._ready[1]

    def _make_mode(self) -> Any:
        from torch.overrides import TorchFunctionMode

        models = self._watcher.models.values()
        places = Places(
            self._watcher.torch, {key: name for one in models for key, name in one.modules.items()}
        )
        operations = self

        class Listening(TorchFunctionMode):  # type: ignore[misc,unused-ignore]
            @hidden
            def __torch_function__(
                self, function: Any, types: Any, args: Any = (), kwargs: Any = None
            ) -> Any:
                name = getattr(function, "__name__", "")
                try:
                    # What is asked of a leaf warns of nothing, so that it matters not from where.
                    if name == "__get__" and _is_leaf(args[0]):
                        return function(*args)
                    result = call_in_place(sys._getframe(1), function, args, kwargs or {})
                except BaseException as error:
                    leave_out_ours(error)
                    raise
                heard = operations._heard.get(name, ())
                if (heard or operations._of_all) and os.getpid() == operations._home[0]:
                    call = Call(name, args, kwargs or {}, result, places)
                    operations._watcher.own("operations", operations._tell, heard, call)
                return result

        return Listening()

    def _tell(self, heard: Sequence[Listener], call: Call) -> None:
        for listener in heard:
            listener(call)
        if self._of_all:
            self._of_all = [listener for listener in self._of_all if not listener(call)]


def _is_leaf(tensor: Any) -> bool:
    """Some views of what was changed in place since raise at this question; they have a graph."""
    try:
        return bool(tensor.is_leaf)
    except RuntimeError:
        return False
