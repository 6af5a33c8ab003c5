"""Changes of the number format: what autocast, the gradient scaler and the weights use."""

from __future__ import annotations

from typing import Any, Callable

from .applied import is_one_of, wrap

DTYPES = ("float16", "bfloat16", "float32")


def set_autocast(torch: Any, value: Any, applied: Callable[[], None]) -> None:
    """`off`: no autocast does anything. A dtype: all of the run, and every autocast in it, uses that dtype."""
    dtype = None if is_one_of(value, "off", *DTYPES[:2]) == "off" else getattr(torch, value)

    def init(original: Any, self: Any, device_type: Any, *args: Any, **kwargs: Any) -> None:
        original(self, device_type, *args, **kwargs)
        if dtype is None:
            if self._enabled:
                applied()
            self._enabled = False
        elif self._enabled:
            self.fast_dtype = dtype

    wrap(torch.amp.autocast_mode.autocast, "__init__", init)
    if dtype is not None:
        _everywhere(torch, dtype)
        applied()


def _everywhere(torch: Any, dtype: Any) -> None:
    """Autocast for the whole of this thread. Its cache of cast weights is emptied only where a block ends: off."""
    torch.set_autocast_cache_enabled(False)
    if dtype is not torch.float32:
        torch.set_autocast_cpu_enabled(True)
        torch.set_autocast_cpu_dtype(dtype)
        torch.set_autocast_gpu_dtype(dtype)
        try:
            torch.set_autocast_enabled("cuda", True)
        except TypeError:  # torch before 2.4 means the GPU
            torch.set_autocast_enabled(True)


def set_scaler(torch: Any, value: Any, applied: Callable[[], None]) -> None:
    """`off`: gradient scalers pass losses and gradients through."""
    is_one_of(value, "off")

    def init(original: Any, self: Any, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        if self._enabled:
            applied()
        self._enabled = False

    scaler = torch.cuda.amp.GradScaler
    wrap(next(kind for kind in reversed(scaler.__mro__) if "step" in vars(kind)), "__init__", init)


def set_weights(torch: Any, value: Any, applied: Callable[[], None]) -> None:
    """A dtype: models hold their weights in it, and floating-point inputs of models come in it."""
    dtype = getattr(torch, is_one_of(value, *DTYPES))
    modules = torch.nn.modules.module
    depth: list[Any] = []

    def before(module: Any, args: Any, kwargs: Any) -> Any:
        depth.append(module)
        if len(depth) > 1 or not any(True for _ in module.parameters()):
            return None
        if any(one.is_floating_point() and one.dtype != dtype for one in module.parameters()):
            module.to(dtype)
            applied()
        return _cast(torch, args, dtype), _cast(torch, kwargs, dtype)

    def call(original: Any, module: Any, *args: Any, **kwargs: Any) -> Any:
        changed = before(module, args, kwargs)
        args, kwargs = changed or (args, kwargs)
        try:
            return original(module, *args, **kwargs)
        finally:
            depth.pop()

    wrap(modules.Module, "_wrapped_call_impl", call)
    modules.Module.__call__ = modules.Module._wrapped_call_impl


def _cast(torch: Any, value: Any, dtype: Any) -> Any:
    """The same nest of values, floating-point tensors in a dtype."""
    if isinstance(value, torch.Tensor):
        return value.to(dtype) if value.is_floating_point() else value
    if isinstance(value, dict):
        return type(value)((key, _cast(torch, one, dtype)) for key, one in value.items())
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(_cast(torch, one, dtype) for one in value)
    return value
