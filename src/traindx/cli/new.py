"""`diagnose new`: the skeleton of a knowledge file, which `kb lint` then leads through."""

from __future__ import annotations

import re
from pathlib import Path

import click

from . import options
from .errors import BadCall

_FOLDERS = {
    "cause": "causes/{family}/{name}.yaml", "symptom": "symptoms/{name}.yaml", "fact": "facts/{family}.yaml",
    "fix": "fixes/{family}.yaml", "signature": "signatures/{family}.yaml", "pattern": "code/{family}.yaml",
    "dialect": "dialects/{name}.yaml", "log-format": "logs/{family}.yaml", "procedure": "procedures/{name}.yaml",
    "checklist": "checklists/{name}.yaml",
}  # fmt: skip
_LISTS = ("fact", "fix", "signature", "pattern", "log-format")


@click.command(context_settings=options.SETTINGS)
@click.argument("kind", type=click.Choice(sorted(_FOLDERS)))
@click.argument("name")
@click.option(
    "--family", default="own", show_default=True, help="The folder of a cause; the file of a listed kind."
)
@click.option(
    "--kb",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("kb"),
    show_default=True,
    metavar="DIR",
    help="The knowledge folder to write into; made where it is not there.",
)
def new(kind: str, name: str, family: str, folder: Path) -> None:
    """Write the skeleton of a KIND with the id NAME into DIR.

    It does not lint yet: `diagnose kb lint --kb DIR` names what is left to fill in.
    """
    from traindx.engine.report.templating import render

    if not re.fullmatch(r"[a-z0-9][a-z0-9._-]*", name) or not re.fullmatch(r"[a-z0-9-]+", family):
        raise BadCall(f"`{name}`: an id is lower case with hyphens, a fact's name lower case with dots")
    if wrong := _why_not(kind, name):
        raise BadCall(f"`{name}`: {wrong}")
    path = folder / _FOLDERS[kind].format(family=family, name=name)
    text = render(f"skeletons/{kind}.yaml.j2", name=name, family=family)
    if path.exists() and kind not in _LISTS:
        raise BadCall(f"{path} is there already; nothing was written")
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    if re.search(rf"^- (?:id|name): {re.escape(name)}$", before, re.MULTILINE):
        raise BadCall(f"{path} has a {kind} `{name}` already; nothing was written")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(before + text, encoding="utf-8")
    click.echo(f"{path}: fill it in, then run `diagnose kb lint --kb {folder}`")


def _why_not(kind: str, name: str) -> str:
    """Why an entry of this kind cannot have the name; empty where it can."""
    if kind != "fact":
        return "" if re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", name) else "an id is lower case with hyphens"
    from traindx.engine.kb.models.base import NAMESPACES

    if re.fullmatch(rf"(?:{'|'.join(NAMESPACES)})(?:\.[a-z0-9_]+)+", name):
        return ""
    return f"a fact's name is one of {', '.join(NAMESPACES)}, then a dot and words with underscores: test.my_fact"
