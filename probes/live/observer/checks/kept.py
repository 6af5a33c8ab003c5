"""Which marked graphs a variable leads to: through lists, objects and arrays of objects, however they stand in each other."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

from ..graphs import grad_fn_of
from ..look.values import tensors_in

MARK = "traindx"
"""The key of our mark in the notes of a node of the graph."""

NODES = 200
"""Nodes of a graph that are searched for a mark."""

LAST = 64
"""Entries at the end of a list that are looked at, empty places aside."""

LONG = 200_000
"""Entries that a list may have, for it is copied."""

DEPTH = 7
"""How deep containers and objects stand in each other."""

MOST = 20_000
"""Things that are looked at."""

PLAIN = (
    str,
    bytes,
    int,
    float,
    complex,
    type(None),
    type,
    ModuleType,
    FunctionType,
    BuiltinFunctionType,
    MethodType,
)
"""What leads to no tensors, or to everything."""


class Marks:
    """The marks that are looked for, by their ids."""

    def __init__(self, torch: ModuleType, wanted: set[int]) -> None:
        self.torch = torch
        self.tensor = torch.Tensor
        self._wanted = wanted

    def within(self, container: Any) -> set[int]:
        """Those that the last entries of a list or dict lead to."""
        entries = last_of(list(container.values()) if isinstance(container, dict) else container)
        found: set[int] = set()
        for one in entries:
            if isinstance(one, (self.tensor, tuple, list, dict)):
                for tensor in tensors_in(self.tensor, one):
                    found |= self.below(tensor)
        return found

    def below(self, tensor: Any, most: int = NODES) -> set[int]:
        """Those that stand in the last nodes of its graph."""
        nodes, found, seen = [grad_fn_of(tensor)], set(), 0
        while nodes and seen < most:
            node = nodes.pop()
            if node is None:
                continue
            seen += 1
            notes = getattr(node, "metadata", None)
            if isinstance(notes, dict) and MARK in notes:
                found.add(id(notes[MARK]))
                continue
            nodes += [parent for parent, _ in node.next_functions[:4]]
        return found & self._wanted


class Found(NamedTuple):
    """What leads to so many graphs: its name, what it is, and the class that has it as an attribute."""

    name: str
    kind: str
    owner: type | None


class Descent:
    """Looks for the innermost thing below a variable that leads to enough of the marks."""

    def __init__(self, marks: Marks, count: int) -> None:
        self._marks = marks
        self._count = count
        self._seen: set[int] = set()
        self._found: Found | None = None

    def below(self, value: Any, name: str) -> Found | None:
        """The variable itself, or what it has."""
        self._descend(value, name, None, DEPTH)
        found, self._found = self._found, None
        return found

    def _descend(self, value: Any, name: str, owner: type | None, depth: int) -> set[int]:
        if isinstance(value, PLAIN) or id(value) in self._seen or self._found or len(self._seen) >= MOST:
            return set()
        if isinstance(value, self._marks.tensor):
            found, kind = self._marks.below(value), "tensor"
        elif depth == 0 or is_foreign(self._marks.torch, value):
            return set()
        else:
            self._seen.add(id(value))
            found = set()
            entries = entries_of(value)
            kind = type(value).__name__ if entries is None else f"{type(value).__name__} of tensors"
            children = (
                [(name, owner, one) for one in entries]
                if entries is not None
                else [(key, type(value), one) for key, one in attributes_of(value)]
            )
            for inner, holder, one in children:
                found |= self._descend(one, inner, holder, depth - 1)
        if len(found) >= self._count and self._found is None:
            self._found = Found(name, kind, owner)
        return found


def is_foreign(torch: ModuleType, value: Any) -> bool:
    """Torch's own objects, but for modules, hold no results."""
    return type(value).__module__.partition(".")[0] == "torch" and not isinstance(value, torch.nn.Module)


def last_of(entries: Any) -> list[Any]:
    """The last entries; a memory of fixed size has empty places."""
    if len(entries) > LONG:
        return []
    return [one for one in list(entries) if one is not None][-LAST:]


def entries_of(value: Any) -> list[Any] | None:
    """The last of what a container or an array of objects holds; None where it is neither."""
    if isinstance(value, Mapping):
        return last_of(list(value.values())) if isinstance(value, dict) else []
    if isinstance(value, (list, deque, tuple, set, frozenset)):
        return last_of(value)
    if type(value).__module__ == "numpy" and type(value).__name__ == "ndarray":
        return last_of(value.ravel().tolist()) if value.dtype.hasobject and value.size <= LONG else []
    return None


def attributes_of(value: Any) -> Iterator[tuple[str, Any]]:
    """Those that are stored; nothing is computed."""
    try:
        own = object.__getattribute__(value, "__dict__")
    except AttributeError:
        own = {}
    yield from list(own.items()) if type(own) is dict else ()
    for kind in type(value).__mro__:
        for name in _slots(kind):
            member: Any = vars(kind).get(name)
            if type(member).__name__ == "member_descriptor" and hasattr(type(value), name):
                try:
                    yield name, member.__get__(value)
                except AttributeError:
                    continue  # empty as yet


def _slots(kind: type) -> tuple[str, ...]:
    slots = vars(kind).get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(slots)
