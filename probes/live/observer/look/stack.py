"""Puts a function mode into torch's stack of modes, and takes it out, wherever it stands by then.

The script may enter and leave modes of its own (a default device is one) between the two. Leaving takes
what is on top (`with torch.device(...)` too), so ours must never be on top of one that was there before: it goes
to the bottom. Only the mode of `torch.set_default_device` has to be below everything.
"""

from __future__ import annotations

from typing import Any

from ..traces import straighten_all


def put_in(torch: Any, mode: object) -> None:
    """From now on `mode.__torch_function__(function, types, args, kwargs)` is called for each operation."""
    straighten_all()
    default = getattr(getattr(torch, "_GLOBAL_DEVICE_CONTEXT", None), "device_context", None)
    modes = _pop_all(torch)
    below = [one for one in modes if one is default]
    for one in [*below, mode, *(one for one in modes if one is not default)]:
        torch._C._push_on_torch_function_stack(one)


def take_out(torch: Any, mode: object) -> bool:
    """Whether it was there to be taken out: while its own function runs, torch has it set aside."""
    modes = _pop_all(torch)
    for one in modes:
        if one is not mode:
            torch._C._push_on_torch_function_stack(one)
    return any(one is mode for one in modes)


def _pop_all(torch: Any) -> list[Any]:
    """Every mode, outermost first."""
    count = torch._C._len_torch_function_stack()
    return [torch._C._pop_torch_function_stack() for _ in range(count)][::-1]
