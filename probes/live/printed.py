"""What the lead process of a watched run printed, read as a log."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from traindx.engine.facts import Fact, Place
from traindx.engine.kb.knowledge import Knowledge

from ..inputs import Input, Kind
from .processes import RUN, Process

_TAKEN = (
    "loss.eval.",
    "log.accuracy.",
    "log.eval_accuracy.",
    "loss.first_epoch",
    "loss.gap",
    "loss.divergence_vanished",
)
"""The facts that nothing else in a watched run can tell: of validation, and scores. What is seen of the training itself is better known."""
_OF_TRAINING = ("loss.", "grad.norm.", "log.lr.", "log.steps", "log.has_metrics")
"""Where no optimizer of torch steps, and the script trains all the same, what it prints of that is all there is."""
_OF_AGENT = ("log.reward.", "log.agent_trains", "log.policy_trains")
"""What an agent earns is told by the script alone too, and belongs to it however many optimizers its parts have."""
_LEFT = frozenset([
    "log.eval_accuracy.perfect_early", "loss.eval.below_train", "log.accuracy.first", "log.accuracy.constant",
])  # fmt: skip
"""Small problems, on which runs are tried out, are learnt at once and to the last sample: that is no reason for suspicion."""

_BY_TORCH = re.compile(r"(?:\[rank\d+\]:)?[VIWEC]\d{4} \d\d:\d\d:\d\d\.\d+ ")
"""How a line of torch's own loggers begins: the severity, month and day, the time. What it says, torch has seen, and not the script."""


def printed_facts(
    processes: Iterable[Process], knowledge: Knowledge, *, several: bool = False, of_training: bool = False
) -> Iterator[Fact]:
    """What its lines say of validation and of rewards, and what torch itself logs in them.

    `several`: with several optimizers there are several models or phases, and whose validation is printed is not known.
    `of_training`: nothing was seen of the training itself.
    """
    lead = next((one for one in processes if next(one.of("printed"), None)), None)
    if lead is None:
        return
    from ..logs import LogProbe

    lines = list(_lines(lead))
    by_torch = {number for number, line in enumerate(lines, start=1) if _BY_TORCH.match(line)}
    text = "\n".join(lines)
    source = Input(RUN, Kind.LOG, data=text.encode("utf-8", "replace"))
    taken = _OF_AGENT if several else (*_TAKEN, *_OF_AGENT)
    taken = (*taken, *_OF_TRAINING) if of_training else taken
    for fact in LogProbe([source], knowledge, prose=False).run().facts:
        logged = by_torch and bool(fact.places) and all(place.line in by_torch for place in fact.places)
        if logged or (fact.name.startswith(taken) and fact.name not in _LEFT):
            places = tuple(Place(RUN, step=one.step, text=one.text) for one in fact.places)
            yield fact._replace(places=places)


def _lines(process: Process) -> Iterator[str]:
    for record in process.of("printed"):
        yield from map(str, record.get("lines") or ())
