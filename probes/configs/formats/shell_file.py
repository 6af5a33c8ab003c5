"""Shell scripts, command lines and .env files: options, overrides, assignments, directives, and texts inside them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from traindx.engine.regex import regex

from ..document import MAX_ENTRIES, Entry, Part, Problem, Reading, Span
from .shell_edit import ASSIGNMENT, insert, remove, spell
from .shell_parts import Command, Heredoc, Script, Word
from .shell_programs import inner_script, program_of, script_at
from .shell_quotes import UNKNOWN
from .shell_words import split

MAX_SOURCE = 1 << 20
"""Characters; no script is longer."""
_OPTION = regex(r"--?(?P<name>[A-Za-z][\w.\-]*)(?P<sign>=)?")
_NEGATIVE = regex(r"-\d|-\.\d|-inf", re.IGNORECASE)
_OVERRIDE = regex(r"[+~]{0,2}(?P<name>[A-Za-z_][\w.@/\-]*(?:\[\d+\])?)=")
_YACS = regex(r"[A-Z][A-Z0-9_]*(?:\.[A-Z0-9_]+)+")
_SBATCH = regex(r"#SBATCH[ \t]+-{1,2}(?P<name>[\w-]+)(?:=|[ \t]+|(?=\d)|$)(?P<value>[^\s#]*)")
_PROGRAM = regex(r"[\w./][\w./+:-]*")
_SPREAD = ("export", "declare", "local", "readonly", "typeset", "env", "set", "setenv")
_PROMPTS = ("$", "!", ">", "%", "sudo", "nohup", "time", "exec", "then", "do", "else", "&&")
_WRITERS = ("cat", "tee", "echo")

_SPACE = "a space behind the backslash: the command ends here, and the next line is one of its own"
_COMMENT = "a comment within a command ends it: the options below it are passed to nobody"


def read(text: str) -> Reading:
    """Everything that a script sets. Nothing is run."""
    if len(text) > MAX_SOURCE:
        return Reading(problems=(Problem("longer than any script", 0, "note"),))
    script = split(text)
    entries = [entry for command in script.commands for entry in _command(command)]
    entries += _directives(text, script)
    problems = tuple(
        Problem(message, at, "note")
        for message, places in ((_SPACE, script.broken_continuations), (_COMMENT, script.comments_within))
        for at in places[:5]
    )
    parts = tuple(part for command in script.commands for part in _parts(text, command))
    words = (word for command in script.commands for word in command.words[:8])
    calls = {program_of(word) for word in words if _PROGRAM.fullmatch(word.text)}
    return Reading(tuple(entries[:MAX_ENTRIES]), problems, parts, calls=frozenset(calls))


def _directives(text: str, script: Script) -> Iterator[Entry]:
    for start, end in script.comments:
        if found := _SBATCH.match(text, start, end):
            first, last = found.span("value")
            value: Any = found["value"] or True
            span = (first, last) if first < last else None
            yield Entry((found["name"],), value, first, span, (start, last), kind="launch", scope="SBATCH")


def _command(command: Command) -> Iterator[Entry]:
    words = command.words
    while words and (words[0].text in _PROMPTS):
        words = words[1:]
    if words and words[0].text.startswith("!"):
        words = [words[0].part(1), *words[1:]]
    spread = bool(words) and words[0].text in _SPREAD
    words = words[1:] if spread else words
    alone = all(ASSIGNMENT.match(word.text) for word in words)
    if (inner := inner_script(words)) is not None:
        words = words[: words.index(inner) - 1]
    while words and (found := ASSIGNMENT.match(words[0].text)):
        kind = "environment" if spread or not alone else "variable"
        yield _valued((found["name"],), words[0], found.end(), kind, "")
        words = words[1:]
    if not spread:
        yield from _arguments(words)


def _arguments(words: list[Word]) -> Iterator[Entry]:
    """The options of a command: those before the script are its launcher's."""
    script = script_at(words)
    scope, subcommand = "", True
    index = 0
    while index < len(words):
        word = words[index]
        kind = "launch" if index < script else "option"
        if index == script:
            scope = program_of(word)
        index += 1
        if word.text == "-m" and index == script:
            continue
        option = None if _NEGATIVE.match(word.text) else _OPTION.match(word.text)
        if option and (option["sign"] or option.end() == len(word.text)):
            values = [] if option["sign"] else _values(words, index, script)
            yield from _option(word, option, values, kind, scope)
            index += len(values)
            subcommand = False
        elif override := _OVERRIDE.match(word.text):
            name = tuple(override["name"].replace("[", ".").replace("]", "").split("."))
            yield _valued(name, word, override.end(), "option", scope)
        elif _YACS.fullmatch(word.text) and index < len(words):
            yield _valued(tuple(word.text.split(".")), words[index], 0, "option", scope, before=word)
            index += 1
        elif index <= script and not (subcommand and scope):
            # `accelerate launch`: what directly follows a program is its subcommand.
            scope, subcommand = program_of(word), True


def _values(words: list[Word], index: int, script: int) -> list[Word]:
    """The words that belong to an option: all up to the next option, override or script."""
    found: list[Word] = []
    for position in range(index, len(words)):
        text = words[position].text
        is_option = text.startswith("-") and not _NEGATIVE.match(text) and len(text) > 1
        ends = (
            position == script
            or (position < script and found)
            or _OVERRIDE.match(text)
            or _YACS.fullmatch(text)
        )
        if is_option or ends:
            break
        found.append(words[position])
    return found


def _option(word: Word, option: re.Match[str], values: list[Word], kind: str, scope: str) -> Iterator[Entry]:
    path = tuple(option["name"].split("."))
    if option["sign"]:
        yield _valued(path, word, option.end(), kind, scope)
    elif not values:
        yield Entry(path, True, word.start, word.span, word.span, "flag", kind, scope)
    else:
        yield _valued(path, values[0], 0, kind, scope, before=word)
        for number_, value in enumerate(values[1:], 1):
            yield _valued((*path, number_), value, 0, kind, scope)


def _valued(
    path: tuple[str | int, ...], word: Word, start: int, kind: str, scope: str, *, before: Word | None = None
) -> Entry:
    """An entry whose value is a word, or the rest of one; `before` is the word of its key."""
    value = word.part(start)
    at = next((offset for offset in value.offsets if offset >= 0), word.start)
    if UNKNOWN in value.text:
        return Entry(path, None, at, None, None, "computed", kind, scope)
    first, last = _extent(before or word), _extent(word)
    whole = (first[0], last[1]) if first and last and first[0] < last[1] else None
    style = "quoted" if last and last[1] - last[0] > len(word.text) else ""
    return Entry(path, value.text, at, value.span, whole, style, kind, scope)


def _extent(word: Word) -> Span | None:
    """The word as it is written, quotes included; inside the variable where it comes from one."""
    span = word.span
    inside = span is not None and word.start <= span[0] and span[1] <= word.end
    return (word.start, word.end) if inside else span


def _parts(text: str, command: Command) -> Iterator[Part]:
    """Texts in a format of their own: heredocs, and options that hold JSON."""
    for heredoc in command.heredocs:
        yield from _heredoc(text, command, heredoc)
    inner = inner_script(command.words)
    if inner is not None and inner.span is not None and UNKNOWN not in inner.text:
        yield Part("", "shell", inner.text, range(inner.span[0], inner.span[1] + 1))
    for word in command.words:
        start = word.text.find("{")
        if start in (0, word.text.find("=") + 1) and word.text.endswith("}") and ":" in word.text:
            offsets = word.offsets[start:]
            yield Part("", "json", word.text[start:], (*offsets, offsets[-1] + 1))


def _heredoc(text: str, command: Command, heredoc: Heredoc) -> Iterator[Part]:
    program = program_of(command.words[0]) if command.words else ""
    body = text[heredoc.start : heredoc.end]
    offsets = range(heredoc.start, heredoc.end + 1)
    if program.startswith("python"):
        yield Part("python", "python", body, offsets)
        return
    name = command.writes or (command.words[-1].text if program == "tee" and command.words else "")
    if program in _WRITERS and name and (heredoc.plain or "$" not in body):
        yield Part(name, "", body, offsets)


__all__ = ["insert", "read", "remove", "spell"]
