"""Opens pdb at a module of the model, by its name and a condition, with the terminal of the run."""

from __future__ import annotations

import fnmatch
import sys
from collections.abc import Mapping
from typing import Any
from weakref import WeakKeyDictionary

from ..journal import Journal
from ..look.values import nonfinite, tensors_in

CONDITIONS = ("always", "nonfinite")


def break_at(torch: Any, wanted: Mapping[str, Any], journal: Journal) -> None:
    """`{"module": "encoder.*", "when": "nonfinite"}`. Raises ValueError for a condition that there is not.

    `always` stops before the module's forward, `nonfinite` after it, where what it returned holds NaN or Inf and
    what it was given does not. Once for each module. The hooks are torch's own for all modules.
    """
    stops = Breakpoints(torch, str(wanted["module"]), str(wanted.get("when", "always")), journal)
    modules = torch.nn.modules.module
    modules.register_module_forward_pre_hook(stops.before)
    modules.register_module_forward_hook(stops.after)


class Breakpoints:
    """Which modules are stopped at, and whether they were."""

    def __init__(self, torch: Any, pattern: str, when: str, journal: Journal) -> None:
        if when not in CONDITIONS:
            raise ValueError(f"no such condition: {when}")
        self._torch = torch
        self._pattern = pattern
        self._when = when
        self._journal = journal
        self._names: WeakKeyDictionary[Any, str] = WeakKeyDictionary()
        self._stopped: set[str] = set()

    def before(self, module: Any, args: Any) -> None:
        """A module is called. The outermost one knows the names of all below it."""
        if module not in self._names:
            for name, one in module.named_modules():
                self._names[one] = name or type(module).__name__
        if self._when == "always":
            self._stop(module, args, None)

    def after(self, module: Any, args: Any, output: Any) -> None:
        """A module returned."""
        if self._when == "nonfinite" and not self._bad(args) and self._bad(output):
            self._stop(module, args, output)

    def _bad(self, values: Any) -> bool:
        return any(nonfinite(self._torch, one) for one in tensors_in(self._torch.Tensor, values))

    def _stop(self, module: Any, args: Any, output: Any) -> None:
        name = self._names.get(module, type(module).__name__)
        if name in self._stopped or not fnmatch.fnmatchcase(name, self._pattern):
            return
        self._stopped.add(name)
        self._journal.record("event", what=f"a breakpoint was reached at {name} ({type(module).__name__})")
        inputs = list(tensors_in(self._torch.Tensor, args))
        outputs = list(tensors_in(self._torch.Tensor, output))
        told = [f"{name} ({type(module).__name__}), {self._when}"]
        told += [f"  in  {_shown(one)}" for one in inputs] + [f"  out {_shown(one)}" for one in outputs]
        print("\n".join(["", *told]), file=sys.stderr, flush=True)
        if sys.stdin is None or not sys.stdin.isatty():
            print("  no terminal to stop at; the run goes on", file=sys.stderr, flush=True)
            return
        print("  module, args and output are at hand; `up` leads to the call", file=sys.stderr, flush=True)
        _open(module, args, output)


def _open(module: Any, args: Any, output: Any) -> None:
    """Here `module`, `args` and `output` are at hand; `up` leads to the call, `continue` goes on, `quit` ends the run."""
    import pdb  # noqa: T100 - the person asked for it

    pdb.Pdb(nosigint=True).set_trace(sys._getframe())


def _shown(tensor: Any) -> str:
    values = tensor.detach()
    text = f"{tuple(values.shape)} {values.dtype} on {values.device}"
    if not values.is_floating_point() or not values.numel():
        return text
    finite = values[values.isfinite()]
    if finite.numel() == values.numel():
        return f"{text}, {float(values.min()):.4g} to {float(values.max()):.4g}"
    return f"{text}, {values.numel() - finite.numel()} of {values.numel()} not finite"
