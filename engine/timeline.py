"""What happened, in the order of the inputs."""

from __future__ import annotations

from collections.abc import Sequence

from .diagnosis import Happened
from .gather import Gathered
from .probe import Event


def timeline(gathered: Gathered) -> tuple[Happened, ...]:
    """The events of a run. What several ranks say alike is told once."""
    order = {one.name: index for index, one in enumerate(gathered.inputs)}
    events = sorted(
        gathered.events, key=lambda one: (order.get(one.place.input, 0), one.place.line or 0, one.what)
    )
    # Every rank prints the error that ended it: it is one thing that happened.
    alike: dict[tuple[str, str, str], list[Event]] = {}
    for one in events:
        alike.setdefault((one.what, one.said, one.place.input), []).append(one)
    return tuple(
        Happened(_with_count(what, group), group[0].place, said) for (what, said, _), group in alike.items()
    )


def _with_count(what: str, group: Sequence[Event]) -> str:
    """What happened, with how often, where it was more than once."""
    ranks = {one.place.rank for one in group} - {None}
    if len(ranks) > 1:
        return f"On {len(ranks)} ranks: {what}"
    return f"{what} ({len(group)} times)" if len(group) > 1 else what
