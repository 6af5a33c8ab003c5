"""How the process ends: what it raised, and its last words.

An uncaught exception is heard of through Python's audit event `sys.excepthook`, which comes whatever
function stands in `sys.excepthook` by then, so that the hook itself stays the script's own. Two
functions are wrapped, because nothing else tells of them: `sys.exit`, which scripts call in an
`except` block after printing the error themselves, and `os._exit`, as every child of multiprocessing ends.
"""

from __future__ import annotations

import atexit
import functools
import os
import signal
import sys
import threading
from typing import Any, Callable, NoReturn

from .guard import guarded
from .journal import Journal
from .traces import hidden, leave_out_ours, straighten

_LONGEST = 20_000
"""Characters kept of a traceback: its beginning and, more of it, its end."""
_CAUSES = 10
"""How far the chain of causes is followed."""

Failed = Callable[[BaseException], object]


class Exits:
    """Records exceptions and the end of this process.

    `failed` is told of an uncaught exception, `ending` that the process ends, and gives the steps made.
    """

    def __init__(
        self, journal: Journal, step: Callable[[], int], failed: Failed, ended: Callable[[], object]
    ) -> None:
        self._journal = journal
        self._step = step
        self._failed = guarded(journal, "failed", failed)
        self._ended = guarded(journal, "ended", ended)
        self._uncaught = guarded(journal, "uncaught", self.uncaught)
        self._how = "exit"
        self._status: int | None = None
        self._known: BaseException | None = None
        self._over = False

    def listen(self) -> None:
        """From now on, until the process ends."""
        sys.addaudithook(self.heard)
        atexit.register(guarded(self._journal, "exit", self.end))
        self._hear_exits()
        self._hear_threads()

    def heard(self, event: str, args: Any) -> None:
        """An audit event. Where a hook raises `RuntimeError` at this one, Python prints no traceback."""
        if event == "sys.excepthook":
            try:
                self._uncaught(args[2])
            except Exception as late:  # noqa: BLE001 - of a signal handler, as torch's for a worker that died
                late.__context__ = args[2]  # as if it had come a moment earlier, while that was dealt with
                self._how, self._status = "exception", 1
                guarded(self._journal, "uncaught", self.note)(late)

    def forget(self) -> None:
        """In a forked child: nothing has happened yet."""
        self._how, self._status, self._known, self._over = "exit", None, None, False

    def uncaught(self, error: BaseException | None) -> None:
        """The main thread raised, and nobody caught it: the process will end."""
        if error is None or error is self._known:
            return
        self._known = error
        straighten(error)
        if isinstance(error, KeyboardInterrupt) or hasattr(error, "sigval"):  # the latter is torchrun's
            self._how, self._status = "signal", int(getattr(error, "sigval", signal.SIGINT))
            name = signal.Signals(self._status).name
            self._journal.record("event", what=f"stopped by {name}", step=self._step())
            return
        if type(error).__name__ == "BdbQuit":  # a person left the debugger
            self._how, self._status = "signal", int(signal.SIGINT)
            self._journal.record("event", what="ended from the debugger", step=self._step())
            return
        self._how, self._status = "exception", 1
        self.note(error)
        self._failed(error)

    def note(self, error: BaseException, **more: Any) -> None:
        """Write an exception down, with the operands of the call that failed."""
        from .operands import failing, operands

        users, _ = failing(_root(error).__traceback__)
        self._journal.record(
            "exception",
            type=_name(type(error)),
            message=_text(error)[:2000],
            traceback=_printed(error),
            operands=guarded(self._journal, "operands", operands)(_root(error).__traceback__),
            file=users.frame.f_code.co_filename if users else None,
            line=users.first if users else None,
            step=self._step(),
            **more,
        )

    def end(self, status: int | None = None) -> None:
        """The process ends now. An exception that no hook told of is still known to Python."""
        if self._over:
            return
        self._over = True
        left = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
        if left is not None and not hasattr(sys, "ps1"):
            self.uncaught(left)
        self._ended()
        if status is not None:
            self._status = status
        processor = round(sum(os.times()[:2]), 2)
        self._journal.record(
            "end", how=self._how, status=self._status, steps=self._step(), processor=processor
        )

    # -- what nothing else tells of

    def _hear_exits(self) -> None:
        leave, leave_now = sys.exit, os._exit
        leaving, ending = (
            guarded(self._journal, "exit", self._leaving),
            guarded(self._journal, "exit", self.end),
        )

        @functools.wraps(leave)
        @hidden
        def exit(status: Any = None, /) -> NoReturn:
            leaving(status)
            try:
                leave(status)
            except SystemExit as error:
                leave_out_ours(error)
                raise

        @functools.wraps(leave_now)
        def _exit(status: int) -> NoReturn:
            ending(status)
            leave_now(status)

        sys.exit, os._exit = exit, _exit

    def _leaving(self, status: Any) -> None:
        """`sys.exit` was called. In an `except` block and with a status that says failure, that is a crash."""
        good = status is None or status is False or status == 0
        self._status = status if type(status) is int else int(not good)
        error = sys.exc_info()[1]
        if (
            not good
            and isinstance(error, Exception)
            and threading.current_thread() is threading.main_thread()
        ):
            self.uncaught(error)

    def _hear_threads(self) -> None:
        hook = threading.excepthook
        note = guarded(self._journal, "thread", self.note)

        @functools.wraps(hook)
        def excepthook(args: Any, /) -> Any:
            if isinstance(args.exc_value, Exception):
                note(args.exc_value, thread=args.thread.name if args.thread else "?")
            return hook(args)

        threading.excepthook = excepthook


def _root(error: BaseException) -> BaseException:
    """Where it began: the exception that was wrapped in this one, `raise X from e`."""
    for _ in range(_CAUSES):
        if error.__cause__ is None:
            break
        error = error.__cause__
    return error


def _name(kind: type) -> str:
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - what a user's __str__ raises is the user's
        return ""


def _printed(error: BaseException) -> str:
    import traceback

    text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    if len(text) <= _LONGEST:
        return text
    return f"{text[: _LONGEST // 4]}\n...\n{text[-3 * _LONGEST // 4 :]}"
