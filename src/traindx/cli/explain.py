"""`diagnose explain ID`: the page of anything that has an id, offline."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from . import options
from .errors import BadCall

if TYPE_CHECKING:
    from traindx.engine.kb.knowledge import Knowledge


def _ids(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from .knowledge import knowledge

    known = knowledge(())
    titles = {
        one.id: one.title for group in (known.causes, known.symptoms, known.fixes) for one in group.values()
    }
    return [CompletionItem(name, help=title) for name, title in titles.items() if name.startswith(incomplete)]


@click.command(context_settings=options.SETTINGS)
@click.argument("name", metavar="ID", shell_complete=_ids)
@options.knowledge_folders
def explain(name: str, kb_folders: tuple[Path, ...]) -> None:
    """Show the page of a cause, symptom, fix, fact, signature, procedure or playbook item.

    \b
    Examples:
      diagnose explain fp16-overflow
      diagnose explain nan-loss
      diagnose explain test.fp32_clears_nan
    """
    from traindx.engine.report.pages import NoPage, page

    from .knowledge import knowledge

    known = knowledge(kb_folders)
    try:
        text = page(_meant(name, known), known)
    except NoPage as error:
        entry = name.removeprefix("limit.")
        if _stands_in_a_file(entry, kb_folders):
            raise BadCall(f"`{entry}` has no page; `diagnose kb show {entry}` shows its entry") from None
        hint = (
            f"nearest: {', '.join(error.nearest)}"
            if error.nearest
            else "`diagnose kb list` shows what there is"
        )
        raise BadCall(f"nothing has the id `{name}`; {hint}") from None
    _show(text)


def _meant(name: str, known: Knowledge) -> str:
    """The id for what was typed: symptoms have other names too, as with --symptom."""
    aliases = {alias: one.id for one in known.symptoms.values() for alias in one.aliases}
    return aliases.get(name, name)


def _stands_in_a_file(name: str, kb_folders: tuple[Path, ...]) -> bool:
    """Whether the knowledge base has such an entry, of a kind without pages: an experiment, a limit, a setting."""
    from .knowledge_files import written

    return any(name in entries for entries in written(kb_folders).entries.values())


def _show(text: str) -> None:
    from .terminal import in_colour

    if not in_colour(None):
        click.echo(text, nl=False)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(text))
