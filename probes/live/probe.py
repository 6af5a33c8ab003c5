"""The probe that reads what the observers of a watched run wrote."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from traindx.engine.facts import Fact, Place
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.probe import Event, Findings, InputSeen

from .apart import are_apart, aside
from .crowd import tell_crowd
from .curve_facts import facts_of
from .curves import Curve, curves_of
from .endings import ended_by_itself, tell_end
from .failures import read_failures
from .feeders import standing, tell_failed_feeder, tell_unread_queue
from .native import tell_fault
from .partners import tell_failed_rank, tell_parted_ranks
from .printed import printed_facts
from .processes import RUN, Process, Record
from .ranks import tell_drift, tell_same_samples
from .setting import of_another_kind, tell_setting
from .shares import tell_shares
from .standstill import tell_standstill
from .told import LiveFacts, Undeclared
from .warned import read_warnings
from .watched import what_was_watched

_MOMENTS = {
    "loss.nonfinite": "The loss is NaN or Inf for the first time",
    "grad.norm.nonfinite": "The gradient norm is NaN or Inf for the first time",
    "loss.eval.nonfinite": "The validation loss is NaN or Inf for the first time",
    "loss.spike": "The largest spike of the loss",
    "dist.ranks_drift": "Ranks hold different parameters",
}
MAX_EVENTS = 300


class LiveProbe:
    """Turns the records of a watched run into facts, with the steps, ranks and lines where they were seen.

    `source` is the folder of the run, or the records of each of its processes. `status` is the exit
    code of the command where it is known, negative for a signal. It implements the Probe protocol.
    """

    id = "live"

    def __init__(
        self, source: Path | Sequence[Sequence[Record]], knowledge: Knowledge, *, status: int | None = None
    ) -> None:
        self._source, self._knowledge, self._status = source, knowledge, status
        self._facts = LiveFacts(knowledge)
        self._findings = Findings()

    @property
    def gives(self) -> frozenset[str]:
        """A watched run may show anything."""
        names = (
            "act",
            "config",
            "data",
            "dist",
            "env",
            "gpu",
            "grad",
            "log",
            "loss",
            "model",
            "process",
            "test",
        )
        return frozenset(f"{name}.*" for name in names)

    @property
    def cost(self) -> float:
        """Seconds."""
        return 0.1

    @property
    def asked_for(self) -> bool:
        """Whoever watches a run wants to know."""
        return True

    def run(self) -> Findings:
        """Read the records of all processes."""
        processes = self._read()
        trainers = _trainers(processes)
        self._take_said(processes)
        curves = curves_of(trainers)
        self._take_curves(curves)
        if optimizers := {one.optimizer for one in curves}:
            self._facts.take_all(printed_facts(trainers, self._knowledge, several=len(optimizers) > 1))
        elif self._facts.value("log.gradients_by_hand"):
            self._facts.take_all(printed_facts(trainers, self._knowledge, of_training=True))
        failures = read_failures(processes, self._knowledge)
        self._facts.take_all(failures.facts)
        warnings = read_warnings(processes, self._knowledge)
        self._facts.take_all(warnings.facts)
        events = [*failures.events, *warnings.events, *self._said_events(processes)]
        tell_fault(self._facts, processes)
        tell_failed_feeder(self._facts, processes)
        tell_unread_queue(self._facts, processes)
        tell_crowd(self._facts, processes)
        if trainers:
            world = max(one.world_size for one in trainers)
            tell_setting(self._facts, min(trainers, key=lambda one: one.rank or 0), world_size=world)
            tell_drift(self._facts, trainers, self._knowledge.limits["ranks_differ"])
            tell_same_samples(self._facts, trainers)
            tell_failed_rank(self._facts, trainers, processes, over=ended_by_itself(self._status))
            tell_parted_ranks(self._facts, trainers)
            stand = standing(trainers, processes)
            events += tell_standstill(self._facts, stand, self._status, processes)
        events += tell_end(self._facts, processes, self._status)
        self._findings.events = sorted(events, key=_by_step)[:MAX_EVENTS]
        watched = what_was_watched(self._facts, curves, trainers, over=self._status is not None)
        self._findings.inputs.append(InputSeen(RUN, "live", note=watched))
        self._findings.facts = list(self._facts)
        return self._findings

    def _read(self) -> list[Process]:
        if not isinstance(self._source, Path):
            return [Process(records) for records in self._source]
        from .records import read_run

        run = read_run(self._source)
        self._findings.notes += run.notes
        return [Process(records) for records in run.processes]

    def _take_said(self, processes: Sequence[Process]) -> None:
        """What the observers' own checks said, and where they failed."""
        unknown: dict[str, None] = {}
        for process in processes:
            for record in process.facts():
                name = str(record.get("name"))
                try:
                    self._facts.latest(
                        name, record.get("value"), process.place(record), str(record.get("note") or "")
                    )
                except Undeclared:
                    unknown[name] = None
            for record in process.of("trouble"):
                text = f"watching stopped in part, a fault of traindx: {record.get('part')}: {record.get('error')}"
                self._findings.notes.append(text)
        if unknown:
            self._findings.notes.append(
                f"facts that this version does not know were left out: {', '.join(unknown)}"
            )

    def _take_curves(self, curves: Sequence[Curve]) -> None:
        alone = not (are_apart(curves) or self._facts.value("loss.terms_change"))
        moves = self._facts.value("loss.target_moves")
        brief = {id(one) for one in aside(curves)}
        others = {one: of_another_kind(one) for one in {curve.process for curve in curves}}
        for curve in curves:
            compares = (
                alone
                and id(curve) not in brief
                and not (moves and not curve.explodes(self._knowledge.limits["moving_target"]))
            )
            rates = curve.optimizer not in others[curve.process]
            self._facts.take_all(
                fact
                for fact in facts_of(curve, self._knowledge.limits, alone=compares)
                if rates or not fact.name.startswith("log.lr.")
            )
        if curves:
            self._facts.tell("log.has_metrics", True, Place(RUN))
            lead = max(curves, key=lambda one: (-(one.process.rank or 0), one.count))
            tell_shares(self._facts, lead.times, self._knowledge.limits, Place(RUN, step=lead.steps))

    def _said_events(self, processes: Sequence[Process]) -> list[Event]:
        events = [
            Event(str(record.get("what")), process.place(record))
            for process in processes
            for record in process.of("event")
        ]
        return events + [
            Event(text, fact.places[0]) for fact in self._facts if (text := _moment(fact)) and fact.places
        ]


def _trainers(processes: Sequence[Process]) -> list[Process]:
    """The processes whose loop counts: those that trained, else the ranks, else what was started."""
    chosen = (
        [one for one in processes if one.trains],
        [one for one in processes if one.rank is not None],
        [one for one in processes if one.role == "main"],
    )
    return next((some for some in chosen if some), [])


def _moment(fact: Fact) -> str:
    return _MOMENTS.get(fact.name, "") if fact.value is True else ""


def _by_step(event: Event) -> tuple[bool, float]:
    step = event.place.step
    return step is None, float(step or 0)
