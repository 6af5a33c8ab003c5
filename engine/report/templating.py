"""The Jinja environment that all templates share: sandboxed, strict, and safe with text from inputs."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from jinja2 import PackageLoader, StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

from ..redact import safe
from ..regex import regex
from ..wording import percent, show
from .lines import how_seen, place

_SPECIAL = regex(r"([\\`*_\[\]<>|#~])")


@cache
def environment() -> ImmutableSandboxedEnvironment:
    """The environment. A template cannot reach attributes of Python, and an undefined name is an error."""
    made = ImmutableSandboxedEnvironment(
        loader=PackageLoader("traindx.templates", ""),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        # Markdown and Python are no HTML: the filters below escape for their own places.
        autoescape=False,
    )
    made.filters |= {
        "md": escape, "code": inline_code, "fence": fence, "show": show, "percent": percent, "where": where,
        "how_seen": lambda symptom: how_seen(symptom, "as reported"),
    }  # fmt: skip
    return made


def render(template: str, /, **values: Any) -> str:
    """A template with these values."""
    return environment().get_template(template).render(**values)


def escape(text: str) -> str:
    """Text from an input as Markdown that shows just that text: no markup, link, mention or new line."""
    one_line = " ".join(safe(str(text)).split())
    escaped = _SPECIAL.sub(r"\\\1", one_line)
    return escaped.replace("@", "&#64;").replace("://", "&#58;//")


def inline_code(text: str) -> str:
    """Text from an input as inline code, whatever backticks it holds. Also safe in a table's cell."""
    one_line = " ".join(safe(str(text)).split()).replace("|", "¦")
    if not one_line:
        return ""
    ticks = "`" * (_longest_run(one_line) + 1)
    pad = " " if one_line.startswith("`") or one_line.endswith("`") else ""
    return f"{ticks}{pad}{one_line}{pad}{ticks}"


def fence(text: str, language: str = "") -> str:
    """Text from an input as a fenced block that it cannot close."""
    shown = safe(str(text)).rstrip("\n")
    ticks = "`" * max(3, _longest_run(shown) + 1)
    return f"{ticks}{language}\n{shown}\n{ticks}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall(r"`+", text)), default=0)


def where(source: Any) -> str:
    """A place as text."""
    return place(source)
