"""`diagnose explain ID`: the page of anything that has an id, offline."""

from __future__ import annotations

from pathlib import Path

import click
from click.shell_completion import CompletionItem

from . import options
from .errors import BadCall


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

    try:
        text = page(name, knowledge(kb_folders))
    except NoPage as error:
        hint = (
            f"nearest: {', '.join(error.nearest)}"
            if error.nearest
            else "`diagnose kb list` shows what there is"
        )
        raise BadCall(f"nothing has the id `{name}`; {hint}") from None
    _show(text)


def _show(text: str) -> None:
    from .terminal import in_colour

    if not in_colour(None):
        click.echo(text, nl=False)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(text))
