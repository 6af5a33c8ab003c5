"""What only the whole of all logs tells: the failure behind the others, the curves, what is not there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from traindx.engine.facts import Fact, Place
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.probe import Event

from .collected import Collected
from .endings import tell_end, tell_missing, tell_out_of_memory, tell_out_of_step
from .failures import Failure, failures_of, tell_failures
from .frames import Places
from .happened import happened
from .hits import Hits
from .log import Log, tell_progress
from .numbers import prefer_named
from .overcome import begun_again_from, forget_overcome, training_from
from .people import People
from .series_facts import tell_series
from .signatures import Signatures
from .told import Told

_ENDED = "training-complete"
"""The signature of a run that says it is complete."""


class Conclusion:
    """Draws the facts of a diagnosis from logs that were read."""

    def __init__(self, knowledge: Knowledge, machines: Signatures, hits: Hits, facts: Collected) -> None:
        self._knowledge, self._machines, self._hits, self._facts = knowledge, machines, hits, facts
        self.events: list[Event] = []
        self.unknowable: dict[str, str] = {}

    def draw(self, logs: Sequence[Log]) -> None:
        """Add everything to the facts, and fill `events` and `unknowable`."""
        failures: list[Failure] = []
        tried: dict[str, int] = {}
        """The first line of a training that came to its end."""
        failed = any(hit.rule.role == "failure" for hit in self._hits.found.values())
        for log in logs:
            log.drop_strays()
            ends = [one.marks[-1].number for one in log.store if one.marks]
            log.heard.last_progress = max([log.positions.last_number, *ends])
            for one in log.store:
                if one.rank is not None and (end := one.last) is not None:
                    last = log.heard.last_of_rank.get(one.rank, 0)
                    log.heard.last_of_rank[one.rank] = max(last, end.mark.number)
            trains_from = training_from(log)
            ended = self._hits.lines_of(_ENDED, log.name) if failed or log.heard.raised else ()
            if ended:
                trains_from = max(trains_from, begun_again_from(log, ended))
                tried[log.name] = trains_from
            own = failures_of(log.heard, log.name, self._machines, self._hits, trains_from)
            if own and all(one.overcome for one in own):
                log.heard.first_traceback = None
            failures += own
        overcome = [one.place for one in failures if one.overcome]
        lines = ((one.input, one.line or 0) for one in overcome)
        forget_overcome(self._facts, self._hits, lines, tried)
        prefer_named([log.store for log in logs])
        places = Places(self._knowledge)
        first = tell_failures(self._facts, failures, places)
        People(self._knowledge, self._facts, self._hits).take(said for log in logs for said in log.heard.said)
        ordered = sorted(logs, key=_by_trouble)
        self._tell_how_far(ordered)
        for log in _whole(ordered):
            self._tell_curves(log)
        for fact in self._resumed(logs):
            self._facts.take(fact)
        self._tell_logs(logs, first)
        self._tell_absent(logs)
        self.events = happened(self._hits, failures, places, self._facts)
        self._tell_unknowable(logs)

    def _resumed(self, logs: Sequence[Log]) -> Iterator[Fact]:
        from .at_resume import tell_begun_anew, tell_loss_at_resume, tell_rate_at_resume
        from .resumed import tell_resumed

        limits = self._knowledge.limits
        if len(logs) > 1:
            yield from tell_resumed(logs, limits)
        if "training-started" in self._hits.found:
            for log in logs:
                yield from tell_begun_anew(log, limits)
        for log in logs:
            resumed = self._hits.lines_of("training-resumed", log.name)
            yield from tell_rate_at_resume(log, resumed, limits)
            yield from tell_loss_at_resume(log, resumed, limits)

    def _tell_how_far(self, logs: Sequence[Log]) -> None:
        """How far the run came: of a run that was resumed, its last log says it."""
        if len(logs) > 1:
            from .resumed import furthest_first

            logs = furthest_first(logs)
        for log in logs:
            told = log.told(self._knowledge.limits, self._hits)
            tell_progress(told, log)
            self._take(told)

    def _tell_curves(self, log: Log) -> None:
        told = log.told(self._knowledge.limits, self._hits)
        tell_series(told, log.store, log.positions, log.lines)
        self._take(told)

    def _take(self, told: Told) -> None:
        for fact in told.facts.values():
            self._facts.take(fact)

    def _tell_logs(self, logs: Sequence[Log], first: Failure | None) -> None:
        place = Place(logs[0].name)
        texts = [log for log in logs if log.is_text]
        if texts:
            self._facts.add("log.machine", any(log.heard.machine for log in texts), place)
        self._facts.add("log.has_metrics", any(log.has_curves() for log in logs), place)
        trainer = next((log.lines.formats.trainer for log in logs if log.lines.formats.trainer), "")
        if trainer:
            self._facts.add("log.trainer", trainer, place)
        machines = [log for log in texts if log.heard.machine]
        if machines:
            traceback = next(
                (log.heard.first_traceback for log in machines if log.heard.first_traceback), None
            )
            self._facts.add("log.traceback", traceback is not None, traceback or place)
        ranks = set().union(*(log.ranks() for log in logs))
        if ranks:
            self._facts.add("log.ranks", len(ranks), place)
            tell_missing(self._facts, self._hits, ranks)
            tell_out_of_step(self._facts, self._hits)
        tell_end(self._facts, self._hits, logs, first)
        self._tell_silence(logs)
        tell_out_of_memory(self._facts, self._hits, first)

    def _tell_silence(self, logs: Sequence[Log]) -> None:
        """How long the run stood still before something ended it, where its lines are dated."""
        if any(hit.rule.role == "failure" for hit in self._hits.found.values()):
            from .silence import tell_silence

            for log in logs:
                tell_silence(self._facts, self._hits, log)

    def _tell_absent(self, logs: Sequence[Log]) -> None:
        """A signature that was looked for in a whole log and not found is known not to be there."""
        read = [log for log in logs if log.is_text and log.heard.machine]
        if read:
            self._hits.absent(self._knowledge.signature_facts, Place(read[0].name))

    def _tell_unknowable(self, logs: Sequence[Log]) -> None:
        printed = {one.name.metric for log in logs for one in log.store}
        for prefix, metric, reason in _NEEDED:
            if not any(name.startswith(metric) for name in printed):
                if prefix == "loss." and "eval_loss" in printed:
                    reason = "no training loss is printed"
                for name in self._knowledge.once(_names_below)[prefix]:
                    if name not in self._facts:
                        self.unknowable[name] = reason


def _names_below(knowledge: Knowledge) -> dict[str, list[str]]:
    """The facts below each prefix of those that need something printed."""
    prefixes = [prefix for prefix, _, _ in _NEEDED]
    names = [name for name in knowledge.facts if name.startswith(tuple(prefixes))]
    return {prefix: [name for name in names if name.startswith(prefix)] for prefix in prefixes}


_NEEDED = (
    ("loss.eval.", "eval_loss", "no validation loss is printed"),
    ("loss.", ("loss", "adversarial_loss"), "no loss is printed"),
    ("grad.norm.", "grad_norm", "no gradient norm is printed"),
    ("log.lr.", "learning_rate", "no learning rate is printed"),
    ("log.loss_scale.", "loss_scale", "no loss scale is printed"),
)


def _whole(logs: Sequence[Log]) -> Sequence[Log]:
    """The logs, those of one run joined."""
    if len(logs) < 2:
        return logs
    from .joined import Joined
    from .resumed import runs_of

    return sorted((Joined(run) if len(run) > 1 else run[0] for run in runs_of(logs)), key=_by_trouble)


def _by_trouble(log: Log) -> tuple[bool, int]:
    """The log whose loss broke first, then the one that shows the most losses."""
    losses = [one for one in log.store if one.name.metric == "loss"]
    return not any(one.bad for one in losses), -max((one.count for one in losses), default=0)
