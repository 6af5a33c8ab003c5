"""The small stack machine that a pickle is a program for, with records in the place of classes and calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Name(NamedTuple):
    """A class or function that the pickle names."""

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


class Call(NamedTuple):
    """A call that the pickle asks for."""

    function: object
    arguments: tuple[object, ...]


class Persistent(NamedTuple):
    """Something that lies outside the pickle, such as the storage of a tensor."""

    key: object


class _Mark:
    """Where a list of arguments begins on the stack."""


_PLAIN = frozenset((
    "INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4", "FLOAT", "BINFLOAT", "STRING", "BINSTRING",
    "SHORT_BINSTRING", "UNICODE", "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8", "BINBYTES", "SHORT_BINBYTES",
    "BINBYTES8", "BYTEARRAY8",
))  # fmt: skip
_CONSTANTS: dict[str, Callable[[], object]] = {
    "NONE": lambda: None, "NEWTRUE": lambda: True, "NEWFALSE": lambda: False, "EMPTY_DICT": dict, "EMPTY_LIST": list,
    "EMPTY_TUPLE": tuple, "EMPTY_SET": list,
}  # fmt: skip
_SKIPPED = frozenset(("PROTO", "FRAME", "STOP", "NEXT_BUFFER", "READONLY_BUFFER"))


class Machine:
    """The stack and the memory of one pickle."""

    def __init__(self, made: Callable[[Call], object]) -> None:
        self._made = made
        self.stack: list[Any] = []
        self.names: set[str] = set()
        self._memory: dict[int, Any] = {}

    def step(self, name: str, argument: Any) -> None:
        """One instruction. Raises what a broken pickle leads to."""
        if name in _PLAIN:
            self.stack.append(argument)
        elif name in _CONSTANTS:
            self.stack.append(_CONSTANTS[name]())
        elif name not in _SKIPPED:
            getattr(self, f"_{name.lower()}")(argument)

    def _popped(self, count: int) -> tuple[Any, ...]:
        if len(self.stack) < count:
            raise IndexError("the stack is empty")
        taken = tuple(self.stack[len(self.stack) - count :])
        del self.stack[len(self.stack) - count :]
        return taken

    def _to_mark(self) -> list[Any]:
        place = next(i for i in range(len(self.stack) - 1, -2, -1) if self.stack[i] is _Mark)
        taken = self.stack[place + 1 :]
        del self.stack[place:]
        return taken

    # -- instructions, by their names in pickletools

    def _mark(self, _: Any) -> None:
        self.stack.append(_Mark)

    def _pop(self, _: Any) -> None:
        self.stack.pop()

    def _pop_mark(self, _: Any) -> None:
        self._to_mark()

    def _dup(self, _: Any) -> None:
        self.stack.append(self.stack[-1])

    def _memoize(self, _: Any) -> None:
        self._memory[len(self._memory)] = self.stack[-1]

    def _put(self, key: Any) -> None:
        self._memory[int(key)] = self.stack[-1]

    _binput = _long_binput = _put

    def _get(self, key: Any) -> None:
        self.stack.append(self._memory[int(key)])

    _binget = _long_binget = _get

    def _global(self, both: str) -> None:
        module, _, name = both.partition(" ")
        self._named(module, name)

    def _stack_global(self, _: Any) -> None:
        module, name = self._popped(2)
        self._named(str(module), str(name))

    def _named(self, module: str, name: str) -> None:
        found = Name(module, name)
        self.names.add(str(found))
        self.stack.append(found)

    def _tuple(self, _: Any) -> None:
        self.stack.append(tuple(self._to_mark()))

    def _tuple1(self, _: Any) -> None:
        self.stack.append(self._popped(1))

    def _tuple2(self, _: Any) -> None:
        self.stack.append(self._popped(2))

    def _tuple3(self, _: Any) -> None:
        self.stack.append(self._popped(3))

    def _list(self, _: Any) -> None:
        self.stack.append(self._to_mark())

    def _frozenset(self, _: Any) -> None:
        self.stack.append(self._to_mark())

    def _dict(self, _: Any) -> None:
        flat = self._to_mark()
        self.stack.append({})
        self._set_all(flat)

    def _append(self, _: Any) -> None:
        (value,) = self._popped(1)
        self._add([value])

    def _appends(self, _: Any) -> None:
        self._add(self._to_mark())

    _additems = _appends

    def _add(self, values: list[Any]) -> None:
        if isinstance(self.stack[-1], list):
            self.stack[-1].extend(values)

    def _setitem(self, _: Any) -> None:
        self._set_all(list(self._popped(2)))

    def _setitems(self, _: Any) -> None:
        self._set_all(self._to_mark())

    def _set_all(self, flat: list[Any]) -> None:
        target = self.stack[-1]
        if isinstance(target, dict):
            for key, value in zip(flat[::2], flat[1::2], strict=True):
                target[key if isinstance(key, str | int | float) else str(key)[:80]] = value

    def _reduce(self, _: Any) -> None:
        function, arguments = self._popped(2)
        self.stack.append(self._made(Call(function, tuple(arguments))))

    _newobj = _reduce

    def _newobj_ex(self, _: Any) -> None:
        kind, arguments, _named = self._popped(3)
        self.stack.append(self._made(Call(kind, tuple(arguments))))

    def _obj(self, _: Any) -> None:
        kind, *arguments = self._to_mark()
        self.stack.append(self._made(Call(kind, tuple(arguments))))

    def _inst(self, both: str) -> None:
        arguments = self._to_mark()
        self._global(both)
        (kind,) = self._popped(1)
        self.stack.append(self._made(Call(kind, tuple(arguments))))

    def _build(self, _: Any) -> None:
        (state,) = self._popped(1)
        # An object with attributes counts as the mapping of them, where it is not one itself.
        if isinstance(self.stack[-1], Call) and isinstance(state, dict):
            self.stack[-1] = state

    def _persid(self, key: Any) -> None:
        self.stack.append(Persistent(key))

    def _binpersid(self, _: Any) -> None:
        self.stack.append(Persistent(self.stack.pop()))
