"""What a written page has filled in: the output of commands, their help, the schema of the JSON."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from reference import commands, schema

_MARK = re.compile(r"<!-- (start in|run|generated)(?:, first (\d+) lines)?: (.+?) -->")
_FILE = re.compile(r'^```\w+ title="([^"]+)"$')
_MADE: dict[str, Callable[[], str]] = {"commands": commands, "schema": schema}


class Broken(Exception):
    """A command of a page did not run."""


def filled(markdown: str, root: Path) -> str:
    """A page with its marks replaced, in order, in a folder of its own.

    `<!-- start in: examples/nan-loss -->` copies that folder of the repository, a block of code with a title is
    written to a file of that name, and `<!-- run: diagnose ... -->` shows the command and what it really prints.
    """
    if not _MARK.search(markdown):
        return markdown
    with tempfile.TemporaryDirectory(prefix="traindx-docs-") as name:
        return "\n".join(_played(markdown.split("\n"), root, Path(name)))


def _played(lines: list[str], root: Path, folder: Path) -> Iterator[str]:
    block: list[str] | None = None
    path = ""
    for line in lines:
        if block is not None:
            if line == "```":
                _write(folder / path, block)
                block = None
            else:
                block.append(line)
        elif title := _FILE.match(line):
            block, path = [], title[1]
        elif mark := _MARK.fullmatch(line):
            yield from _replaced(mark, root, folder)
            continue
        yield line


def _replaced(mark: re.Match[str], root: Path, folder: Path) -> Iterator[str]:
    what, first, argument = mark.groups()
    if what == "start in":
        shutil.copytree(root / argument, folder / argument, dirs_exist_ok=True)
    elif what == "generated":
        yield _MADE[argument]()
    else:
        output = run(argument, folder).split("\n")
        shown = [*output[: int(first)], "..."] if first and len(output) > int(first) else output
        yield from ("```console", f"$ {argument}", *shown, "```")


def run(command: str, folder: Path) -> str:
    """What a call of `diagnose` prints, in this folder. Raises Broken where it has a fault."""
    program, *arguments = shlex.split(command)
    if program != "diagnose":
        raise Broken(f"a page runs `{command}`; only diagnose is run")
    environment = {**os.environ, "NO_COLOR": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "traindx", *arguments],
        cwd=folder, env=environment, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    if done.returncode > 2:
        raise Broken(f"`{command}` ended with {done.returncode}: {done.stderr}")
    return (done.stdout + done.stderr).replace(str(folder) + os.sep, "").strip("\n")


def _write(path: Path, lines: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
