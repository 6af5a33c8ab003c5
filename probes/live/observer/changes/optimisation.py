"""Changes of the optimizer's step. The groups hold the changed value only while the step runs.

So schedules, resumed states and scripts that set the rate themselves all see what they expect, and the change
reaches every step all the same.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

Changed = Callable[[dict[str, Any], int], dict[str, Any]]
"""What one group holds while its step runs, by the group and the number of steps before."""


def scale_group(torch: Any, value: Any, applied: Callable[[], None]) -> None:
    """`{"lr": 0.1, "weight_decay": 0}`: these values of every parameter group are multiplied."""
    factors = {str(key): float(factor) for key, factor in value.items()}
    _while_stepping(
        lambda group, steps: {key: group[key] * by for key, by in factors.items() if key in group}, applied
    )


def warm_up(torch: Any, value: Any, applied: Callable[[], None]) -> None:
    """The learning rate rises from near zero to what it is over so many steps."""
    over = int(value)
    _while_stepping(lambda group, steps: {"lr": group["lr"] * min(1.0, (steps + 1) / over)}, applied)


def hold_schedule(torch: Any, value: Any, applied: Callable[[], None]) -> None:
    """`off`: the learning rate stays at what schedules start from."""
    _while_stepping(
        lambda group, steps: {"lr": group["initial_lr"]} if "initial_lr" in group else {}, applied
    )


def clip_gradients(torch: Any, value: Any, applied: Callable[[], None]) -> None:
    """Gradients are clipped to this norm before each step."""
    limit = float(value)

    def before(optimizer: Any, args: Any, kwargs: Any) -> None:
        parameters = [one for group in optimizer.param_groups for one in group["params"]]
        torch.nn.utils.clip_grad_norm_(parameters, limit)
        applied()

    _module().register_optimizer_step_pre_hook(before)


def _while_stepping(changed: Changed, applied: Callable[[], None]) -> None:
    held: dict[int, list[tuple[dict[str, Any], dict[str, Any]]]] = {}
    steps: dict[int, int] = {}

    def before(optimizer: Any, args: Any, kwargs: Any) -> None:
        kept = []
        for group in optimizer.param_groups:
            new = changed(group, steps.get(id(optimizer), 0))
            kept.append((group, {key: group[key] for key in new}))
            group.update(new)
            if new:
                applied()
        held[id(optimizer)] = kept

    def after(optimizer: Any, args: Any, kwargs: Any) -> None:
        for group, old in held.pop(id(optimizer), ()):
            group.update(old)
        steps[id(optimizer)] = steps.get(id(optimizer), 0) + 1

    _module().register_optimizer_step_pre_hook(before)
    _module().register_optimizer_step_post_hook(after)


def _module() -> Any:
    return sys.modules["torch.optim.optimizer"]  # torch.optim hides the name of its module
