"""Settings that no configuration tells, and that the run itself shows: the learning rate that its log prints."""

from __future__ import annotations

from .facts import Facts
from .kb.knowledge import Knowledge


def with_stand_ins(facts: Facts, knowledge: Knowledge) -> Facts:
    """The facts, and such settings as they were seen.

    Fixes start from them, and nobody is asked for them. Causes are not judged by them a second time.
    """
    seen = [
        fact._replace(name=name, note=f"as seen in {one.seen_as}")
        for one in knowledge.settings.values()
        if one.seen_as and (name := f"config.{one.id}") not in facts and (fact := facts.get(one.seen_as))
    ]
    if not seen:
        return facts
    every = facts.copy()
    every.extend(seen)
    return every
