"""From a definition of a name to what it stands for: what was assigned, added or kept, or what a call handed over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from .parts import handed
from .program import CALLED_AS, Program
from .scopes import EACH, Definition
from .ways import Origin, Way, named_parts

MAX_CALLERS = 5
"""How many calls of one function are looked at."""


def defined(way: Way, one: Definition, *, mixes: bool) -> Iterator[Way | Origin]:
    """What a definition other than a parameter gives. One that mixes takes what was there before `+=` in as well."""
    if one.value is None or one.is_code:
        yield way.end("data" if one.kind == "import" else "lost")
    elif one.kind == "augment" and not mixes:
        yield way.to(one.value).end("made")
    elif one.kind == "augment":
        yield from (way.to(part, path=()) for part in named_parts(one.value)[1:])
    elif one.kind == "add":
        # Which of the elements that were added it is, nobody knows.
        yield way.to(one.value, path=(*one.path, *way.path[1:]), sure=not way.path or way.path[0] == EACH)
    elif one.kind == "entry":
        if way.path and (
            one.key is None or way.path[0] in (one.key, EACH) or not isinstance(way.path[0], type(one.key))
        ):
            yield way.to(one.value, path=(*one.path, *way.path[1:]))
    else:
        yield way.to(one.value, path=(*one.path, *way.path))


def passed(way: Way, one: Definition, program: Program) -> Iterator[Way | Origin]:
    """What a parameter is: what an entered call hands over, else what the program's own calls of the function do."""
    function = one.block
    if way.frame and way.frame.function is function:
        given = handed(way.frame.call, function, one.name)
        if given is not None:
            yield replace(way, node=given, module=way.frame.module, frame=way.frame.outer)
        else:
            yield way.to(one.value) if one.value is not None else way.end("data")
        return
    name = function.owner.name if function.owner and function.name == "__init__" else function.name
    known = program.function(name) is function or function.owner is not None
    calls = program.calls.get(name, []) if known and function.name not in CALLED_AS else []
    if not calls or len(calls) > MAX_CALLERS:
        yield way.end("data")
    for call, module in calls[:MAX_CALLERS]:
        given = handed(call, function, one.name) or one.value
        if given is None:
            yield way.end("data")
        else:
            yield replace(way, node=given, module=module, frame=None, sure=way.sure and len(calls) == 1)
