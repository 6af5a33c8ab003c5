"""`diagnose memory`: which tensors hold the memory of a step, and which lines made them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click

from traindx.engine.report.lines import Line, Span, line_of

from . import options
from .errors import BadCall
from .exit_codes import NOTHING_FOUND

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


@click.command(context_settings=options.COMMAND)
@options.the_command
@click.option(
    "--skip",
    type=click.IntRange(min=1),
    default=2,
    show_default=True,
    metavar="N",
    help="Steps before the one that is looked at.",
)
@click.option(
    "--top",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    metavar="N",
    help="Groups of tensors to list.",
)
@options.colour
def memory(command: tuple[str, ...], skip: int, top: int, colour: bool | None) -> int:
    """List the largest tensors alive before the backward pass of a step, by the line that made them.

    The command runs for a few steps and then ends.
    """
    from . import terminal
    from .trying import observed

    with observed(command, {"bare": True, "stop_after": skip + 1, "hogs": skip}) as run:
        found = next(run.records("hogs"), None)
        error = next(run.records("exception"), {})
    if found is None:
        why = f"it raised {error.get('type')}" if error else f"it came to no more than {skip} optimizer steps"
        raise BadCall(f"nothing was measured: {why}")
    terminal.show(_table(found, top), colour=terminal.in_colour(colour))
    return NOTHING_FOUND


def _table(found: Mapping[str, Any], top: int) -> Iterator[Line]:
    groups = [one for one in found.get("groups") or () if isinstance(one, dict)]
    whole = sum(int(one.get("bytes") or 0) for one in groups)
    yield Line()
    yield line_of(
        Span(f"Before the backward pass of step {found.get('step')}: {size(whole)} in tensors", "title")
    )
    kinds: dict[str, int] = {}
    for one in groups:
        kinds[str(one.get("what"))] = kinds.get(str(one.get("what")), 0) + int(one.get("bytes") or 0)
    parts = sorted(kinds.items(), key=lambda kind: -kind[1])
    yield line_of("  " + ", ".join(f"{name} {size(count)}" for name, count in parts))
    yield Line()
    for one in groups[:top]:
        yield line_of(
            f"  {size(int(one.get('bytes') or 0)):>10}  {int(one.get('count') or 0):>4} x "
            f"{one.get('shape') or 'a number'} {one.get('dtype')}, {one.get('what')}",
            *((Span(f"  [{one['where']}]", "place"),) if one.get("where") else ()), hang=18,
        )  # fmt: skip


def size(count: float) -> str:
    """A number of bytes in the largest unit of which there is at least one."""
    for unit in _UNITS[:-1]:
        if count < 1024:
            return f"{count:.3g} {unit}"
        count /= 1024
    return f"{count:.3g} {_UNITS[-1]}"
