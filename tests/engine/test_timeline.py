"""What happened, each thing once."""

from __future__ import annotations

import pytest

from traindx.engine.diagnose import diagnose
from traindx.engine.facts import Place
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.probe import Event, Findings


class Read:
    """A probe that read these events."""

    id, cost, asked_for = "logs", 0.1, True
    gives: frozenset[str] = frozenset()

    def __init__(self, events: list[Event]) -> None:
        self._events = events

    def run(self) -> Findings:
        return Findings([], events=self._events)


@pytest.mark.parametrize(
    ("ranks", "shown"),
    [
        ((None,), "it broke"),
        ((None, None), "it broke (2 times)"),
        ((0, 0, 0), "it broke (3 times)"),
        ((0, 1, 2), "On 3 ranks: it broke"),
        ((None, 0), "it broke (2 times)"),
    ],
)
def test_what_every_rank_says_is_one_thing(
    knowledge: Knowledge, ranks: tuple[int | None, ...], shown: str
) -> None:
    events = [Event("it broke", Place("a.log", line, rank=rank)) for line, rank in enumerate(ranks, 3)]
    timeline = diagnose(knowledge, [Read(events)]).diagnosis.timeline
    assert [(one.what, one.source.line) for one in timeline] == [(shown, 3)]


def test_two_logs_keep_what_each_of_them_says(knowledge: Knowledge) -> None:
    events = [Event("it broke", Place(name, 1)) for name in ("a.log", "b.log")]
    timeline = diagnose(knowledge, [Read(events)]).diagnosis.timeline
    assert [one.what for one in timeline] == ["it broke", "it broke"]
