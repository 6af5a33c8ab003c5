"""YAML: read with places, and edited at them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from traindx.engine.facts import Scalar
from traindx.engine.regex import regex
from traindx.engine.yaml_nodes import YamlProblem
from traindx.engine.yaml_tree import Tree, read_tree

from ..document import Entry, Path, Problem, Reading, Span
from ..exact import line_starts
from .edits import Edit, cut_line, insert_item, insert_line
from .spelling import number, truth

_LINE_END = regex("\r\n|[\n\r\x85\u2028\u2029]")
_NEW_DOCUMENT = regex(r"^---(?=\s|$)", re.MULTILINE)
_ALIAS = regex(r"""(?:"[^"\n]*"|'[^'\n]*'|[^\s:,{}\[\]"']+)[ \t]*:[ \t]+(\*[^\s,{}\[\]]+)""")
"""A key whose value is an alias: `batch_size: *batch`."""
_PROPERTIES = regex(r"(?:[&!][^\s,\[\]{}]*\s+)*")
_TEMPLATE = regex(r"\{\{|\{%")
_PLAIN = regex(r"[A-Za-z_./][\w./+-]*(?: [\w./+-]+)*")
_TRUTH = regex(r"(?i)(?:y|n|yes|no|true|false|on|off|null|~|\.nan|\.inf)")
MAX_DOCUMENTS = 50


def read(text: str) -> Reading:
    """Every value of a YAML text. Several documents in one text are read as a list of them."""
    documents = [match.start() for match in _NEW_DOCUMENT.finditer(text) if text[: match.start()].strip()]
    try:
        return _read_one(text)
    except YamlProblem as problem:
        if "single document" in problem.message and 0 < len(documents) < MAX_DOCUMENTS:
            return _read_several(text, documents)
        return Reading(problems=(_problem(text, problem),))


def _read_one(text: str) -> Reading:
    forgiven: list[YamlProblem] = []
    reader = _Reader(text)
    tree = read_tree(text, forgiven)
    entries = tuple(reader.entries(tree, ())) if tree.children else ()
    problems = [Problem(one.message, reader.offset(one.line, one.column), _kind(one)) for one in forgiven]
    if text.strip() and not isinstance(tree.value, dict | list | None):
        problems.append(Problem("a single value and no settings", 0, "note"))
    return Reading(entries, tuple(problems), sections=reader.sections)


def _read_several(text: str, starts: list[int]) -> Reading:
    entries: list[Entry] = []
    problems: list[Problem] = []
    bounds = [0, *starts, len(text)]
    for first, last in pairwise(bounds):
        # What stands before is blanked out, so that all offsets stay those of the whole text.
        alone = re.sub(r"[^\r\n]", " ", text[:first]) + text[first:last]
        try:
            one = _read_one(alone)
        except YamlProblem as problem:
            problems.append(_problem(text, problem))
            continue
        entries.extend(one.entries)
        problems.extend(one.problems)
    return Reading(tuple(entries), tuple(problems))


def _kind(problem: YamlProblem) -> str:
    return "duplicate" if "stands twice" in problem.message else "note"


def _problem(text: str, problem: YamlProblem) -> Problem:
    starts = line_starts(text, _LINE_END)
    line = min(problem.line, len(starts)) - 1
    at = min(starts[line] + problem.column - 1, len(text))
    if _TEMPLATE.search(text):
        return Problem(f"a template that is filled in before it is YAML ({problem.message})", at, "note")
    message = problem.message
    if "\\t" in message or text[at : at + 1] == "\t":
        message += "; YAML allows no tab for indentation"
    kind = "note" if "unfolds" in message or "too deeply" in message else "syntax"
    return Problem(message, at, kind)


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = line_starts(text, _LINE_END)
        self.sections: dict[Path, Span] = {}

    def offset(self, line: int, column: int) -> int:
        if line > len(self.starts):
            return len(self.text)
        return min(self.starts[line - 1] + column - 1, len(self.text))

    def entries(self, tree: Tree, path: Path) -> Iterator[Entry]:
        for part, child in tree.children.items():
            here = (*path, part)
            if child.children:
                if child.key_line:
                    self.sections[here] = (self.offset(child.key_line, child.key_column), self.end(child))
                yield from self.entries(child, here)
            else:
                yield self.entry(child, here)

    def end(self, tree: Tree) -> int:
        """Behind the last character of a value; for YAML a block ends only where the next one starts."""
        while tree.children and self.text[self.offset(tree.line, tree.column)] not in "{[":
            tree = next(reversed(tree.children.values()))
        return self.offset(tree.end_line, tree.end_column)

    def entry(self, leaf: Tree, path: Path) -> Entry:
        start = self.offset(leaf.line, leaf.column)
        end = self.offset(leaf.end_line, leaf.end_column)
        found = _PROPERTIES.match(self.text, start, end)
        start = found.end() if found else start
        key = self.offset(leaf.key_line, leaf.key_column) if leaf.key_line else start
        # The value of an alias stands at its anchor: changing it there would change more than this. The alias itself can give way.
        if key > end and (alias := _ALIAS.match(self.text, key)):
            return Entry(path, leaf.value, alias.start(1), alias.span(1), (key, alias.end(1)))
        # A key without a value has an empty span behind its colon.
        held = start < end or (leaf.value is None and self.text.endswith(":", 0, start))
        own = key <= start and held and leaf.line == leaf.end_line and leaf.style not in ("|", ">")
        span = (start, end) if own else None
        whole = (key, end) if own and leaf.key_line else None
        return Entry(path, leaf.value, start, span, whole, leaf.style)


def spell(value: Scalar, old: Entry | None, text: str, *, casts: bool) -> str:
    """A value as YAML 1.1 reads it back; `casts` where the trainer turns text into numbers itself."""
    raw = text[slice(*old.span)] if old and old.span else ""
    gap = " " if old and old.span and not raw else ""
    return gap + _spelled(value, old, raw, casts=casts)


def _spelled(value: Scalar, old: Entry | None, raw: str, *, casts: bool) -> str:
    quote = old.style if old and old.style in ("'", '"') else ""
    if isinstance(value, bool):
        return quote + truth(value, raw.strip("'\""), "true", "false") + quote
    if isinstance(value, int | float):
        spelled = number(value, raw.strip("'\""))
        if not quote and not casts:
            spelled = _yaml_float(spelled)
        return quote + spelled + quote
    return _text(value, quote)


def _yaml_float(spelled: str) -> str:
    """`1e-5` with the dot and the sign without which YAML 1.1 takes it for text."""
    mantissa, exponent, power = spelled.partition("e" if "e" in spelled else "E")
    if not exponent:
        return spelled
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}{exponent}{power if power[0] in '+-' else '+' + power}"


def _text(value: str, quote: str) -> str:
    if quote == '"' or any(char in value for char in "\n\t\\"):
        import json

        return json.dumps(value, ensure_ascii=False)
    if quote or not _PLAIN.fullmatch(value) or _TRUTH.fullmatch(value):
        return "'" + value.replace("'", "''") + "'"
    return value


def insert(text: str, anchor: Span, keys: Path, raw: Any) -> list[Edit]:
    """A new key after the anchor, in its indentation; `keys` of more than one part make a section."""
    if _in_flow(text, anchor):
        return insert_item(text, anchor, _flow(keys, raw))
    return insert_line(text, anchor, lambda indent: _block(keys, raw, indent))


def _in_flow(text: str, anchor: Span) -> bool:
    """Whether the anchor stands inside braces: a comma or a brace follows it."""
    return text[anchor[1] : anchor[1] + 200].lstrip()[:1] in (",", "}")


def _flow(keys: Path, raw: str) -> str:
    for key in reversed(keys):
        raw = f"{key}: {raw}"
        if key is not keys[0]:
            raw = "{" + raw + "}"
    return raw


def section(keys: Path, raw: str) -> str:
    """Braces with one key in them."""
    return "{" + _flow(keys, raw) + "}"


def _block(keys: Path, raw: str, indent: str) -> list[str]:
    lines = [f"{indent}{'  ' * depth}{key}:" for depth, key in enumerate(keys)]
    lines[-1] += f" {raw}"
    return lines


def remove(text: str, entry: Entry) -> Edit | None:
    """A key taken out with its line; None where it shares the line with others."""
    return cut_line(text, entry.whole) if entry.whole else None
