"""Canonical changes applied to the person's own files, each at the place that counts, and checked by reading again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from traindx.engine.facts import Origin, Scalar
from traindx.engine.kb.knowledge import Knowledge

from .asked_for import asked_for
from .combine import Read, counting, disagreements
from .dialect import Dialect
from .exact import File
from .homes import follows, homes, lacking, passed_over, ways_to_write, why_homeless
from .occurrence import Occurrence
from .patch import Applied, FilePatch, Patch, Refused
from .placing import Unplaceable, place_change
from .refusals import as_told, by_hand
from .spell import NotSpelled, is_all_off
from .trial import Trials
from .unchanged import misplaced
from .values import equal
from .way import Way

_UNSURE = "the file did not hold this key before: check that the script reads it"
Candidate: TypeAlias = tuple[Read, Dialect, Way, Occurrence | None]
"""A document, the dialect and the way to write a setting there, and where it stands now."""


def plan_edits(sources: Sequence[Read], changes: Mapping[str, Scalar], knowledge: Knowledge) -> Patch:
    """Change settings in the files they stand in.

    `sources` is what ConfigProbe read, `changes` canonical settings with their new values. Every
    change is tried on its own: the text is read again, and where anything but that setting differs,
    or it does not read as wanted, it is refused with the reason. Nothing is written here.
    """
    planner = _Planner(sources, knowledge)
    for setting, value in changes.items():
        planner.change(setting, value)
    return planner.patch()


class _Planner:
    def __init__(self, sources: Sequence[Read], knowledge: Knowledge) -> None:
        # What a run printed, or wrote down of itself, only mirrors its files.
        self.reads = [one for one in sources if one.document.origin is not Origin.LOG]
        self.mirrors = [one for one in sources if one.document.copied]
        self.originals = {read.document.file.name: read.document.file for read in self.reads}
        self.order = tuple(knowledge.settings)
        self.words = {setting: rule.words for setting, rule in knowledge.settings.items() if rule.words}
        self.trials = Trials(knowledge)
        self.asked_for = asked_for(self.reads)
        self.applied: list[tuple[str, Applied]] = []
        """The changes so far, each with the file it was made in."""
        self.refused: list[Refused] = []
        self.unchanged: dict[str, Scalar] = {}

    def patch(self) -> Patch:
        """All that was changed."""
        now = {read.document.file.name: read.document.file for read in self.reads}
        files = [self.of_file(original, now[name]) for name, original in self.originals.items()]
        changed = tuple(one for one in files if one.applied)
        return Patch(changed, tuple(self.refused), self.unchanged, tuple(self.reads))

    def of_file(self, original: File, now: File) -> FilePatch:
        return FilePatch(
            original, now.text, tuple(one for name, one in self.applied if name == original.name)
        )

    def change(self, setting: str, value: Scalar) -> None:
        """Make one change in every file that must agree on it, or say why not."""
        if setting not in self.order:
            self.refused.append(Refused(setting, "there is no such setting"))
            return
        now = self.counts(setting)
        if equal(now.value, value) if now is not None else self.is_off(setting, value):
            self.unchanged[setting] = value
        elif now is None and (
            words := follows(self.reads, setting) or passed_over([*self.reads, *self.mirrors], setting)
        ):
            self.refused.append(Refused(setting, words))
        elif computed := self.hidden(setting, now):
            self.refused.append(
                by_hand(setting, value, computed, "the value is computed when the script runs")
            )
        else:
            reads, applied = self.reads, list(self.applied)
            if reason := self.made(setting, value, now) or self.agreed(setting, value):
                self.reads, self.applied = reads, applied
                at_hand = now is not None or homes(self.reads, setting)
                mirrored = None if at_hand else as_told(self.mirrors, setting, value)
                lacks = bool(lacking([*self.reads, *self.mirrors], setting))
                self.refused.append(mirrored or by_hand(setting, value, now, reason, lacks=lacks))

    def counts(self, setting: str) -> Occurrence | None:
        """Where a setting stands now."""
        return next((one for one in counting(self.reads) if one.setting == setting), None)

    def is_off(self, setting: str, value: Scalar) -> bool:
        """Whether a value is what stands where none of the trainer's switches is given."""
        trainers = (read.trainer for read in self.reads if read.document.format == "shell")
        return any(
            is_all_off(way, value)
            for one in trainers
            if one is not None and one.bare_flags
            for way in one.settings.get(setting, ())
        )

    def hidden(self, setting: str, now: Occurrence | None) -> Occurrence | None:
        """A place that counts before the known one, whose value only running the script would tell."""
        for read in self.reads:
            for one in read.occurrences:
                before = now is None or (
                    one.document.origin.rank < now.document.origin.rank and one.entry.style == "computed"
                )
                if one.setting == setting and one.computed and before:
                    return one
        return None

    def made(self, setting: str, value: Scalar, now: Occurrence | None) -> str:
        """Make a change where it can be made. The reason where it cannot; empty where it was."""
        reasons: list[NotSpelled | Unplaceable] = []
        for candidate in self.candidates(setting, now):
            for all_keys in (False, True):
                try:
                    self.attempt(setting, value, candidate, all_keys=all_keys)
                except (NotSpelled, Unplaceable) as reason:
                    reasons.append(reason)
                else:
                    return ""
        if now is None:
            # That one of several ways has no word for it says less than that there is no place.
            reasons.sort(key=lambda one: isinstance(one, NotSpelled))
        return str(reasons[0]) if reasons else why_homeless([*self.reads, *self.mirrors])

    def candidates(self, setting: str, now: Occurrence | None) -> Iterator[Candidate]:
        """Where a change could be made, the best first: where the setting stands, else where it belongs."""
        if now is not None:
            read = next(one for one in self.reads if one.document is now.document)
            yield read, now.dialect, now.way, now
            for way in now.dialect.settings.get(now.setting, ()):
                if way is not now.way:
                    yield read, now.dialect, way, now
            return
        for read, dialect in homes(self.reads, setting):
            for way in ways_to_write(read, dialect, setting):
                yield read, dialect, way, None

    def attempt(self, setting: str, value: Scalar, candidate: Candidate, *, all_keys: bool) -> None:
        """Make a change in one way and keep it if it reads as wanted.

        Raises NotSpelled or Unplaceable with the reason.
        """
        read, dialect, way, old = candidate
        if value in self.words.get(setting, ()) and not _has_word(candidate, str(value)):
            raise NotSpelled(f"{dialect.title} has no word for `{value}` here")
        placed = place_change(
            read, dialect, way, setting, value, old, self.order, all_keys=all_keys, asked_for=self.asked_for
        )
        reads = self.trials.apply(self.reads, read, placed)
        there = [
            one
            for one in reads
            if one.document.name == read.document.name and one.document.format == read.document.format
        ]
        now = next((one for one in counting(there) if one.setting == setting), None)
        gone = now is None and placed.removed
        if not gone and (now is None or not equal(now.value, value)):
            told = (
                f"it would still read as {now.value}, as `{now.entry.key}` says"
                if now
                else "it would not be read"
            )
            raise Unplaceable(told)
        if placed.inserted and (section := misplaced(read, there, dialect)):
            raise Unplaceable(f"it would stand in `{section}`, where it is not looked for")
        self.reads = reads
        note = _UNSURE if placed.inserted and dialect.loose else ""
        applied = Applied(setting, old.value if old else None, value, read.document.place(placed.at), note)
        self.applied.append((read.document.file.name, applied))

    def agreed(self, setting: str, value: Scalar) -> str:
        """Make the same change in the other files that must agree. The reason where that fails."""
        for _ in self.reads:  # once a switch is gone from the file that counted, another may speak up
            if (now := self.counts(setting)) is None or equal(now.value, value):
                break
            if reason := self.made(setting, value, now):
                return f"{now.document.name} still says {now.value}: {reason}"
        for name, one, other in list(disagreements(self.reads)):
            if name == setting:
                behind = other if equal(one.value, value) else one
                if reason := self.made(setting, value, behind):
                    return f"{behind.document.name} must say the same: {reason}"
        return ""


def _has_word(candidate: Candidate, value: str) -> bool:
    """Whether a way says a word of ours in its own. `True` is no text that an option could take."""
    read, dialect, way, _ = candidate
    is_text = isinstance(way.values.get(value), str)
    return value in way.values and (is_text or dialect.bare_flags or read.document.format != "shell")
