"""`diagnose kb`: list, show, check and test the knowledge base."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from . import options
from .errors import BadCall
from .exit_codes import BAD_CALL, FOUND, NOTHING_FOUND
from .knowledge_files import checked, compiled, written

if TYPE_CHECKING:
    from collections.abc import Iterator

    from traindx.engine.kb.models import Cause, Example

_PLURALS = {
    "causes": "cause", "symptoms": "symptom", "facts": "fact", "fixes": "fix", "signatures": "signature",
    "patterns": "code-pattern", "dialects": "dialect", "metrics": "metric", "logs": "log-format",
    "settings": "setting", "checks": "check", "limits": "limit", "procedures": "procedure",
    "checklists": "checklist", "experiments": "experiment", "notices": "notice", "playbook": "playbook-item",
}  # fmt: skip


class _Kind(click.Choice):  # type: ignore[type-arg]
    """A kind of entry, in the plural or, as it stands in the files, in the singular."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        plural = next((one for one, name in _PLURALS.items() if name == value), value)
        return str(super().convert(plural, param, ctx))


@click.group(context_settings=options.SETTINGS)
def kb() -> None:
    """List, show, check and test the knowledge base."""


@kb.command("list")
@click.argument("kind", type=_Kind(sorted(_PLURALS)), required=False)
@options.knowledge_folders
def list_(kind: str | None, kb_folders: tuple[Path, ...]) -> None:
    """List the entries of a KIND, or how many there are of each."""
    entries = written(kb_folders)
    if kind is None:
        for plural, name in _PLURALS.items():
            click.echo(f"{len(entries.of(name)):>5}  {plural}")
        return
    for name, entry in sorted(entries.of(_PLURALS[kind]).items()):
        model = entry.model
        text = next(
            (getattr(model, key) for key in ("title", "means", "says") if getattr(model, key, None)), ""
        )
        click.echo(f"{name:<40} {text}")


@kb.command()
@click.argument("name")
@options.knowledge_folders
def show(name: str, kb_folders: tuple[Path, ...]) -> None:
    """Show the YAML of the entry with this NAME, and the file it stands in."""
    entries = written(kb_folders)
    found = [one[name] for one in entries.entries.values() if name in one]
    if not found:
        from traindx.engine.kb.problems import nearest

        known = [key for one in entries.entries.values() for key in one]
        raise BadCall(f"there is no entry `{name}`; {nearest(name, known) or '`diagnose kb list` shows all'}")
    for entry in found:
        tree = entry.raw.document.tree.at(entry.raw.path)
        lines = entry.raw.document.lines[tree.line - 1 : tree.end_line]
        while lines and not lines[-1].strip():
            lines = lines[:-1]
        if entry.raw.path and tree.column > 1 and len(lines) > 1 and not lines[-1].startswith(" "):
            lines = lines[:-1]
        click.echo(f"# {entry.kind} in {entry.raw.document.name}:{tree.line}")
        click.echo("\n".join(lines))


@kb.command()
@options.knowledge_folders
@click.option("--strict", is_flag=True, help="Warnings count as mistakes.")
def lint(kb_folders: tuple[Path, ...], strict: bool) -> int:
    """Check every file: shape, types, names, conditions, examples. All mistakes at once."""
    from traindx.engine.kb.lint import warnings

    scope = checked(kb_folders)
    found = list(warnings(scope))
    for text in found:
        click.echo(f"warning: {text}", err=True)
    count = sum(len(one) for one in scope.entries.entries.values())
    click.echo(f"{count} entries, no mistakes, {len(found)} warning{'s' * (len(found) != 1)}")
    return BAD_CALL if strict and found else NOTHING_FOUND


@kb.command()
@click.argument("cause", required=False)
@options.knowledge_folders
@click.option("-v", "--verbose", is_flag=True, help="Name every example, not only those that fail.")
def test(cause: str | None, kb_folders: tuple[Path, ...], verbose: bool) -> int:
    """Run the examples that every cause, code pattern and log format carries, or those of one CAUSE."""
    from traindx.engine.beside import both_halves
    from traindx.engine.kb.examples import run_examples
    from traindx.probes.examples import check_readings, read_example

    known, entries = compiled(kb_folders), written(kb_folders)
    if cause is not None and cause not in known.causes:
        raise BadCall(f"there is no cause `{cause}`")

    def examples(half: int) -> Iterator[tuple[str, str]]:
        """What is read of code and settings alone, with the readings, and all else, which takes as long: they prepare little that is the same."""

        def wanted(one: Cause, example: Example) -> bool:
            of_files = example.log is None and not (example.code is None and example.config is None)
            return one.id == cause if cause else of_files == bool(half)

        for outcome in run_examples(entries, known, read_example, wanted):
            yield f"{outcome.cause}: {outcome.example} ({outcome.expected})", outcome.wrong
        if half:
            yield from check_readings(entries, known)

    outcomes = list(examples(0)) if cause else both_halves(examples)
    failed = sum(bool(wrong) for _, wrong in outcomes)
    for name, wrong in sorted(outcomes):
        if wrong or verbose:
            click.echo(f"{'FAIL' if wrong else 'ok':<4} {name} {wrong}")
    click.echo(f"{len(outcomes)} examples, {failed} failed")
    return FOUND if failed else NOTHING_FOUND


@kb.command()
@click.option("--write", is_flag=True, help="Write the schemas to kb/schemas/ of this checkout.")
@click.option("--check", "check_only", is_flag=True, help="Fail where the written schemas are not current.")
def schema(write: bool, check_only: bool) -> int:
    """Print the JSON Schemas of the knowledge files, or write them."""
    import json

    from traindx.engine.kb.packs import own_pack
    from traindx.engine.kb.schema import schemas
    from traindx.engine.kb.schema import written as to_write

    if not (write or check_only):
        click.echo(json.dumps(schemas(), indent=2))
        return NOTHING_FOUND
    stale = [
        (path, text)
        for path, text in to_write(own_pack().root / "schemas").items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]
    for path, text in stale:
        if write:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        click.echo(f"{'written' if write else 'not current'}: {path.name}")
    return FOUND if stale and check_only else NOTHING_FOUND


@kb.command()
@click.option("--missing", is_flag=True, help="Only what is missing.")
def coverage(missing: bool) -> int:
    """List the playbook items that are done, by which entries, and those that are missing."""
    from traindx.engine.kb.coverage import coverage as items

    from .knowledge import knowledge

    found = items(knowledge(()))
    for item in found:
        if item.done and missing:
            continue
        by = ", ".join(item.cited_by[:4]) + (" ..." if len(item.cited_by) > 4 else "")
        why = f"missing: {item.later}" if item.later else "missing"
        click.echo(
            f"{'done' if item.done else 'MISS'}  {item.id}  {item.says}\n           {by if item.done else why}"
        )
    done = sum(item.done for item in found)
    click.echo(f"{done} of {len(found)} items done")
    return NOTHING_FOUND
