"""Sees each call of a model, through the `__call__` of the few classes that may be called as "the model".

Hooks on the modules would be copied and pickled with them, and torch.jit.script would try to compile them.
"""

from __future__ import annotations

import functools
import time
import weakref
from typing import TYPE_CHECKING, Any

from .compiling import is_compiling_in, run_as_it_is
from .model import children, find_model
from .traces import hidden, leave_out_ours

if TYPE_CHECKING:
    import torch

    from .watcher import Watcher

COPIES = 16
"""Modules of a watched class, beside those that are trained, whose calls are counted."""

MANY = 1000
"""Modules that are watched before the dead ones are thrown out."""

SCANS = 20
"""How often at most the live objects are searched in one process (a loop that makes optimizers without end)."""


class Copy:
    """A module of a watched class that no optimizer trains, and in how many rounds it was called without gradients."""

    def __init__(self, module: torch.nn.Module) -> None:
        self.module = weakref.ref(module)
        self.calls = 0
        self.last = -1
        """The round of the loop in which it was called last: an evaluation calls it many times in one."""


class Forwards:
    """Tells `before_forward` and `after_forward` of the outermost watched module that is called, `called_aside` of its likes."""

    def __init__(self, watcher: Watcher) -> None:
        self.watcher = watcher
        self._classes: set[type] = set()
        self._watched: dict[int, weakref.ref[torch.nn.Module]] = {}
        self._inside = False
        self._called = False
        self.copies: dict[int, Copy] = {}
        self._scans = 0
        self._kept: list[object] = []

    def expect(self, optimizer: torch.optim.Optimizer) -> None:
        """An optimizer was made: watch its model before it first runs, and let go of those before it."""
        self._kept.clear()
        if self._scans < SCANS:
            self._scans += 1
            self.watch(find_model(self.watcher.registry, optimizer, 0).chain)

    def found(self, optimizer: torch.optim.Optimizer) -> None:
        """The first step: by now the model stands on its device, in its wrappers. Tell `model_found`.

        The last ones are kept alive, so that at the end of the process something can still be said of those of a
        function that has returned; until another optimizer is made, which may need their memory.
        """
        watcher = self.watcher
        number = watcher.succession.number(optimizer)
        if not number:
            number = watcher.models_found = watcher.models_found + 1
            watcher.succession.found(optimizer, number)
        model = find_model(watcher.registry, optimizer, number)
        key = id(optimizer)
        watcher.models[key] = model
        weakref.finalize(optimizer, watcher.models.pop, key, None).atexit = False
        self._kept += [optimizer, model.roots]
        self.watch(model.chain)
        self.watcher.pass_on("model_found", model)

    def watch(self, modules: list[torch.nn.Module]) -> None:
        """Tell of the calls of these modules, from the next on."""
        if len(self._watched) > MANY:
            for key in [key for key, ref in self._watched.items() if ref() is None]:
                del self._watched[key]
        for module in modules:
            self._watched[id(module)] = weakref.ref(module)
            self._watch_class(type(module))

    def round_ended(self) -> None:
        """A forward that raised is over by now. Where nothing watched was called, watch one level deeper."""
        self._inside = False
        if not self._called and self.watcher.step < 3:
            watched = [one for one in (ref() for ref in self._watched.values()) if one is not None]
            self.watch([child for module in watched for child in children(module)])

    def _watch_class(self, kind: type[torch.nn.Module]) -> None:
        """Put ours in the place of the class's `__call__`, once, or in the place of the one it inherits."""
        if kind in self._classes:
            return
        self._classes.add(kind)
        original = kind.__call__
        inherited = "__call__" not in vars(kind)
        is_compiling = is_compiling_in(self.watcher.torch)
        is_tracing = self.watcher.torch.jit.is_tracing
        watched = self._watched

        @functools.wraps(original)
        @hidden
        def __call__(module: torch.nn.Module, *args: Any, **kwargs: Any) -> Any:
            # What dynamo or torch.jit.trace records is the network alone.
            if is_compiling() or is_tracing():
                return original(module, *args, **kwargs)
            found = watched.get(id(module))
            try:
                # Looked up anew: torch.fx puts another into torch.nn.Module while it traces.
                above: Any = super(kind, module)
                call = above.__call__ if inherited else functools.partial(original, module)
                if found is None or self._inside or found() is not module:
                    if found is None and not self._inside:
                        self._called_aside(module, args)
                    return call(*args, **kwargs)
                return self._call(call, module, args, kwargs)
            except BaseException as error:
                leave_out_ours(error)
                raise

        run_as_it_is(self.watcher.torch, __call__)
        kind.__call__ = __call__  # type: ignore[method-assign]

        def put_back() -> None:
            if vars(kind).get("__call__") is not __call__:
                return
            if inherited:
                del kind.__call__
            else:
                kind.__call__ = original  # type: ignore[method-assign]

        self.watcher.on_close(put_back)

    def _called_aside(self, module: torch.nn.Module, args: tuple[Any, ...]) -> None:
        """Count it where it gives a target, or is evaluated."""
        copy = self.copies.get(id(module))
        without_gradients = not self.watcher.torch.is_grad_enabled()
        if copy is None or copy.module() is not module:
            if len(self.copies) >= COPIES:
                self.copies = {key: one for key, one in self.copies.items() if one.module() is not None}
            if len(self.copies) < COPIES:
                self.copies[id(module)] = Copy(module)
        elif copy.last != self.watcher.step and without_gradients:
            copy.calls += 1
            copy.last = self.watcher.step
        if without_gradients:
            self.watcher.tell("called_aside", module, args)

    @hidden
    def _call(self, call: Any, module: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self._inside = self._called = True
        try:
            self.watcher.tell("before_forward", module, args, kwargs)
            start = time.perf_counter()
            output = call(*args, **kwargs)
            self.watcher.spent["forward"] += time.perf_counter() - start
            self.watcher.tell("after_forward", module, output)
        finally:
            self._inside = False
        return output
