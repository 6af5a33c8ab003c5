"""Links from every id that stands in a text as code to the page that tells of it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping

_FENCE = re.compile(r"^(`{3,}|~{3,})")
_CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_ID = re.compile(r"[A-Za-z0-9_.-]+")


def linked(text: str, page: str, pages: Mapping[str, str]) -> str:
    """The text of a page, with links and without anything that a reader of Markdown could take for HTML.

    `pages` tells where each id is: `causes/fp16-overflow.md`, `facts/act.md#act.max_abs`.
    """
    lines, fence = [], ""
    for line in text.split("\n"):
        if mark := _FENCE.match(line):
            if not fence:
                fence = mark[1]
            elif line.strip() == fence:
                fence = ""
        elif not fence:
            line = "".join(_pieces(line, page, {} if line.startswith("#") else pages))
        lines.append(line)
    return "\n".join(lines)


def _pieces(line: str, page: str, pages: Mapping[str, str]) -> Iterator[str]:
    end = 0
    for found in _CODE.finditer(line):
        yield line[end : found.start()].replace("<", "&lt;")
        yield _code(found[0], found[2], page, pages)
        end = found.end()
    yield line[end:].replace("<", "&lt;")


def _code(whole: str, inside: str, page: str, pages: Mapping[str, str]) -> str:
    if "<" in inside:
        # Python-Markdown looks for HTML before it looks for code.
        return f"<code>{''.join(one if one.isalnum() or one == ' ' else f'&#{ord(one)};' for one in inside)}</code>"
    target = pages.get(inside, page) if _ID.fullmatch(inside) else page
    if target == page:
        return whole
    path, _, anchor = target.partition("#")
    near = "" if path == page else posixpath.relpath(path, posixpath.dirname(page) or ".")
    return f"[{whole}]({near}{'#' + anchor if anchor else ''})"
