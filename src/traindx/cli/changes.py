"""Fixes and their changes as they are shown: with options in place of edits, and without secrets."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

import click

from traindx.engine.diagnosis import FixOffered
from traindx.engine.facts import Facts
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.redact import safe

if TYPE_CHECKING:
    from traindx.probes.configs.dialect import Dialect
    from traindx.probes.configs.patch import FilePatch as FileChange
    from traindx.probes.configs.patch import Patch


def says_more(fix: FixOffered) -> bool:
    """Whether a fix still has something to do."""
    return bool(fix.settings or fix.steps or fix.command)


def with_options(fix: FixOffered, options: Mapping[str, str]) -> FixOffered:
    """The fix with what to give on the command line in place of settings that no file at hand is read for."""
    if not options:
        return fix
    from traindx.probes.configs.flags import WITHOUT

    kept = tuple(one for one in fix.settings if one.name not in options)
    words = " ".join(options.values())
    left_out = re.findall(rf"(?<!\S){WITHOUT}(\S+)", words)
    given = " ".join(re.sub(rf"(?<!\S){WITHOUT}\S+", "", words).split())
    how = " and ".join(
        [*([f"with {given}"] if given else []), *([f"without {' '.join(left_out)}"] if left_out else [])]
    )
    step = f"Start the run {how}; the file at hand is what the run wrote of itself."
    return fix._replace(settings=kept, steps=(step, *fix.steps))


def trainer_of(facts: Facts, knowledge: Knowledge) -> Dialect | None:
    """The trainer of a run, as its files or its log show it, where its settings are known."""
    named = (facts.value("config.dialect"), facts.value("log.trainer"))
    name = next((one for one in named if isinstance(one, str) and one in knowledge.dialects), None)
    if name is None:
        return None
    from traindx.probes.configs.dialects import Dialects

    return Dialects(knowledge.dialects)[name]


def in_its_words(fix: FixOffered, trainer: Dialect | None, applied: Collection[str] = ()) -> FixOffered:
    """The fix with the words of the run's trainer beside the settings that no file is changed for."""
    if trainer is None or len(applied) == len(fix.settings):
        return fix
    from traindx.probes.configs.flags import in_words_of

    settings = tuple(
        one if one.name in applied else one._replace(spelled=in_words_of(trainer, one.name, one.after))
        for one in fix.settings
        # One that it has not, or works out by itself, is none that a person could give it.
        if one.name in applied or one.name in trainer.settings
    )
    return fix._replace(settings=settings or fix.settings)


def without_secrets(file: FileChange) -> str:
    """The diff with as much around each change as shows no secret: masked, it would not apply."""
    diffs = (file.diff_around(context) for context in (3, 2, 1, 0))
    shown = next((diff for diff in diffs if _is_safe(diff)), None)
    if shown is None:
        click.echo(
            f"{file.file.name}: secrets are masked below, so the patch does not apply; use --write", err=True
        )
    return shown or safe(file.diff)


def _is_safe(diff: str) -> bool:
    """Whether it can be shown as it is. A line that ends as on Windows must stay so, or the patch does not apply."""
    plain = diff.replace("\r\n", "\n")
    return safe(plain) == plain


def not_changed(patch: Patch, *, options: bool = True) -> tuple[str, ...]:
    """What of a change has no place in the files, why, and what to do by hand; with `options` also what a command line takes."""
    return tuple(
        f"{one.setting}: {one.reason}" + (f" ({one.by_hand})" if one.by_hand else "")
        for one in patch.refused
        if options or not one.option
    )
