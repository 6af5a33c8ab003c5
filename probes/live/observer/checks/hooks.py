"""Hooks that are registered again in each step, and never removed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..journal import Journal
from ..model import children
from ..part import Part

if TYPE_CHECKING:
    import torch

    from ..watcher import Watcher

FIRST, LAST = 4, 20
"""The steps after which hooks are counted, and compared. Most are registered before the first."""

KINDS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
"""Where a module keeps them; a parameter has the third."""


class Hooks(Part):
    """Counts the hooks of every module, and of every trained parameter, twice.

    One more in each step runs once more in each step, and holds whatever it refers to. Hooks that are there for a while (of a
    profile, of one evaluation) are taken away again, and those that are kept come once.
    """

    name = "hooks"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal, self._watcher = journal, watcher
        self._before: dict[tuple[int, str], int] | None = None

    def after_step(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        """Compare what is there now with what was there."""
        if step == FIRST and self._before is None:
            self._before = {(id(one), kind): len(hooks) for one, kind, hooks in self._hooks()}
        elif step == LAST and self._before is not None:
            before, self._before = self._before, None
            grown: list[tuple[int, Any, Mapping[int, Any]]] = [
                (len(hooks) - before.get((id(one), kind), 0), one, hooks)
                for one, kind, hooks in self._hooks()
            ]
            self._watcher.remove(self)
            more, holder, hooks = max(grown, key=lambda one: one[0], default=(0, None, {}))
            piling = more >= LAST - FIRST
            file, line = _place(list(hooks.values())[-1]) if piling else (None, None)
            self._journal.fact(
                "process.hooks_pile_up",
                piling,
                step=step,
                file=file,
                line=line,
                note=f"{len(hooks)} hooks on one {type(holder).__name__}" if piling else None,
            )

    def _hooks(self) -> Iterator[tuple[Any, str, Mapping[int, Any]]]:
        """Everything that has hooks, with them."""
        heard = self._watcher.registry.heard()
        modules = {id(one): one for module in heard for one in (module, *children(module))}
        trained = (one for model in self._watcher.models.values() for _, one in model.parameters())
        for one in modules.values():
            for kind in KINDS:
                hooks = vars(one).get(kind)
                if hooks:
                    yield one, kind, hooks
        for parameter in {id(one): one for one in trained}.values():
            hooks = parameter._backward_hooks
            if hooks:
                yield parameter, KINDS[2], hooks


def _place(hook: Any) -> tuple[str | None, int | None]:
    """Where the function stands that is called. torch keeps some with a note beside it; a bound one has it below."""
    while isinstance(hook, tuple) and hook:
        hook = hook[0]
    for name in ("func", "__wrapped__", "__func__"):
        hook = getattr(hook, name, hook)
    code = getattr(hook, "__code__", None)
    return (code.co_filename, code.co_firstlineno) if code is not None else (None, None)
