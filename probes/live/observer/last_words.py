"""The file into which Python writes every stack when the process dies where no code of ours can run."""

from __future__ import annotations

import faulthandler
import os


def last_words(folder: str, *, ours: int | None = None) -> int | None:
    """Have Python write every stack into `PID.fault` when the process dies of SIGSEGV, SIGABRT and the like.

    Not where the user has asked for that already (`-X faulthandler`). The descriptor of the file, or None
    where it cannot be made. `ours` is the one that a forked child has from its parent.
    """
    asked = faulthandler.is_enabled() and ours is None
    try:
        path = os.path.join(folder, f"{os.getpid()}.fault")
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    except OSError:
        return None
    if not asked:
        faulthandler.enable(descriptor)
    if ours is not None:
        os.close(ours)
    return descriptor
