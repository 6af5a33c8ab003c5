"""Other programs and libraries asked for an answer, with a limit on time and size.

A GPU driver in trouble can block for ever, even against being killed, so nothing waits for it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

from .host import Host

PATIENCE = 2.0
"""Seconds to wait for one answer."""
_LONGEST_ANSWER = 1 << 20
_FOLDERS = {
    "linux": ("/usr/bin", "/usr/local/bin", "/usr/lib/wsl/lib", "/opt/bin"),
    "darwin": ("/usr/sbin", "/usr/bin"),
    "windows": (r"C:\Windows\System32", r"C:\Program Files\NVIDIA Corporation\NVSMI"),
}
"""Where system tools lie that are not always on the path."""
T = TypeVar("T")


class NoAnswer(Exception):
    """Something that was asked and did not answer. The message says what and why."""


def within(seconds: float, what: str, ask: Callable[[], T]) -> T:
    """What `ask` gives, if it does so in time; it is left behind in its thread where it does not.

    Raises NoAnswer when the time is over, and whatever `ask` raises.
    """
    answers: list[T] = []
    errors: list[Exception] = []

    def run() -> None:
        try:
            answers.append(ask())
        except Exception as error:  # noqa: BLE001 - raised again in the thread that asked
            errors.append(error)

    thread = threading.Thread(target=run, name=f"ask {what}", daemon=True)
    thread.start()
    thread.join(seconds)
    if errors:
        raise errors[0]
    if not answers:
        raise NoAnswer(f"{what} did not answer within {seconds:g} s")
    return answers[0]


def find(name: str, host: Host) -> str | None:
    """Where a program lies on the path, or None. The working directory is never looked into."""
    usual = (str(host.at(folder)) for folder in _FOLDERS.get(host.system, ()))
    folders = [*host.environ.get("PATH", "").split(os.pathsep), *usual]
    file = f"{name}.exe" if host.system == "windows" else name
    paths = (os.path.join(folder, file) for folder in folders if os.path.isabs(folder))
    return next((path for path in paths if os.path.isfile(path) and os.access(path, os.X_OK)), None)


def run(command: Sequence[str], host: Host, seconds: float = PATIENCE) -> tuple[int, str]:
    """The exit code of a program and what it printed, errors included.

    Raises NoAnswer where it cannot be started or does not end in time.
    """
    import subprocess

    name = os.path.basename(command[0])
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**host.environ, "LC_ALL": "C"},
        )
    except (OSError, ValueError) as error:
        raise NoAnswer(f"{name} cannot be started: {error}") from None

    def answer() -> tuple[int, str]:
        with process:
            output = process.stdout.read(_LONGEST_ANSWER) if process.stdout else b""
            process.kill() if len(output) == _LONGEST_ANSWER else process.wait()
        return process.returncode, output.decode("utf-8", "replace")

    try:
        return within(seconds, name, answer)
    except NoAnswer:
        process.kill()
        raise
