"""From inputs to settings: every file read, the files it names followed, each in the dialect it speaks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from traindx.engine.facts import Origin
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.probe import InputSeen
from traindx.engine.redact import safe

from ..inputs import Input, Kind
from ..printed import PrintedSettings
from ..text import Unreadable
from .canonical import occurrences
from .combine import Read
from .dialects import dialects_of
from .document import Document
from .exact import File, read_file
from .includes import MAX_INCLUDED, included
from .sources import printed_format, read_documents

_NOTES = 3
"""Remarks about one file that are shown."""


class Reader:
    """Reads configurations and scripts, and remembers what could not be read."""

    def __init__(self, inputs: Sequence[Input], knowledge: Knowledge, versions: Mapping[str, str]) -> None:
        self._inputs, self._versions = inputs, versions
        self._dialects = knowledge.once(dialects_of)
        self._settings = knowledge.settings
        self.reads: list[Read] = []
        self.seen: list[InputSeen] = []
        self.notes: list[str] = []
        self._copies: list[str] = []

    def configs(self) -> None:
        """Read the configurations in the order they were given, and the files they name."""
        waiting = [one for one in self._inputs if one.kind is Kind.CONFIG]
        known = {_identity(one) for one in waiting}
        followed = 0
        while waiting:
            for read in self._config(waiting.pop(0)):
                for found in included(read, self._inputs):
                    if isinstance(found, str):
                        self.notes.append(f"{read.document.name} names {found}, which was not given")
                    elif _identity(found) not in known and followed < MAX_INCLUDED:
                        followed += 1
                        known.add(_identity(found))
                        waiting.append(found)
        if self._copies:
            self.notes.append(_of_copies(self._copies))

    def _config(self, source: Input) -> list[Read]:
        try:
            file = read_file(source)
        except Unreadable as reason:
            self.seen.append(InputSeen(source.name, "config", note=str(reason), bad=True))
            return []
        documents = read_documents(file, Origin.CONFIG, named=source.named)
        self.seen.append(
            InputSeen(source.name, "config", file.size, _remark(documents), bad=_broken(documents))
        )
        # Such a file is read, and nothing of it is unseen: of two equal keys the last counts.
        self.notes += [f"{source.name}: {text}, and the last counts" for text in _doubled(documents)[:_NOTES]]
        if documents[0].copied:
            self._copies.append(source.name)
        return self._take(documents)

    def code(self) -> None:
        """Read the settings in scripts. What else they say, and what is wrong with them, is not asked here."""
        for source in self._inputs:
            if source.kind is not Kind.CODE:
                continue
            try:
                file = read_file(source)
            except Unreadable:
                continue
            is_notebook = source.name.endswith(".ipynb")
            name = "notebook" if is_notebook else "python"
            self._take(read_documents(file, Origin.CODE, named=source.named, format_name=name))

    def printed(self, blocks: Sequence[PrintedSettings]) -> None:
        """Read the settings that logs show."""
        for block in blocks:
            file = File(block.input, block.text, first_line=block.line)
            self._take(
                read_documents(file, Origin.LOG, format_name=block.format or printed_format(block.text))
            )

    def _take(self, documents: Sequence[Document]) -> list[Read]:
        new = []
        for document in documents:
            spoken = self._dialects.spoken(document, self._versions) if document.reading.entries else []
            new.append(Read(document, spoken, occurrences(document, spoken, self._settings)))
        self.reads += new
        return new


def _identity(source: Input) -> str:
    return str(source.path.resolve()) if source.path else source.name


def _remark(documents: Sequence[Document]) -> str:
    """What a person should know about how a file was read."""
    file = documents[0].file
    remarks = _said(documents, lambda kind: kind != "duplicate")
    if file.encoding == "latin-1":
        remarks.insert(0, "not valid UTF-8; read as Latin-1")
    if not file.text.strip():
        remarks = ["empty"]
    more = len(remarks) - _NOTES
    return safe("; ".join(remarks[:_NOTES])) + (f"; and {more} more" if more > 0 else "")


def _doubled(documents: Sequence[Document]) -> list[str]:
    return [safe(one) for one in _said(documents, lambda kind: kind == "duplicate")]


def _said(documents: Sequence[Document], wanted: Callable[[str], bool]) -> list[str]:
    """The mistakes of some kinds, each with its line."""
    return [
        f"line {one.place(problem.at).line}: {problem.message}"
        for one in documents
        for problem in one.reading.problems
        if wanted(problem.kind)
    ]


def _broken(documents: Sequence[Document]) -> bool:
    """Whether nothing could be read."""
    if any(one.reading.entries for one in documents):
        return False
    return not documents[0].file.text.strip() or any(one.reading.problems for one in documents)


def _of_copies(names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"{names[0]} is a copy that the run wrote and does not read: change what it was made from"
    others = f"{len(names) - 1} other{'s' if len(names) > 2 else ''}"
    return (
        f"{names[0]} and {others} are copies that the run wrote and does not read: "
        "change what they were made from"
    )
