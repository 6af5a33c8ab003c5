"""What a pickle describes, followed symbol by symbol: nothing is imported, nothing is called, no object is made.

A pickle is a program for a small stack machine. This runs that program with names in the place of classes and
with records of calls in the place of calls, which is enough to see keys, shapes and numbers.
"""

from __future__ import annotations

import pickletools
from collections.abc import Callable
from typing import IO, Any

from .contents import Unreadable
from .machine import Call, Machine

MAX_STEPS = 5_000_000
"""Instructions after which a pickle is given up."""


def follow(file: IO[bytes], made: Callable[[Call], object]) -> tuple[Any, set[str]]:
    """What the next pickle in the file leaves on its stack, and the names in it.

    `made` says what stands for a call. Raises Unreadable for anything that is no pickle or ends too early.
    """
    machine = Machine(made)
    try:
        for steps, (opcode, argument, _) in enumerate(pickletools.genops(file)):
            machine.step(opcode.name, argument)
            if steps > MAX_STEPS:
                raise Unreadable("far more in it than any checkpoint needs")
        return machine.stack[-1], machine.names
    except Unreadable:
        raise
    except (
        ValueError,
        IndexError,
        KeyError,
        TypeError,
        AttributeError,
        OverflowError,
        RecursionError,
    ) as error:
        raise Unreadable(f"no pickle, or cut off ({type(error).__name__})") from None
