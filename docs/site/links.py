"""Links from every id that stands in a text as code to the page that tells of it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping

_FENCE = re.compile(r"^(`{3,}|~{3,})")
_CODE = re.compile(r"(?<!`)`([A-Za-z0-9_.-]+)`(?!`)")


def linked(text: str, page: str, pages: Mapping[str, str]) -> str:
    """The text of a page with links. `pages` tells where each id is: `causes/fp16-overflow.md`, `facts/act.md#act.max_abs`."""
    lines, fence = [], ""
    for line in text.split("\n"):
        if mark := _FENCE.match(line):
            if not fence:
                fence = mark[1]
            elif line.strip() == fence:
                fence = ""
        elif not fence and not line.startswith("#"):
            line = _CODE.sub(lambda found: _link(found, page, pages), line)
        lines.append(line)
    return "\n".join(lines)


def _link(found: re.Match[str], page: str, pages: Mapping[str, str]) -> str:
    target = pages.get(found[1], page)
    if target == page:
        return found[0]
    path, _, anchor = target.partition("#")
    near = "" if path == page else posixpath.relpath(path, posixpath.dirname(page) or ".")
    return f"[{found[0]}]({near}{'#' + anchor if anchor else ''})"
