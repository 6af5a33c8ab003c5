"""The callback for the Trainer of transformers, and of what is built on it (TRL, PEFT)."""

from __future__ import annotations

import atexit
import sys
from types import CodeType
from typing import TYPE_CHECKING, Any

import transformers  # type: ignore[import-not-found]

from ..watching import is_told_elsewhere, watch

if TYPE_CHECKING:
    from traindx.engine.diagnosis import Diagnosis


class TrainerCallback(transformers.TrainerCallback):  # type: ignore[misc]
    """Watches from the begin of the training to its end, and prints what it saw.

    The Trainer tells no callback that the training raised: the error is looked for where somebody asks, and when the
    script ends with it.
    """

    def __init__(self) -> None:
        self.watch = watch()
        self._loop: CodeType | None = None
        """The code of the Trainer that trains: what it raises has that in its traceback."""
        self._prints = False

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Start watching."""
        self.watch.close()
        self.watch = watch(kwargs.get("model"), kwargs.get("optimizer"))
        self.watch.__enter__()
        self._loop = _trainer_code()
        self._prints = getattr(state, "is_world_process_zero", True) and not is_told_elsewhere()
        atexit.unregister(self._end)
        atexit.register(self._end)

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Stop, and say what was seen."""
        self._end()

    def _end(self) -> None:
        atexit.unregister(self._end)
        if self.watch.running:
            self.watch.close(self._raised())
            if self._prints:
                print(self.watch.summary())

    def diagnosis(self) -> Diagnosis:
        """What was seen so far; also where the training raised."""
        if self.watch.running and (error := self._raised()) is not None:
            self.watch.close(error)
        return self.watch.diagnosis()

    def _raised(self) -> BaseException | None:
        """What ended the training: the error that is handled just now, or that Python has printed last."""
        for error in (sys.exc_info()[1], getattr(sys, "last_value", None)):
            trace = error.__traceback__ if error is not None else None
            while trace is not None:
                if trace.tb_frame.f_code is self._loop:
                    return error
                trace = trace.tb_next
        return None


def _trainer_code() -> CodeType | None:
    """The innermost code that called this callback and is neither a callback nor what calls them in turn."""
    frame = sys._getframe(2)
    while isinstance(frame.f_locals.get("self"), transformers.TrainerCallback) and frame.f_back is not None:
        frame = frame.f_back
    return frame.f_code
