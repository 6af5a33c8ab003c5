"""The same random numbers in two runs, or others on purpose."""

from __future__ import annotations

import random
from typing import Any, Callable

from ..when_imported import when_imported
from .applied import wrap


def seed_everything(seed: int) -> None:
    """Start Python and NumPy from a seed, torch where it arrives. What the script seeds itself counts after that."""
    random.seed(seed)
    when_imported("numpy", lambda numpy: numpy.random.seed(seed))


def shift_seeds(torch: Any, value: Any, applied: Callable[[], None]) -> None:
    """Every seed that the script sets, and the one it starts from, is greater by this."""
    by = int(value)
    random.seed(by)
    torch.manual_seed(by)
    wrap(torch, "manual_seed", lambda original, seed: original(int(seed) + by))
    wrap(
        random,
        "seed",
        lambda original, seed=None, *rest: original(seed + by if isinstance(seed, int) else seed, *rest),
    )
    applied()
