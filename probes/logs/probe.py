"""The probe that reads logs, metric records and event files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Literal

from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.probe import Findings, InputSeen, Progress

from ..inputs import Input, Kind
from ..pasted import PastedCode
from ..printed import PrintedSettings, are_nearly_all
from ..text import Unreadable
from .around import Around
from .blocks import Block, Blocks
from .collected import Collected
from .conclude import Conclusion
from .heard import Heard
from .hits import Hits
from .lines import Lines
from .listening import Listener
from .log import Log
from .passing import Passing
from .positions import Positions
from .scan import Scan
from .signatures import for_machines
from .store import Store
from .written import Written

if TYPE_CHECKING:
    from .noticing import Noticing

FULL = 256 << 20
"""Bytes up to which every number of a log is read; of a larger one they are sampled."""
_BLANK = 4096
"""A log up to here that holds nothing but blanks is empty."""
SPEED = 20e6
"""Bytes a second, for the estimate of what reading will cost."""
_KINDS = (Kind.LOG, Kind.RECORDS, Kind.EVENTS)

Mode = Literal["auto", "full", "triage"]


class LogProbe:
    """Reads all logs, records and event files of a run, and gives facts with their places.

    It implements the Probe protocol. After `run`, `printed_settings` holds the settings that the
    logs show, for the readers of configurations, and `pasted_code` the code. `noticing` looks at a log that grows while it is read.
    """

    id = "logs"

    def __init__(
        self,
        inputs: Sequence[Input],
        knowledge: Knowledge,
        *,
        scan: Mode = "auto",
        progress: Progress | None = None,
        noticing: Noticing | None = None,
        prose: bool = True,
    ) -> None:
        self._inputs = [one for one in inputs if one.kind in _KINDS]
        self._knowledge, self._mode = knowledge, scan
        self._noticing, self._prose = noticing, prose
        self._facts = Collected(knowledge)
        self._machines = knowledge.once(for_machines)
        self._hits = Hits(self._facts)
        self._findings = Findings()
        self._logs: list[Log] = []
        self._settings: list[PrintedSettings] = []
        self._passing = Passing(progress, noticing)

    @property
    def gives(self) -> frozenset[str]:
        """Everything below these names, and what signatures establish besides."""
        if not self._inputs:
            return frozenset()
        prefixes = ("log.*", "loss.*", "grad.norm.*", "gpu.*", "dist.*", "process.*", "env.*")
        rules = self._knowledge.signatures.values()
        others = {name for rule in rules for name in (*rule.facts, *rule.captures.values())}
        return frozenset((*prefixes, *others))

    @property
    def cost(self) -> float:
        """Seconds, by the size of the inputs."""
        return sum(one.size for one in self._inputs) / SPEED

    @property
    def asked_for(self) -> bool:
        """Whether there is anything to read; what a run printed is always worth it."""
        return bool(self._inputs)

    @property
    def printed_settings(self) -> list[PrintedSettings]:
        """The settings that the logs print, in their order."""
        return list(self._settings)

    @property
    def pasted_code(self) -> list[PastedCode]:
        """The pieces of code in what a person wrote, in their order."""
        return [PastedCode(log.name, *piece) for log in self._logs for piece in log.heard.code]

    def run(self) -> Findings:
        """Read everything."""
        for source in self._inputs:
            self._read(source)
        if self._logs:
            conclusion = Conclusion(self._knowledge, self._machines, self._hits, self._facts)
            conclusion.draw(self._logs)
            self._findings.events = conclusion.events
            self._findings.unknowable = conclusion.unknowable
        self._findings.facts = list(self._facts)
        self._findings.excerpts = self._passing.excerpts
        return self._findings

    # -- reading

    def _read(self, source: Input) -> None:
        note, bad, size, kind = "", False, source.size, source.kind
        try:
            if source.kind is Kind.LOG:
                note, size, kind = self._read_log(source)
            elif source.kind is Kind.RECORDS:
                note, size, bad = self._read_records(source)
            else:
                note = self._read_events(source)
        except Unreadable as error:
            note, bad = str(error), True
        except Exception as error:  # noqa: BLE001 - one log that breaks the reader takes no other with it
            note, bad = f"reading it broke, a fault of traindx: {type(error).__name__}: {error}", True
        self._findings.inputs.append(InputSeen(source.name, kind.value, size, note, bad))

    def _read_log(self, source: Input) -> tuple[str, int, Kind]:
        """Read a log. Gives what is to note, its size, and what it turned out to be: all of it may be settings."""
        listener = Listener(source.name, self._knowledge, self._machines, self._hits, self._facts)
        scan = Scan(self._knowledge, listener)
        blocks = Blocks(source, growing=self._noticing is not None)
        log = Log(source.name, scan.store, scan.positions, scan.lines, listener.heard)
        if self._noticing is not None:
            self._noticing.begin(log, self._hits, listener.raising.settle)
        watched = self._passing.through(source, blocks)
        if not (first := next(watched, None)) or (blocks.size < _BLANK and first.data.isspace()):
            raise Unreadable("; ".join(blocks.notes) or "empty")
        notes = self._feed(source, scan, listener, first, watched)
        scan.close()
        self._settings += listener.settings.blocks
        self._logs.append(log)
        notes += blocks.notes
        if log.store.full:
            notes.append("more kinds of numbers than are kept")
        kind = Kind.CONFIG if are_nearly_all(listener.settings.blocks, first.data) else Kind.LOG
        return "; ".join(notes), blocks.size, kind

    def _feed(
        self, source: Input, scan: Scan, listener: Listener, first: Block, others: Iterator[Block]
    ) -> list[str]:
        written = Written(self._knowledge, scan, listener)
        if self._prose and self._noticing is None and not source.printed:
            if written.applies(first, source.name):
                written.read(chain((first,), others))
                return listener.heard.leave_out_document(first.data)
            first, others = Around(self._knowledge).hear(written, first, others)
        if self._mode == "triage" or (self._mode == "auto" and source.size > FULL):
            from .triage import Triage

            triage = Triage(scan, listener, source.size)
            triage.read(chain((first,), others))
            return [triage.note] if triage.note else []
        for block in chain((first,), others):
            scan.feed(block)
        return []

    def _read_records(self, source: Input) -> tuple[str, int, bool]:
        from .records import Records
        from .rows import NoRecords, rows_of

        blocks = Blocks(source, growing=self._noticing is not None)
        lines, store = Lines(self._knowledge), Store()
        records = Records(lines.names, store, lines.formats)
        log = Log(source.name, store, Positions(lines), lines, Heard(), is_text=False)
        if self._noticing is not None:
            self._noticing.begin(log, self._hits, records.flush)
        try:
            for row in rows_of(self._passing.through(source, blocks)):
                records.take(row)
        except NoRecords as error:
            return f"no metric records: {error}", source.size, source.named
        records.flush()
        log.positions.total_steps = records.total_steps
        self._logs.append(log)
        return "; ".join(blocks.notes), blocks.size, False

    def _read_events(self, source: Input) -> str:
        from .events import NoEvents, read_events

        lines, store = Lines(self._knowledge), Store()
        try:
            count = read_events(source, lines.names, store)
        except NoEvents as error:
            raise Unreadable(str(error)) from None
        self._logs.append(Log(source.name, store, Positions(lines), lines, Heard(), is_text=False))
        return "" if count else "no single numbers in it"
