"""The part of the screen that says what to change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..diagnosis import Diagnosis, FixOffered
from ..wording import show
from .lines import Line, Span, line_of, title

FIXES = 4
DIFF_LINES = 24
BY_HAND = 2
CODE_LINES = 6
_WORDS = 3
_WIDE, _GOES_ON = 78, " \\"
"""So many changed lines of a file, none longer than this, are shown in place of the names that we have for settings."""


def fixes(diagnosis: Diagnosis) -> Iterator[Line]:
    """The fixes in the order to try, the first patch among them shown."""
    if not diagnosis.fixes or not diagnosis.found:
        return
    yield from title(
        "Fixes, in the order to try" + (" (one change at a time)" if len(diagnosis.fixes) > 1 else "")
    )
    patched = next((one.id for one in diagnosis.fixes if one.patch), None)
    for number, one in enumerate(diagnosis.fixes[:FIXES], 1):
        yield from _fix(number, one, with_diff=one.id == patched)
    if len(diagnosis.fixes) > FIXES:
        yield line_of(Span(f"    ... {len(diagnosis.fixes) - FIXES} more in the report", "dim"))
    for name, reason in diagnosis.left_out.items():
        yield line_of(Span(f"    {name} left out: {reason}", "dim"), hang=6)


def _fix(number: int, one: FixOffered, *, with_diff: bool) -> Iterator[Line]:
    role = {"safe": "good", "unsafe": "doubt"}.get(one.safety, "dim")
    proviso = f"  if {one.proviso}" if one.proviso else ""
    yield line_of(
        f"{number:>2}. {one.title}", Span(f"  {one.id}", "dim"),
        Span(f"  {one.safety}", role), Span(f", {one.effort_minutes:g} min{proviso}", "dim"), hang=4,
    )  # fmt: skip
    if one.gives_gib is not None:
        yield line_of(Span(f"      gives back about {one.gives_gib:g} GiB, by arithmetic", "good"))
    if not with_diff and one.settings:
        words = _in_its_words(one)
        for text in words:
            yield line_of(f"      {text}", hang=8)
        for setting in one.settings if not words else ():
            before = "" if setting.before is None else f" (now {show(setting.before)})"
            wanted = setting.spelled or f"{setting.name} = {show(setting.after)}"
            yield line_of(f"      {wanted}{before}")
        # What the run nowhere says has no place to change, and that needs no words.
        if not one.patch and any(setting.before is not None for setting in one.settings):
            for note in one.by_hand[:1]:
                yield line_of(f"      not patched: {note}", hang=8)
    if not one.patch and not one.settings:
        for note in one.by_hand[:1]:
            yield line_of(f"      {note}", hang=6)
    if one.command:
        yield line_of(f"      $ {one.command}", hang=8)
    for step in one.steps[:2]:
        yield line_of(f"      {step}", hang=6)
    if with_diff:
        yield from _diff(one)
        # What the patch leaves out belongs to the same change: half of it may be worse than none.
        for note in one.by_hand[:BY_HAND]:
            yield line_of(f"      not patched: {note}", hang=6)
    if is_code_alone(one):
        yield from _code(one)
    if one.take_back_when:
        yield line_of(Span(f"      take back when: {one.take_back_when}", "dim"), hang=6)


def _in_its_words(one: FixOffered) -> list[str]:
    """What a patch writes, in the words of the trainer that reads it; nothing where that is much, or goes as well."""
    changed = [
        (file.file, line)
        for file in one.patch
        for line in file.diff.splitlines()
        if line[:1] in ("+", "-") and not line.startswith(("+++ ", "--- "))
    ]
    old, new = ([one for one in changed if one[1][0] == sign] for sign in "-+")
    shorter = _left_out(old, new)
    added = shorter or [f"in {name}: {' '.join(line[1:].split()).rstrip(_GOES_ON)}" for name, line in new]
    short = len(added) <= _WORDS and all(len(line) <= _WIDE for _, line in changed)
    return added if short and len(old) <= len(new) else []


def _left_out(old: Sequence[tuple[str, str]], new: Sequence[tuple[str, str]]) -> list[str]:
    """What lines are made shorter by, where that is all: `without --fp16` says more than what stays."""
    words = []
    for (name, before), (_, after) in zip(old, new, strict=False):
        pairs = enumerate(zip(before[1:], after[1:], strict=False), 1)
        start = next((place for place, (one, other) in pairs if one != other), min(len(before), len(after)))
        end = len(before) - (len(after) - start)
        gone = before[start:end].strip()
        if not gone or after[start:] != before[end:]:
            return []
        words.append(f"in {name}: without {gone}")
    return words if len(old) == len(new) else []


def is_code_alone(one: FixOffered) -> bool:
    """Whether nothing but its code tells what to do."""
    return not (one.settings or one.patch or one.by_hand or one.command or one.steps)


def _code(one: FixOffered) -> Iterator[Line]:
    """The code of a fix that says nothing else of what to do, or at least why it helps."""
    lines = one.code.rstrip().splitlines()
    if not lines:
        yield from (line_of(f"      {text}", hang=6) for text in one.why.splitlines()[:BY_HAND])
        return
    for text in lines[:CODE_LINES]:
        yield line_of("      ", Span(text, "dim"))
    if len(lines) > CODE_LINES:
        yield line_of(Span(f"      ... {len(lines) - CODE_LINES} more lines in the report", "dim"))


def _diff(one: FixOffered) -> Iterator[Line]:
    lines = [line for patch in one.patch for line in patch.diff.splitlines()]
    for text in lines[:DIFF_LINES]:
        role = "add" if text.startswith("+") else "remove" if text.startswith("-") else "dim"
        # Never folded: a diff has to stay one that can be copied and applied.
        yield line_of("      ", Span(text, role))
    if len(lines) > DIFF_LINES:
        yield line_of(Span(f"      ... {len(lines) - DIFF_LINES} more lines", "dim"))
