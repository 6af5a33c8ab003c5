"""What happened in a run, and where: what its lines announce, what was raised, and when its numbers broke."""

from __future__ import annotations

from collections.abc import Sequence

from traindx.engine.facts import Origin
from traindx.engine.probe import Event
from traindx.engine.redact import excerpt

from .collected import SHOWN, Collected
from .failures import Failure
from .frames import Places
from .hits import Hits
from .loss_facts import HIDDEN

MOST = 300
"""Events that are kept, and failures that are looked at."""
_MOMENTS = {
    "loss.nonfinite": "The loss is NaN or Inf for the first time",
    "grad.norm.nonfinite": "The gradient norm is NaN or Inf for the first time",
    "loss.eval.nonfinite": "The validation loss is NaN or Inf for the first time",
    "loss.rises_from": "The loss rises from here on, and does not come back",
    "loss.spike": "The largest spike of the loss",
}
_HIDDEN = "The loss is shown as 0, or not at all, where it must be NaN"


def happened(hits: Hits, failures: Sequence[Failure], places: Places, facts: Collected) -> list[Event]:
    """The events of all logs in the order of their lines, at most MOST."""
    events = [*_announced(hits, failures), *_raised(failures, places), *_broken(facts)]
    return sorted(events, key=lambda event: (event.place.input, event.place.line or 0))[:MOST]


def _announced(hits: Hits, failures: Sequence[Failure]) -> list[Event]:
    raised = {(one.place.input, one.place.line) for one in failures[:MOST]}
    events = list[Event]()
    for hit in hits.found.values():
        if hit.origin is Origin.LOG and hit.rule.role != "context":
            often = f" ({hit.count} times)" if hit.count > 1 else ""
            quoted = hit.rule.role == "failure" and (hit.place.input, hit.place.line) not in raised
            events.append(Event(hit.rule.means + often, hit.place, hit.place.text if quoted else ""))
    return events


def _raised(failures: Sequence[Failure], places: Places) -> list[Event]:
    events = list[Event]()
    for failure in failures[:MOST]:
        said = excerpt(failure.raised.title, SHOWN)
        own = places.own(failure.raised.frames)
        events.append(Event(f"{own.where} raises {said}" if own else said, failure.place))
    return events


def _broken(facts: Collected) -> list[Event]:
    events = list[Event]()
    for name, what in _MOMENTS.items():
        fact = facts.get(name)
        if fact is None or fact.place is None or fact.origin is not Origin.LOG or fact.value is False:
            continue
        if name == "loss.spike" and facts.get("loss.rises_from") is not None:
            # What goes up and up has no spike that would tell when it went wrong.
            continue
        events.append(Event(_HIDDEN if fact.note == HIDDEN else what, fact.place))
    return events
