"""Edits tried on a file: applied to its text, and the text read again as it was read before."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from traindx.engine.facts import Origin
from traindx.engine.kb.knowledge import Knowledge

from .canonical import occurrences
from .combine import Read
from .dialect import Dialect
from .dialects import dialects_of
from .document import Document
from .exact import File
from .formats.edits import Edit, Overlap, apply
from .placing import Placed, Unplaceable
from .sources import read_documents
from .unchanged import difference


class Trials:
    """Tries edits, one after the other, against a run's files."""

    def __init__(self, knowledge: Knowledge) -> None:
        self.settings = knowledge.settings
        self.dialects = knowledge.once(dialects_of)

    def apply(self, reads: Sequence[Read], read: Read, placed: Placed) -> list[Read]:
        """All files as they would read with the edits made in one.

        Raises Unplaceable where anything would change that is not meant to.
        """
        file = read.document.file
        edits = _in_file(read.document, placed.edits)
        try:
            text = apply(file.text, edits)
        except Overlap:
            raise Unplaceable("two changes want the same place") from None
        before = [one for one in reads if one.document.file is file]
        after = self._again(file._replace(text=text), before)
        spans = [(edit.start, edit.end) for edit in edits]
        if other := difference(before, after, read.document, placed.touched, spans):
            raise Unplaceable(other)
        others = [one for one in reads if one.document.file is not file]
        position = reads.index(before[0])
        return [*others[:position], *after, *others[position:]]

    def _again(self, file: File, before: Sequence[Read]) -> list[Read]:
        outer = before[0].document
        origin = Origin.CODE if outer.origin is Origin.CODE else Origin.CONFIG
        result = []
        for one in read_documents(file, origin, named=outer.named, format_name=outer.format):
            spoken = self._spoken(one, before)
            result.append(Read(one, spoken, occurrences(one, spoken, self.settings)))
        return result

    def _spoken(self, document: Document, before: Sequence[Read]) -> Sequence[Dialect]:
        """The dialects a document spoke before: one key more does not make it another trainer's."""
        for read in before:
            if (
                read.document.name == document.name
                and read.document.format == document.format
                and read.dialects
            ):
                return read.dialects
        return self.dialects.spoken(document, {})


def _in_file(document: Document, edits: Iterable[Edit]) -> list[Edit]:
    """Edits of a document as edits of the file it lies in."""
    placed = []
    for edit in edits:
        span = document.to_file((edit.start, edit.end))
        if span is None:
            raise Unplaceable("it is put together from several places")
        text = edit.text
        if document.part is not None and document.part.escape == "json":
            import json

            text = json.dumps(text, ensure_ascii=False)[1:-1]
        placed.append(Edit(*span, text))
    return placed
