"""Opens pdb at a module of the model, by its name and a condition, with the terminal of the run."""

from __future__ import annotations

import atexit
import fnmatch
import sys
from collections.abc import Mapping
from types import FrameType
from typing import Any
from weakref import WeakKeyDictionary

from ..journal import Journal
from ..look.values import nonfinite, tensors_in

CONDITIONS = ("always", "nonfinite")
NAMED = 8
"""Names of modules that are told where none fits."""


def break_at(torch: Any, wanted: Mapping[str, Any], journal: Journal) -> None:
    """`{"module": "encoder.*", "when": "nonfinite"}`. Raises ValueError for a condition that there is not.

    `always` stops before the module's forward, `nonfinite` after it, where what it returned holds NaN or Inf and
    what it was given does not. Once for each module. The hooks are torch's own for all modules.
    """
    stops = Breakpoints(torch, str(wanted["module"]), str(wanted.get("when", "always")), journal)
    atexit.register(stops.tell_unreached)
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
        """A module is called. The outermost one that called it knows the names of all below it."""
        if module not in self._names:
            for name, one in _outermost(self._torch.nn.Module, module).named_modules():
                self._names[one] = name or type(one).__name__
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

    def tell_unreached(self) -> None:
        """The process ends: where nothing was stopped at, a person should know why."""
        if self._stopped or not self._names:
            return
        names = list(dict.fromkeys(self._names.values()))
        if fitting := [one for one in names if fnmatch.fnmatchcase(one, self._pattern)]:
            what = f"was not reached: no output of {fitting[0]} was the first with NaN or Inf"
            if len(fitting) > 1:
                what = f"was not reached: of {len(fitting)} modules none was the first whose output held NaN or Inf"
        else:
            more = ", ..." if len(names) > NAMED else ""
            what = f"fits no module that was called: {', '.join(names[:NAMED])}{more}"
        print(f"diagnose: the breakpoint {self._pattern} {what}", file=sys.stderr, flush=True)


def _outermost(kind: Any, module: Any) -> Any:
    """The module furthest out on the stack that holds this one: a trainer may call a part of its module alone."""
    found = module
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        caller: Any = frame.f_locals.get("self")
        if isinstance(caller, kind) and caller is not found and any(one is found for one in caller.modules()):
            found = caller
        frame = frame.f_back
    return found


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
