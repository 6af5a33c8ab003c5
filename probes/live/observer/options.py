"""What the parent tells the observer, through the environment."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

FOLDER = "TRAINDX_RUN"
"""The variable that names the folder for the records. Without it nothing is watched."""
OPTIONS = "TRAINDX_OPTIONS"
"""The variable with one JSON object; its keys are listed in docs/live.md."""


def folder(environment: Mapping[str, str] = os.environ) -> str | None:
    """Where the records go, or None where this process is not watched."""
    return environment.get(FOLDER) or None


def options(environment: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """The options; none where there is no object to read."""
    try:
        found = json.loads(environment.get(OPTIONS) or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
