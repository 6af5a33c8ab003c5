"""The inputs of this call: named paths, options that say the kind, and standard input."""

from __future__ import annotations

import io
import os
import select
import stat
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from traindx.probes.discover import BadInput, Found, discover, named, piped
from traindx.probes.inputs import Input, Kind

from .errors import BadCall

_IDLE = 0.3
"""Seconds to wait for a pipe to bring something when the call makes sense without it."""


def collect(
    paths: Iterable[Path],
    *,
    logs: Iterable[Path],
    configs: Iterable[Path],
    codes: Iterable[Path],
    nothing_else: bool,
) -> Found:
    """All inputs.

    Standard input is read for `-`, and where no path is named and something is piped in.
    `nothing_else` says that the call is empty without an input. Raises BadCall for a path that is
    not there, and for an empty call.
    """
    paths = list(paths)
    files = [path for path in paths if str(path) != "-"]
    try:
        found = discover(files)
        for kind, chosen in ((Kind.LOG, logs), (Kind.CONFIG, configs), (Kind.CODE, codes)):
            found.inputs += [_stdin(kind) if str(path) == "-" else named(path, kind) for path in chosen]
    except BadInput as error:
        raise BadCall(f"{error}{_command_like(paths)}") from None
    if len(files) < len(paths) or (not found.inputs and not files and _piped(wait=nothing_else)):
        found.inputs.append(_stdin(Kind.LOG))
    if not found.inputs and nothing_else and not files:
        raise BadCall(
            "name a log, a configuration, a script or a run directory, pipe a log in, or say what you see "
            "with --symptom; `diagnose --help` shows examples"
        )
    return found


def _command_like(paths: Sequence[Path]) -> str:
    """The command that the first word may have meant, where it names nothing that is there."""
    from traindx.engine.kb.problems import nearest

    from .group import COMMANDS

    word = str(paths[0]) if paths else ""
    hint = nearest(word, COMMANDS) if word and not os.path.exists(word) else ""
    return f"; as a command: {hint}" if hint else ""


def _stdin(kind: Kind) -> Input:
    return piped("<stdin>", kind, _standard_input())


def _standard_input() -> io.BufferedReader:
    stream = sys.stdin.buffer
    assert isinstance(stream, io.BufferedReader)
    return stream


def _piped(*, wait: bool) -> bool:
    """Whether something is piped in. An idle pipe is only waited for where there is nothing else to do."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (OSError, ValueError, AttributeError):
        return False
    if stat.S_ISREG(mode):
        return os.fstat(sys.stdin.fileno()).st_size > 0
    if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
        return False
    if wait:
        return True
    try:
        ready, _, _ = select.select([sys.stdin], [], [], _IDLE)
    except (OSError, ValueError):
        return False
    return bool(ready) and bool(_standard_input().peek(1))
