"""What the lead process of a watched run printed, read as a log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from traindx.engine.facts import Fact, Place
from traindx.engine.kb.knowledge import Knowledge

from ..inputs import Input, Kind
from .processes import RUN, Process

_TAKEN = ("loss.eval.", "log.accuracy.", "log.eval_accuracy.", "loss.gap", "loss.divergence_vanished")
"""The facts that nothing else in a watched run can tell: of validation, and scores. What is seen of the training itself is better known."""
_OF_AGENT = ("log.reward.", "log.agent_trains")
"""What an agent earns is told by the script alone too, and belongs to it however many optimizers its parts have."""
_LEFT = frozenset([
    "log.eval_accuracy.perfect_early", "loss.eval.below_train", "log.accuracy.first", "log.accuracy.constant",
])  # fmt: skip
"""Small problems, on which runs are tried out, are learnt at once and to the last sample: that is no reason for suspicion."""


def printed_facts(
    processes: Iterable[Process], knowledge: Knowledge, *, several: bool = False
) -> Iterator[Fact]:
    """What its lines say of validation and of rewards.

    `several`: with several optimizers there are several models or phases, and whose validation is printed is not known.
    """
    lead = next((one for one in processes if next(one.of("printed"), None)), None)
    if lead is None:
        return
    from ..logs import LogProbe

    text = "\n".join(_lines(lead))
    source = Input(RUN, Kind.LOG, data=text.encode("utf-8", "replace"))
    taken = _OF_AGENT if several else (*_TAKEN, *_OF_AGENT)
    for fact in LogProbe([source], knowledge, prose=False).run().facts:
        if fact.name.startswith(taken) and fact.name not in _LEFT:
            places = tuple(Place(RUN, step=one.step, text=one.text) for one in fact.places)
            yield fact._replace(places=places)


def _lines(process: Process) -> Iterator[str]:
    for record in process.of("printed"):
        yield from map(str, record.get("lines") or ())
