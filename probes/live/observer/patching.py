"""Puts our function in the place of one of torch's, so that it can be taken back and dynamo does not see it."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Callable

from .compiling import run_as_it_is
from .traces import hidden, leave_out_ours

if TYPE_CHECKING:
    from .watcher import Watcher


def replace(
    watcher: Watcher,
    owner: Any,
    name: str,
    wrap: Callable[[Callable[..., Any]], Callable[..., Any]],
    *,
    leaves_itself_out: bool = False,
) -> None:
    """Put `wrap(original)` in the place of `owner.name` until the watching ends. Raises AttributeError.

    torch.compile runs ours uncompiled (the mark is that of torch._dynamo.disable), as it does the originals:
    only such functions may be replaced so. No traceback shows ours, and no warning counts it. What is called in
    every step takes itself out of tracebacks (`leaves_itself_out`), which saves a frame.
    """
    original = vars(owner)[name] if isinstance(owner, type) else getattr(owner, name)
    inner = hidden(wrap(original))

    @functools.wraps(original)
    @hidden
    def ours(*args: Any, **kwargs: Any) -> Any:
        try:
            return inner(*args, **kwargs)
        except BaseException as error:
            leave_out_ours(error)
            raise

    if leaves_itself_out:
        ours = functools.wraps(original)(inner)
    run_as_it_is(watcher.torch, inner)
    run_as_it_is(watcher.torch, ours)
    ours._torchdynamo_disable = True  # type: ignore[attr-defined]
    setattr(owner, name, ours)

    def put_back() -> None:
        # Where somebody has wrapped ours since, it stays below theirs and passes everything through.
        if getattr(owner, name, None) is ours:
            setattr(owner, name, original)

    watcher.on_close(put_back)


def scaler_class(torch: Any) -> type:
    """GradScaler, or the class that its device variants derive from."""
    scaler: type = torch.cuda.amp.GradScaler
    return next(kind for kind in reversed(scaler.__mro__) if "step" in vars(kind))
