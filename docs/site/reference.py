"""The help of every command, and the fields of the JSON, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from traindx.cli.group import COMMANDS, MAIN, load
from traindx.engine.report.data import json_schema

_WIDTH = 100


def commands() -> str:
    """The help of each command, as it is printed."""
    parts = [_help(load(MAIN), "diagnose")]
    for name, (where, _) in sorted(COMMANDS.items()):
        parts += _family(load(where), f"diagnose {name}")
    return "\n".join(parts)


def _family(command: click.Command, name: str) -> Iterator[str]:
    yield _help(command, name)
    for part, below in sorted(getattr(command, "commands", {}).items()):
        yield _help(below, f"{name} {part}")


def _help(command: click.Command, name: str) -> str:
    context = click.Context(command, info_name=name, terminal_width=_WIDTH, max_content_width=_WIDTH)
    return f"## {name}\n\n```text\n{command.get_help(context)}\n```\n"


def schema() -> str:
    """The records of the JSON, each with its fields."""
    whole = json_schema()
    records = {"Diagnosis": whole, **whole["$defs"]}
    return "\n".join(_record(name, one) for name, one in records.items())


def _record(name: str, record: dict[str, Any]) -> str:
    required = record.get("required", [])
    rows = [
        f"| `{field}` | {_type(one)} | {'yes' if field in required else ''} |"
        for field, one in record.get("properties", {}).items()
    ]
    what = (record.get("description") or "").split("\n")[0]
    return "\n".join(
        [f"## {name}", "", what, "", "| field | type | always there |", "| --- | --- | --- |", *rows, ""]
    )


def _type(one: dict[str, Any]) -> str:
    if "$ref" in one:
        name = one["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in one:
        return " or ".join(_type(part) for part in one["anyOf"])
    if one.get("type") == "array":
        return f"list of {_type(one['items'])}" if "items" in one else "list"
    if one.get("type") == "object":
        values = one.get("additionalProperties")
        return f"object of {_type(values)}" if isinstance(values, dict) else "object"
    return str(one.get("type", "any"))
