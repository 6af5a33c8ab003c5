"""`diagnose checklist`: lists to work through, with everything ticked that a run directory can tell."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from . import options
from .errors import BadCall
from .exit_codes import FOUND, NOTHING_FOUND

if TYPE_CHECKING:
    from traindx.engine.kb.knowledge import Knowledge


def _ids(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from traindx.engine.checklists import guides

    from .knowledge import knowledge

    known = guides(knowledge(())).items()
    return [CompletionItem(name, help=one.title) for name, (_, one) in known if name.startswith(incomplete)]


@click.command(context_settings=options.SETTINGS)
@click.argument("name", metavar="[ID]", required=False, shell_complete=_ids)
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH]...")
@options.answers
@options.machine
@click.option(
    "-f", "--format", "output", type=click.Choice(("text", "json")), default="text", show_default=True,
    help="What to print.",
)  # fmt: skip
@options.knowledge_folders
@options.colour
def checklist(
    name: str | None,
    paths: tuple[Path, ...],
    answers: tuple[str, ...],
    machine: bool,
    output: str,
    kb_folders: tuple[Path, ...],
    colour: bool | None,
) -> int:
    """Work through a checklist or a procedure; without an ID, list them.

    PATH is a log, a configuration, a script, a checkpoint or a whole run directory. What these tell is ticked,
    with its place; the rest stands there for a person, with its minutes. Exit code 1 where an item is not fulfilled.

    \b
    Examples:
      diagnose checklist
      diagnose checklist pre-training train.py config.yaml
      diagnose checklist after-training runs/exp42 --format json
      diagnose checklist nan-loss train.log --answer test.fp32_clears_nan=yes
    """
    from traindx.engine.checklists import guides, tick, wanted
    from traindx.engine.kb.problems import nearest
    from traindx.engine.report import checklist as report

    from . import terminal
    from .inputs import collect
    from .knowledge import knowledge
    from .session import Session

    known = knowledge(kb_folders)
    if name is None:
        return _list(known, output)
    if name not in (lists := guides(known)):
        raise BadCall(
            f"there is no checklist or procedure `{name}`; {nearest(name, lists) or '`diagnose checklist` lists them'}"
        )
    kind, guide = lists[name]
    found = collect(paths, logs=(), configs=(), codes=(), nothing_else=False)
    session = Session(known, found, machine=machine, wanted=wanted(guide))
    reasoned = session.run((), answers)
    ticked = tick(guide, kind, reasoned.gathered.facts, known)
    if output == "json":
        _print_json(report.to_data(ticked))
    else:
        terminal.show(report.lines(ticked), colour=terminal.in_colour(colour))
    return FOUND if ticked.failed else NOTHING_FOUND


def _list(known: Knowledge, output: str) -> int:
    from traindx.engine.checklists import guides

    found = guides(known)
    if output == "json":
        _print_json([{"id": name, "kind": kind, "title": one.title} for name, (kind, one) in found.items()])
        return NOTHING_FOUND
    for wanted in ("checklist", "procedure"):
        for name, (kind, one) in sorted(found.items()):
            if kind == wanted:
                minutes = sum(step.minutes for step in one.steps)
                click.echo(f"{name:<22} {kind:<10} {minutes:>4g} min  {one.title}")
    return NOTHING_FOUND


def _print_json(data: object) -> None:
    import json

    click.echo(json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False))
