"""What a person writes between or instead of log lines: `note:` lines, and files that are mostly sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.regex import regex

NOTE = regex(r"^\s*note:\s*(?P<text>.*)$")
_FENCE = regex(r"^\s*(?:```|~~~)\s*(?P<language>\w*)")
_SENTENCE_END = regex(r"(?<=[.!?;])\s+|[。！？；]")
WORD = regex(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_OTHER_SCRIPT = regex(
    r"[\u0400-\u04ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[ăâđêôơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]"
)
_UNPARTED = regex(r"[\u3040-\u30ff\u3400-\u9fff]")
_VIETNAMESE = regex(r"(?i)\b(?:bị|khi|thì|không|được|của|và|là|với|vẫn|nhưng|mình|em|bình thường|tại sao)\b")
"""Small words of a language most of whose letters are also those of others."""
_MANY = 10
"""Words of which one that is small shows a sentence."""
SPOKEN = regex(r"\b(?:I|I'm|I’m|I've|I’ve|my|My)\b")
"""Somebody's own words. Libraries say we: `We strongly recommend passing in an attention_mask`."""
SPEAKER = r"(?:\[[\d: /.-]{4,22}\] ?)?(?!\w*(?:[Ee]rror|Exception|Warning)\b)[^\W\d_][\w.'-]{0,23}(?: [\w.'-]{1,23})? ?[:：] ?"
"""Who says what follows, as chats write it, in any script: `小王: `, `[14:03] Oleg: `."""
_CHATTED = regex(rf"^(?=\[){SPEAKER}")
"""The time and the name before what somebody says in a chat. Other lines that begin with a bracket are a machine's."""
SENT = regex(rf"^{SPEAKER}(?=(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception):\s)")
"""Who sent an error, before the error itself."""
_SENT_ERROR = regex(rf"^\s*(?:{SPEAKER})?(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception):\s")
_MACHINE = regex(
    r"%\||[│█━]|\d\d:\d\d:\d\d|^\s*(?:File \"|Traceback|at \w+\.|\[|\{|#|\$ |>>> |[\w.]+(?:Error|Warning|Exception)\b|(?:DEBUG|INFO|WARNING|ERROR|CRITICAL):[\w.]+:)|(?<=[\w/\\.-])\.py[:\"]|^\s*[^\s，。；]+\s*[=:]\s*[^\s，。；]+\s*$"
)
_PAIRS = regex(r"=\S+ \S+=")
_PAIR = regex(r"[^\s，。；、]+=[^\s，。；、]+")
_WORDS_TO_A_PAIR = 5
"""Words beside `batch=64 gpu=8` to each pair from which on a person wrote them: output has a few, or none."""
CODE = regex(
    r"^\s*(?:(?:for [\w, ()]+ in|if|elif|while|with|def|class|except)\b.*|else|try|finally):\s*(?:#.*)?$"
    r"|^\s*(?:from [\w.]+ import|import [\w.]+(?: as \w+)?\s*$|return\b|@\w)"
    r"|^\s*(?:[\w.\[\], ]+ ?[-+*/]?= ?)?[A-Za-z_][\w.]*\(.*\)\s*(?:#.*)?$"
)
"""A line of Python, as far as a line by itself shows it."""
_SHORT = regex(r"^\s*(?:#{1,6} .*|[A-Za-z][A-Za-z', ]{0,40}[:.!?]?)$")
"""A heading, or a few words: a person and a machine write such."""
_NUMBER = regex(r"\d[\d.]*")
_RULED = regex(r"^\s*\|(?:\s*:?-{2,}:?\s*\|)+\s*$")
"""What stands below the header of a table in Markdown."""
_ROW = regex(r"^\s*\|.*\|\s*$")
_HEADING = regex(r"^#{1,6} +(?P<text>\S.*?)[ #]*$")
_MARKUP = regex(r"^\s*(?:[-*+]|\d+[.)]|>|#{1,6})\s+")


class Writing:
    """Tells what a person wrote from what a machine printed."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._small = knowledge.words["sentence"]

    def is_sentence(self, text: str) -> bool:
        """Whether a line reads like a sentence and not like output."""
        text = _CHATTED.sub("", _MARKUP.sub("", text))
        if self.is_error(text):
            return False
        if (
            not (_is_of_other_script(text) or self._is_english(text))
            or _MACHINE.search(text)
            or CODE.match(text)
        ):
            return False
        return not _PAIRS.search(text) or _names_settings(text)

    def _is_english(self, text: str) -> bool:
        words = WORD.findall(text)
        small = sum(word.lower() in self._small for word in words)
        enough = len(words) >= 4 and (small >= 2 or (small == 1 and len(words) >= _MANY))
        return enough and sum(map(len, words)) > 0.6 * len(text.replace(" ", ""))

    def is_error(self, text: str) -> bool:
        """Whether a line is an error, be it that somebody sent it: what it says, no person states."""
        return bool(_SENT_ERROR.match(text))

    def is_spoken(self, text: str) -> bool:
        """Whether somebody speaks of himself, which no library does."""
        return bool(SPOKEN.search(text)) and self.is_sentence(text)

    def mostly(self, lines: Sequence[str]) -> bool:
        """Whether most of what stands outside code fences is sentences, code, tables and lists in Markdown aside.

        One that comes again with other numbers is a machine's. A list below a heading names versions and devices:
        it is the writer's as well, and says nothing of who wrote the rest.
        """
        fenced, sentences, others = False, 0, 0
        shapes = set[str]()
        tables = any(map(_RULED.match, lines))
        lists = any(map(_FENCE.match, lines)) and any(map(_HEADING.match, lines))
        for line in lines:
            if _FENCE.match(line):
                fenced = not fenced
            elif tables and _ROW.match(line):
                continue
            elif line.strip() and not fenced and not any(one.match(line) for one in (NOTE, CODE)):
                shape = _NUMBER.sub("0", line)
                if shape not in shapes and self.is_sentence(line):
                    shapes.add(shape)
                    sentences += 1
                elif not _SHORT.match(line) and not (lists and _MARKUP.match(line)):
                    others += 1
            if others > len(lines) // 2:
                return False
        return sentences > others


def _is_of_other_script(text: str) -> bool:
    """Whether a line is written in another script, or in Vietnamese, which shares most of its letters."""
    if text.isascii():
        return False
    letters, words = len(_OTHER_SCRIPT.findall(text)), len(_VIETNAMESE.findall(text))
    return letters >= 4 or words >= 3 or (letters >= 2 and words >= 2)


def _names_settings(text: str) -> bool:
    """Whether a line with settings in it, `batch=64 gpu=8`, is a sentence all the same."""
    pairs, rest = _PAIR.findall(text), _PAIR.sub("", text)
    # A script that writes no spaces between its words has about two characters to each.
    words = max(len(WORD.findall(rest)), len(_UNPARTED.findall(rest)) // 2)
    return words >= _WORDS_TO_A_PAIR * len(pairs)


def heading(text: str) -> str | None:
    """What a heading in Markdown says; None where a line is no heading."""
    found = _HEADING.match(text)
    return found["text"] if found else None


def fence(text: str) -> str | None:
    """The language that is named where a line opens or closes a block of code in Markdown, in lower case; None elsewhere."""
    found = _FENCE.match(text)
    return found["language"].lower() if found else None


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text."""
    for one in _SENTENCE_END.split(_MARKUP.sub("", text)):
        if len(one.strip()) > 1:
            yield one.strip()
