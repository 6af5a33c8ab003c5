"""Errors that a signal handler of the script raises while something of ours runs: torch's own tells so of a worker that died."""

from __future__ import annotations

import signal


def is_of_a_handler(error: BaseException) -> bool:
    """Whether a handler of a signal raised it, in whatever code it interrupted. It is the script's, and not for us to keep."""
    handlers = {getattr(signal.getsignal(number), "__code__", None) for number in signal.valid_signals()}
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code in handlers:
            return True
        trace = trace.tb_next
    return False
