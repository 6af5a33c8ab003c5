"""JSON Schemas of the knowledge files, for completion and checking in an editor."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from .source import KINDS
from .validate import MODELS


def schemas() -> dict[str, dict[str, Any]]:
    """File name -> schema, one for each kind of file."""
    made = {f"{kind.folder}.json": _schema(kind.name, listed=kind.listed) for kind in KINDS}
    return made | {"weights.json": _schema("weights", listed=False)}


def _schema(kind: str, *, listed: bool) -> dict[str, Any]:
    model: Any = MODELS[kind]
    schema = TypeAdapter(list[model] if listed else model).json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def written(folder: Path) -> dict[Path, str]:
    """Path -> text of every schema file below a folder."""
    return {folder / name: json.dumps(one, indent=2) + "\n" for name, one in schemas().items()}
