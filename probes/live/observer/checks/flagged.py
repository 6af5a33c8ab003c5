"""`requires_grad` set on a module, where it is an attribute like any other and freezes or frees nothing."""

from __future__ import annotations

from typing import Any

from .check import Check

FLAG = "requires_grad"
NAMES = 20


class Flagged(Check):
    """Looks for modules of the trained model that carry the attribute, and whose parameters all say the opposite.

    Not so where the class itself names `requires_grad`: it may read its own attribute, and act on it. Of several networks that are
    trained in turn, one that is to rest while another learns loses nothing by going on. What has come true since is taken back.
    """

    name = "flagged modules"
    early = 2

    def look_ended(self, step: int) -> None:
        """Freezing and freeing come before the first step or epochs later."""
        models = [one for one in self.watcher.models.values() if one.is_alive]
        flags = (True,) if len(models) > 1 else (True, False)
        names = sorted({name for one in models for name in _in_vain(one, flags)})
        if names:
            more = f" and {len(names) - 3} more" if len(names) > 3 else ""
            self.say("model.requires_grad_on_module", names[:NAMES], note=f"{', '.join(names[:3])}{more}")
        elif "model.requires_grad_on_module" in self._said:
            self.retract("model.requires_grad_on_module")


def _in_vain(model: Any, flags: tuple[bool, ...]) -> list[str]:
    """The modules of a model that carry such an attribute, with one of these values."""
    flagged = [one for one in model.each_module() if any(vars(one).get(FLAG) is flag for flag in flags)]
    return [model.modules.get(id(one)) or type(one).__name__ for one in flagged if _is_ignored(one)]


def _is_ignored(module: Any) -> bool:
    flags = {one.requires_grad for one in module.parameters()}
    return flags == {not vars(module)[FLAG]} and not _names_it(type(module))


def _names_it(kind: type) -> bool:
    """Whether code of the class, or of those it is made of but torch's own, names the attribute."""
    own = [one for one in kind.__mro__ if not one.__module__.startswith("torch.")]
    codes = [getattr(method, "__code__", None) for one in own for method in vars(one).values()]
    return any(code is not None and FLAG in code.co_names for code in codes)
