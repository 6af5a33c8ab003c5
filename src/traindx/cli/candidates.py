"""What a shell offers while an option is typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


def symptoms_starting(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The ids of symptoms."""
    from click.shell_completion import CompletionItem

    from .knowledge import knowledge

    found = knowledge(()).symptoms.values()
    return [CompletionItem(one.id, help=one.title) for one in found if one.id.startswith(incomplete)]


def facts_starting(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The facts that a person may be asked for, ready for their value."""
    from click.shell_completion import CompletionItem

    from .knowledge import knowledge

    facts = knowledge(()).facts.values()
    return [
        CompletionItem(f"{one.name}=", help=one.ask)
        for one in facts
        if one.ask and one.name.startswith(incomplete)
    ]
