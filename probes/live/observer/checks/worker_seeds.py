"""A function that gives each data worker one and the same seed, so that the random changes of an epoch come again."""

from __future__ import annotations

import functools
import random
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

READING = ("__getitem__", "__getitems__", "__iter__", "__call__", "forward")
"""The methods with which a worker makes a sample."""

DRAWN_BY_TORCH = frozenset(
    ("rand", "randn", "randint", "randperm", "rand_like", "randn_like", "normal", "bernoulli", "multinomial", "normal_", "uniform_")
)  # fmt: skip
OWN = frozenset(
    ("get_worker_info", "initial_seed", "default_rng", "urandom", "getpid", "time", "time_ns", "perf_counter", "spawn", "epoch")
)  # fmt: skip
"""What a seed has in it that differs between workers or epochs."""

FUNCTIONS = 64
"""Functions of a data set that are looked at."""
TORCH, PYTHON, NUMPY = "torch", "random", "numpy"


def seeded_alike(init: Any, dataset: Any) -> str:
    """The name of the function that seeds all workers alike, where samples are drawn with what it seeds; else empty.

    It is only looked at, by the names in its code: it does not take the number of the worker, nor anything else that differs.
    """
    function, place = _function(init)
    if function is None:
        return ""
    code = function.__code__
    if (
        code.co_argcount <= place
        or code.co_flags & 0x0C  # *args and **kwargs may be handed on
        or code.co_varnames[place] in _locals_read(code)
        or any(OWN & set(one.co_names) for one in _with_inner(code))
    ):
        return ""
    seeded = _seeded(function)
    if seeded and any(seeded & _drawn(one) for one in _functions_of(dataset)):
        return str(getattr(init, "__name__", None) or function.__qualname__)
    return ""


def _function(init: Any) -> tuple[FunctionType | None, int]:
    """The function behind it, and which of its arguments is the worker's number."""
    if isinstance(init, functools.partial):
        return (init.func, len(init.args)) if isinstance(init.func, FunctionType) else (None, 0)
    if isinstance(init, FunctionType):
        return init, 0
    method = getattr(init, "__func__", None) or _method(type(init), "__call__")
    return (method, 1) if isinstance(method, FunctionType) else (None, 0)


def _locals_read(code: CodeType) -> set[str]:
    import dis

    return {
        str(name)
        for one in _with_inner(code)
        for step in dis.get_instructions(one)
        if step.opname.startswith(("LOAD_FAST", "LOAD_CLOSURE", "LOAD_DEREF"))
        for name in (step.argval if isinstance(step.argval, tuple) else (step.argval,))
    }


def _with_inner(code: CodeType) -> Iterator[CodeType]:
    yield code
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from _with_inner(one)


def _modules(function: FunctionType, code: CodeType) -> set[str]:
    """Which of the three a piece of code names."""
    found = set()
    for name in code.co_names:
        one = function.__globals__.get(name)
        if one is random:
            found.add(PYTHON)
        elif getattr(one, "__name__", "") in (TORCH, NUMPY):
            found.add(one.__name__)  # type: ignore[union-attr]
    return found


def _seeded(function: FunctionType) -> set[str]:
    """Whose generators it seeds itself."""
    names, modules = set(function.__code__.co_names), _modules(function, function.__code__)
    found = {TORCH} if "manual_seed" in names and TORCH in modules else set()
    if "seed" in names:
        found |= modules & {PYTHON}
        found |= modules & {NUMPY} if "random" in names else set()
    return found


def _drawn(function: FunctionType) -> set[str]:
    """Whose generators it draws from."""
    found = set()
    for code in _with_inner(function.__code__):
        names, modules = set(code.co_names), _modules(function, code)
        if TORCH in modules and names & DRAWN_BY_TORCH and "generator" not in _keywords(code):
            found.add(TORCH)
        if PYTHON in modules and "Random" not in names:
            found.add(PYTHON)
        if NUMPY in modules and "random" in names and not names & {"RandomState", "Generator"}:
            found.add(NUMPY)
    return found


def _keywords(code: CodeType) -> set[str]:
    """Names of arguments, which stand among the constants."""
    return {name for one in code.co_consts if isinstance(one, tuple) for name in one if isinstance(name, str)}


def _functions_of(dataset: Any) -> Iterator[FunctionType]:
    """The functions that make a sample: methods of the data set and of its transforms, and functions of the script that they call."""
    owners = _makers(dataset)
    methods = [
        (found, type(one)) for one in owners for name in READING if (found := _method(type(one), name))
    ]
    todo = [*(one for one in owners if isinstance(one, FunctionType)), *(found for found, _ in methods)]
    kinds: dict[int, type | None] = {id(found): kind for found, kind in methods}
    seen: set[int] = set()
    while todo and len(seen) < FUNCTIONS:
        function = todo.pop()
        if id(function) in seen:
            continue
        seen.add(id(function))
        yield function
        kind = kinds.get(id(function))
        for called in _called_by(function, kind):
            kinds.setdefault(id(called), kind)
            todo.append(called)


def _makers(dataset: Any) -> list[Any]:
    """What makes its samples: itself, its transforms, and what they are composed of."""
    transforms = [one for one in getattr(dataset, "__dict__", {}).values() if callable(one)]
    parts = [part for one in transforms for part in getattr(one, "transforms", ()) or () if callable(part)]
    return [dataset, *transforms, *parts]


def _called_by(function: FunctionType, kind: type | None) -> Iterator[FunctionType]:
    """Methods of the same class and functions of the script whose names stand in its code."""
    for code in _with_inner(function.__code__):
        for name in code.co_names:
            called = _method(kind, name) or function.__globals__.get(name)
            if isinstance(called, FunctionType) and not called.__module__.startswith((TORCH, NUMPY)):
                yield called


def _method(kind: type | None, name: str) -> FunctionType | None:
    found = getattr(kind, name, None) if kind is not None else None
    return found if isinstance(found, FunctionType) else None
