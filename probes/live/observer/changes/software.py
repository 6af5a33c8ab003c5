"""Changes of how torch computes: its back ends and kernels."""

from __future__ import annotations

import sys
from typing import Any, Callable

from .applied import is_one_of


def set_backends(torch: Any, value: Any, applied: Callable[[], None]) -> None:
    """`{"cudnn.enabled": false, ...}`: switches below torch.backends, set now and, against the script, at each step."""

    def switch(*_: Any) -> None:
        for path, wanted in value.items():
            owner, _, name = path.rpartition(".")
            setattr(getattr(torch.backends, owner), name, wanted)

    switch()
    sys.modules["torch.optim.optimizer"].register_optimizer_step_pre_hook(switch)
    applied()


def use_attention(torch: Any, value: Any, applied: Callable[[], None]) -> None:
    """`plain`: scaled dot-product attention is computed by plain operations, not by a fused kernel."""
    is_one_of(value, "plain")
    for name in ("flash", "mem_efficient", "cudnn"):
        enable = getattr(torch.backends.cuda, f"enable_{name}_sdp", None)
        if enable is not None:
            enable(False)
    applied()
