"""What people said, sentence by sentence, into facts."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from traindx.engine.facts import Fact, Origin, Place
from traindx.engine.kb.knowledge import Knowledge

from .collected import Collected
from .heard import Said
from .hits import Hits
from .prose import sentences
from .signatures import Signatures, for_people
from .vocabulary import letters

if TYPE_CHECKING:
    from ..prose import ProseReader

MAX_SENTENCES = 400


class People:
    """Reads sentences by the signatures of prose and by what was tried."""

    def __init__(self, knowledge: Knowledge, facts: Collected, hits: Hits) -> None:
        self._facts, self._hits = facts, hits
        self._knowledge = knowledge

    @cached_property
    def _signatures(self) -> Signatures:
        return self._knowledge.once(for_people)

    @cached_property
    def _reader(self) -> ProseReader:
        from ..prose import ProseReader

        return self._knowledge.once(ProseReader)

    def take(self, said: Iterable[Said]) -> None:
        """Take in what was said, and give the sentences as a fact."""
        texts, places = list[str](), list[Place]()
        for one in said:
            start, before = 0, ""
            for sentence in sentences(one.text):
                if len(texts) < MAX_SENTENCES:
                    start = max(start, one.text.find(sentence, start))
                    texts.append(sentence)
                    places.append(one.at(start))
                    self._sentence(sentence, one, start, before)
                    before = sentence
        if texts:
            self._facts.put(Fact("log.prose", tuple(texts), Origin.LOG, tuple(places)))
            place = next(
                (at for text, at in zip(texts, places, strict=True) if self._reader.complains(text)), None
            )
            self._facts.add("log.complaint", place is not None, place or places[0], Origin.PROSE)
            if place is None and any(map(self._reader.is_content, texts)):
                self._facts.add("log.contentment", True, places[0], Origin.PROSE)

    def _sentence(self, sentence: str, said: Said, start: int, before: str) -> None:
        """Read a sentence that begins at this character of what was said, behind the one `before`."""
        low = sentence.lower().encode()
        rules = self._signatures.candidates(low, self._signatures.vocabulary.hits(letters(low)))
        for rule in rules:
            match = self._signatures.search(rule, sentence)
            if match is not None:
                self._hits.note(rule, match, said.at(start + match.start()), Origin.PROSE)
        for told, match in self._reader.signatures(sentence):
            self._hits.note(told, match, said.at(start + match.start()), Origin.PROSE)
        for name, value in self._reader.trials(sentence, before).items():
            earlier = self._facts.get(name)
            if value and earlier and earlier.origin is Origin.PROSE and name in self._reader.one_is_enough:
                self._facts.drop(name)
            self._facts.add(name, value, said.at(start), Origin.PROSE)
