"""The probe for configurations: what the run was asked to do, and what is wrong with how it was asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from traindx.engine.facts import Fact, Facts, Origin, Place
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.probe import EXCERPT, Findings, InputSeen
from traindx.engine.redact import safe

from ..inputs import Input, Kind
from ..printed import PrintedSettings
from . import mistakes
from .combine import Read, default_facts, disagreements, environment, setting_facts, versions_of
from .contradicting import checked
from .dialects import Dialects, dialects_of
from .misspelt import misspelt_keys
from .mistakes import Mistake
from .package_facts import package_facts
from .packages import is_package_list
from .reading import Reader
from .since import changed_since
from .twins import twins

Printed = Sequence[PrintedSettings] | Callable[[], Sequence[PrintedSettings]]
_KINDS = (Kind.CONFIG, Kind.CODE, Kind.PACKAGES)
_GIVES = (
    "config.*", "env.package.*", "env.packages", "env.python", "env.cuda", "env.visible_devices", "env.alloc_conf",
)  # fmt: skip
MOST_KEYS = 1000
"""Keys of which the names are kept."""
_VARIABLES = {
    "CUDA_VISIBLE_DEVICES": "env.visible_devices",
    "PYTORCH_CUDA_ALLOC_CONF": "env.alloc_conf",
    "PYTORCH_ALLOC_CONF": "env.alloc_conf",
}


class ConfigProbe:
    """Reads configurations, scripts, package lists and printed settings. It implements the Probe protocol.

    `printed` are the settings that logs show, or a function that gives them once the logs are read.
    After `run`, `sources` holds what was read, for edits, and `since` the settings that were changed since the log
    was written, each with that in words.
    """

    id = "configs"

    def __init__(self, inputs: Sequence[Input], knowledge: Knowledge, printed: Printed = ()) -> None:
        self._all, self._inputs = inputs, [one for one in inputs if one.kind in _KINDS]
        self._knowledge, self._printed = knowledge, printed
        self.sources: list[Read] = []
        self.since: Mapping[str, str] = {}

    @property
    def gives(self) -> frozenset[str]:
        """All settings and contradictions, packages, and the variables that scripts set."""
        return frozenset(_GIVES) if self._inputs or self._printed else frozenset()

    @property
    def cost(self) -> float:
        """Seconds: a configuration takes milliseconds."""
        return 0.01 * (len(self._inputs) + 1)

    @property
    def asked_for(self) -> bool:
        """Whether there is anything to read; that is always worth it."""
        return bool(self._inputs or self._printed)

    def run(self) -> Findings:
        """Read everything, and hand back what it says."""
        findings = Findings()
        lists = [one for one in self._inputs if one.kind is Kind.PACKAGES or is_package_list(one.name)]
        findings.facts += package_facts(lists, findings.inputs)
        reader = Reader(
            [one for one in self._inputs if one not in lists], self._knowledge, versions_of(findings.facts)
        )
        reader.configs()
        reader.code()
        reader.printed(self._printed() if callable(self._printed) else self._printed)
        self.sources = reader.reads
        findings.inputs += reader.seen
        since = changed_since(reader.reads, self._all, self._knowledge)
        findings.notes += [*self._changed(since.changed), *twins(reader.reads)]
        findings.notes += dict.fromkeys(reader.notes)
        findings.excerpts += [
            one.document.text[:EXCERPT] for one in reader.reads if one.document.part is None
        ]
        if reader.reads:
            # The log tells of a run with what the files said then.
            findings.facts += self._facts(since.then, reader.seen, findings.facts)
        return findings

    def _changed(self, changed: Mapping[str, tuple[str, str]]) -> Iterator[str]:
        self.since = {
            setting: f"it was changed {how} after the log was written: run again first"
            for setting, (_, how) in changed.items()
        }
        for name in dict.fromkeys(name for name, _ in changed.values()):
            told = (f"{setting} {how}" for setting, (file, how) in sorted(changed.items()) if file == name)
            yield f"{name} was changed after the log was written, which tells of the run before: {', '.join(told)}"

    def _facts(
        self, reads: Sequence[Read], seen: Sequence[InputSeen], packages: Sequence[Fact]
    ) -> list[Fact]:
        facts = [*_about(reads, seen), *_keys(reads), *setting_facts(reads)]
        facts += default_facts(reads, self._knowledge.limits["default_keys"])
        facts += _environment(reads)
        facts += _wrong(reads, versions_of(packages), self._knowledge.once(dialects_of))
        facts += _contradictions(reads, [*packages, *facts], self._knowledge)
        return facts


def _about(reads: Sequence[Read], seen: Sequence[InputSeen]) -> Iterator[Fact]:
    if seen:
        yield Fact("config.files", len(seen), Origin.CONFIG)
    for read in reads:
        if read.trainer is not None:
            note = f"recognised as {read.trainer.title}"
            yield Fact(
                "config.dialect", read.trainer.id, read.document.origin, (Place(read.document.name),), note
            )
            return


def _keys(reads: Sequence[Read]) -> Iterator[Fact]:
    """The names of all keys in the files of a run, for an error that names one."""
    found: dict[str, Place] = {}
    for document in (read.document for read in reads if read.document.origin is Origin.CONFIG):
        for entry in document.reading.entries:
            for name in entry.path:
                if isinstance(name, str) and name not in found and len(found) < MOST_KEYS:
                    found[name] = document.place(entry.at)
    if found:
        yield Fact("config.keys", tuple(map(safe, found)), Origin.CONFIG, tuple(found.values()))


def _environment(reads: Sequence[Read]) -> Iterator[Fact]:
    """The environment variables that scripts set, and those that have a fact of their own."""
    found = environment(read.document for read in reads)
    for name, (value, document, at) in found.items():
        if name in _VARIABLES:
            yield Fact(_VARIABLES[name], value, Origin.SCRIPT, (document.place(at),))
    if found:
        texts = tuple(safe(f"{name}={value}") for name, (value, _, _) in found.items())
        yield Fact(
            "config.environment", texts, Origin.SCRIPT, tuple(one.place(at) for _, one, at in found.values())
        )


def _wrong(reads: Sequence[Read], versions: mistakes.Versions, dialects: Dialects) -> Iterator[Fact]:
    """What is wrong, and where nothing is, that too: only of files that a person calls configurations."""
    files = [read for read in reads if read.document.origin in (Origin.CONFIG, Origin.SCRIPT)]
    if not files:
        return
    documents = [read.document for read in files]
    renamed = list(mistakes.renamed_keys(files, versions))
    unknown = [*misspelt_keys(files, dialects), *(one for one, lost in renamed if lost)]
    yield from _found("config.syntax_error", list(mistakes.syntax_errors(documents)), "config.syntax_errors")
    yield from _found("config.type_error", list(mistakes.type_errors(files)), "config.type_errors")
    yield from _found("config.duplicate_key", list(mistakes.duplicates(documents)))
    yield from _found("config.number_as_text", list(mistakes.numbers_as_text(files)))
    yield from _found("config.loose_json", list(mistakes.loose_json(files)))
    yield from _found("config.secrets", list(mistakes.secrets(documents)))
    if any(read.trainer for read in files):
        yield from _found("config.unknown_key", unknown, "config.unknown_keys")
        yield from _found("config.renamed_key", [one for one, _ in renamed], "config.renamed_keys")


def _found(name: str, found: Sequence[Mistake], texts: str = "") -> Iterator[Fact]:
    places = tuple(one.place for one in found)
    yield Fact(name, bool(found), Origin.CONFIG, places[:5], "" if texts or not found else found[0].text)
    if texts and found:
        yield Fact(texts, tuple(one.text for one in found), Origin.CONFIG, places)


def _contradictions(reads: Sequence[Read], known: Sequence[Fact], knowledge: Knowledge) -> Iterator[Fact]:
    """The checks of the knowledge base, and files of one run that give a setting differently."""
    facts = Facts()
    facts.extend(known)
    found: list[str] = []
    places: list[Place] = []
    for one in checked(facts, knowledge):
        where = tuple(fact.place for fact in one.premises if fact.place)
        yield Fact(f"config.contradiction.{one.check.id.replace('-', '_')}", one.holds, one.origin, where)
        if one.holds and one.origin is not Origin.DEFAULT:
            found.append(one.says)
            places.append(where[0] if where else Place("configuration"))
    for setting, first, other in disagreements(reads):
        here, there = first.document.place(first.entry.at), other.document.place(other.entry.at)
        found.append(f"{setting} is {first.value} in {here.input} and {other.value} in {there.input}")
        places.append(there)
    note = found[0] if found else ""
    yield Fact("config.contradiction", bool(found), Origin.CONFIG, tuple(places[:5]), note)
    if found:
        yield Fact("config.contradictions", tuple(found), Origin.CONFIG, tuple(places))
