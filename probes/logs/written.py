"""Files that are mostly sentences, such as a bug report: the sentences, and the output pasted between them."""

from __future__ import annotations

from collections.abc import Iterable

from traindx.engine.facts import Place
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.regex import regex

from .blocks import Block
from .listening import Listener
from .pasted import LONGEST, python_in
from .prose import NOTE, WORD, Writing, fence, heading
from .scan import Scan

_LONGEST = 4000
"""Characters of a paragraph that are joined."""
_SETTINGS = {"yaml": "yaml", "yml": "yaml", "json": "json", "jsonc": "json", "toml": "toml", "ini": "ini"}
"""What fences call the languages of configurations, and what these are read as."""
_ASSIGNS = regex(rb"(?m)^[ \t]*[-{]*[ \t]*[\"']?[A-Za-z_][\w.-]*[\"']?[ \t]*[:=](?:[ \t]|$|[\"'\d\[{])")
_QUOTED = regex(
    r"^[> ]*(?:On|Am|Le|El|Em) .{6,80}(?:wrote|schrieb|écrit|escribió):$|^[> ]*.{6,60}(?:写道|пишет|писал\(а\)|đã viết)[:：]$"
)
"""What mail puts above the words of somebody else."""
_WRITTEN = (".md", ".markdown")
"""A person writes such a file, however little of it is sentences."""


class Written:
    """Parts what a person wrote from what a machine printed, and hands both on."""

    def __init__(self, knowledge: Knowledge, scan: Scan, listener: Listener) -> None:
        self._writing = Writing(knowledge)
        self._scan, self._listener = scan, listener
        self._fenced: str | None = None
        """What the fence that is open names as its language."""
        self._paragraph: list[tuple[str, int, bytes]] = []
        self._output: list[bytes] = []
        self._held = 0
        self._output_first = 1
        self._titled = False
        """Whether the place of a title is past."""

    def applies(self, block: Block, name: str = "") -> bool:
        """Whether a person wrote a file of this name that begins with this block: most of it is sentences."""
        return name.lower().endswith(_WRITTEN) or self._writing.mostly(
            [line.decode("utf-8", "replace") for line in block.lines[:400]]
        )

    def read(self, blocks: Iterable[Block]) -> None:
        """Read all blocks."""
        for block in blocks:
            for index, line in enumerate(block.lines):
                self._line(block.number(index), line)
        self._end_paragraph()
        self._end_output()

    def _line(self, number: int, line: bytes) -> None:
        text = line.decode("utf-8", "replace").rstrip()
        if (language := fence(text)) is not None:
            self._end_paragraph()
            self._end_output()
            self._fenced = language if self._fenced is None else None
            return
        if _QUOTED.match(text):
            self._end_paragraph()
            return
        words = heading(text) if self._fenced is None else None
        if words is not None and self._writing.is_error(words):  # the title is the error
            text, line = words, words.encode() + b"\n"
        if self._fenced is None and self._is_headline(text):
            self._end_paragraph()
            self._end_output()
            self._paragraph.append((heading(text) or "", number, line))
            self._end_paragraph()
            return
        if self._fenced is not None or NOTE.match(text) or (text.strip() and not self._goes_on(text)):
            self._end_paragraph()
            if not self._output:
                self._output_first = number
            self._keep(line)
            return
        if not text.strip():
            self._end_paragraph()
            if self._output:  # code has empty lines
                self._keep(line)
            return
        self._end_output()
        self._paragraph.append((text.strip(), number, line))
        if sum(len(part) for part, _, _ in self._paragraph) > _LONGEST:
            self._end_paragraph()

    def _is_headline(self, text: str) -> bool:
        """Whether a heading says something: the title of all, in its own words, or a sentence. It stands by itself."""
        words, first = heading(text), not self._titled
        self._titled = self._titled or bool(text.strip())
        if words is None or self._writing.is_error(words):
            return False
        return self._writing.is_sentence(words) or (first and bool(WORD.search(words)))

    def _keep(self, line: bytes) -> None:
        """A line of output or code. What is longer than any code that is searched is not held in memory as a whole."""
        self._output.append(line)
        self._held += len(line)
        if self._held > LONGEST:
            self._end_output()

    def _goes_on(self, text: str) -> bool:
        """A sentence, or the short last line of one."""
        if self._writing.is_sentence(text):
            return True
        return (
            bool(self._paragraph)
            and not self._writing.is_error(text)
            and text.rstrip().endswith((".", "!", "?"))
            and "=" not in text
            and "  " not in text.strip()
        )

    def _end_paragraph(self) -> None:
        if self._paragraph:
            place, text = self._listener.page.place_at, ""
            lines = list[tuple[int, Place]]()
            for part, number, line in self._paragraph:
                text += " " if text else ""
                lines.append((len(text), place(number, line)))
                text += part
            self._listener.heard.say(text, lines[0][1], lines[1:])
            self._paragraph = []

    def _end_output(self) -> None:
        if self._output:
            output, self._output, self._held = b"".join(self._output), [], 0
            form = _SETTINGS.get(self._fenced or "")
            if form and _ASSIGNS.search(output):
                self._listener.settings.paste(self._output_first, output.decode("utf-8", "replace"), form)
            for before, code in python_in(output.decode("utf-8", "replace"), self._fenced or ""):
                self._listener.heard.paste(self._output_first + before, code)
            # It may be output all the same, and code may hold settings that are read there.
            self._scan.feed(Block(output, self._output_first))
