"""`diagnose profile`: what ten steps spend their time on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click

from traindx.engine.report.lines import Line, Span, line_of

from . import options
from .errors import BadCall
from .exit_codes import NOTHING_FOUND

_NAME = 52


@click.command(context_settings=options.COMMAND)
@options.the_command
@click.option(
    "--steps",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    metavar="N",
    help="Steps that are profiled.",
)
@click.option(
    "--skip",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    metavar="N",
    help="Steps before: the first ones compile and allocate.",
)
@click.option(
    "--top", type=click.IntRange(min=1), default=20, show_default=True, metavar="N", help="Operators to list."
)
@options.colour
def profile(command: tuple[str, ...], steps: int, skip: int, top: int, colour: bool | None) -> int:
    """List the operators that take the most time in some steps of a training command, which then ends."""
    from . import terminal
    from .trying import observed

    options = {"bare": True, "stop_after": skip + steps + 1, "profile": {"skip": skip, "steps": steps}}
    with observed(command, options) as run:
        found = next(run.records("profile"), None)
    if found is None:
        raise BadCall(f"no profile was made: the run came to no more than {skip} optimizer steps")
    terminal.show(_table(found, top), colour=terminal.in_colour(colour))
    return NOTHING_FOUND


def _table(found: Mapping[str, Any], top: int) -> Iterator[Line]:
    rows = [one for one in found.get("operators") or () if isinstance(one, dict)]
    steps = max(1, int(found.get("steps") or 1))
    device = any(one.get("device") for one in rows)
    key = "device" if device else "self"
    whole = sum(float(one.get(key) or 0) for one in rows) or 1.0
    yield Line()
    where = "on the device" if device else "on the processor"
    yield line_of(Span(f"{steps} steps, {whole / 1000 / steps:.3g} ms {where} in each", "title"))
    yield line_of(Span(f"  {'operator':<{_NAME}}{'calls':>8}{'ms':>10}{'share':>8}", "dim"))
    for one in rows[:top]:
        yield _row(one, key, steps, whole)


def _row(one: Mapping[str, Any], key: str, steps: int, whole: float) -> Line:
    taken = float(one.get(key) or 0)
    name = str(one.get("name"))
    shown = name if len(name) < _NAME else name[: _NAME - 2] + "…"
    share = taken / whole
    return line_of(
        f"  {shown:<{_NAME}}{int(one.get('calls') or 0) / steps:>8.4g}{taken / 1000 / steps:>10.3g}",
        Span(f"{share:>8.1%}", "doubt" if share > 0.3 else ""),
    )
