"""The diagnosis as JSON, redacted, and the schema of that JSON."""

from __future__ import annotations

import functools
import json
import math
import operator
import types
from collections.abc import Mapping
from typing import Any, Union, get_args, get_origin, get_type_hints

from ..diagnosis import Diagnosis
from ..redact import safe


def to_json(diagnosis: Diagnosis) -> str:
    """The diagnosis as JSON text. NaN and Inf, which JSON lacks, become text."""
    return json.dumps(plain(diagnosis), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def plain(value: Any) -> Any:
    """A diagnosis, or a part of one, as dicts, lists and redacted scalars."""
    if hasattr(value, "_asdict"):
        return {name: plain(one) for name, one in value._asdict().items()}
    if isinstance(value, tuple | list):
        return [plain(one) for one in value]
    if isinstance(value, Mapping):
        return {safe(str(key)): plain(one) for key, one in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return safe(value) if isinstance(value, str) else value


def json_schema() -> dict[str, Any]:
    """The JSON Schema of what `to_json` gives."""
    schema: dict[str, Any] = record_model(Diagnosis).model_json_schema(mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


@functools.cache
def record_model(record: Any) -> Any:
    """A pydantic model with the fields of a record, which pydantic itself would write as an array."""
    import warnings

    from pydantic import create_model

    usual = {
        name: dict(one) if isinstance(one, Mapping) else one for name, one in record._field_defaults.items()
    }
    fields: dict[str, Any] = {
        name: (_written(hint), usual.get(name, ...)) for name, hint in get_type_hints(record).items()
    }
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", 'Field name "schema" in "Diagnosis" shadows')
        return create_model(record.__name__, __doc__=record.__doc__, **fields)


def _written(hint: Any) -> Any:
    """A type as JSON holds it: records as objects, wherever they stand in it."""
    if hasattr(hint, "_fields"):
        return record_model(hint)
    inner = tuple(map(_written, get_args(hint)))
    if get_origin(hint) is tuple:
        return types.GenericAlias(tuple, inner)
    return functools.reduce(operator.or_, inner) if get_origin(hint) in (Union, types.UnionType) else hint
