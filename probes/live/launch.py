"""Starts the command of a watched run, with the observer in its environment and everything else its own.

Standard input, output and error are inherited, so a terminal stays a terminal and nothing is buffered;
the process group too, so that Ctrl-C, job control and schedulers find the command where they look.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .observer.journal import VERSION, Journal, journal_in
from .observer.options import FOLDER, OPTIONS

START = Path(__file__).parent / "start"
"""The folder with the sitecustomize that attaches the observer."""


class NotStarted(Exception):
    """The command cannot be started. The message is for the person."""


def environment(
    folder: Path, options: Mapping[str, Any], inherited: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """The environment of a watched command: the inherited one and how to attach.

    A Python below looks for modules where it did, except that it finds our sitecustomize first.
    """
    path = inherited.get("PYTHONPATH", "")
    return {
        **inherited,
        "PYTHONPATH": os.pathsep.join([str(START.resolve()), *([path] if path else [])]),
        FOLDER: str(folder.resolve()),
        OPTIONS: json.dumps(dict(options)),
    }


def found(command: Sequence[str]) -> str:
    """The program that a command means. Raises NotStarted where there is none that can be run."""
    name = command[0]
    program = shutil.which(name)
    if program is not None:
        return program
    path = Path(name)
    if path.is_dir():
        raise NotStarted(f"{name} is a directory; name the command to run, such as `python {name}/train.py`")
    if path.suffix == ".py" and path.is_file():
        raise NotStarted(f"{name} is a script; run it with `python {name}`")
    if path.is_file() and os.sep in name:
        raise NotStarted(f"{name} may not be executed; `chmod +x {name}` allows it")
    raise NotStarted(f"there is no command `{name}`")


def start(command: Sequence[str], environment: Mapping[str, str] | None) -> subprocess.Popen[bytes]:
    """Start it; None is the environment of this process. Raises NotStarted."""
    program = found(command)
    try:
        return subprocess.Popen(list(command), executable=program, env=environment, close_fds=False)
    except OSError as error:
        raise NotStarted(f"{command[0]} cannot be started: {error.strerror}") from None


def own_journal(folder: Path, command: Sequence[str]) -> Journal:
    """The journal of this process, which says what only the parent sees: how the command ended."""
    journal = journal_in(str(folder), "parent")
    journal.record(
        "process",
        version=VERSION,
        pid=os.getpid(),
        argv=list(command),
        directory=_directory(),
        python=sys.version.split()[0],
        role="parent",
        time=time.time(),
    )
    return journal


def _directory() -> str | None:
    try:
        return os.getcwd()
    except OSError:  # it was removed
        return None


def shell_status(returncode: int) -> int:
    """The exit code as a shell gives it: 128 and the signal's number where one ended the command."""
    return returncode if returncode >= 0 else 128 - returncode
