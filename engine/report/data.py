"""The diagnosis as JSON, redacted, and the schema of that JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from ..diagnosis import Diagnosis
from ..redact import safe


def to_json(diagnosis: Diagnosis) -> str:
    """The diagnosis as JSON text. NaN and Inf, which JSON lacks, become text."""
    return json.dumps(plain(diagnosis), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def plain(value: Any) -> Any:
    """A diagnosis, or a part of one, as dicts, lists and redacted scalars."""
    if is_dataclass(value):
        return {one.name: plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, tuple | list):
        return [plain(one) for one in value]
    if isinstance(value, Mapping):
        return {safe(str(key)): plain(one) for key, one in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return safe(value) if isinstance(value, str) else value


def json_schema() -> dict[str, Any]:
    """The JSON Schema of what `to_json` gives."""
    from pydantic import TypeAdapter

    schema = TypeAdapter(Diagnosis).json_schema(mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
