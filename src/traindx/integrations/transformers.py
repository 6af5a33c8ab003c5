"""The callback for the Trainer of transformers, and of what is built on it (TRL, PEFT)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import transformers  # type: ignore[import-not-found]

from ..watching import watch

if TYPE_CHECKING:
    from traindx.engine.diagnosis import Diagnosis


class TrainerCallback(transformers.TrainerCallback):  # type: ignore[misc]
    """Watches from the begin of the training to its end, and prints what it saw."""

    def __init__(self) -> None:
        self.watch = watch()

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Start watching."""
        self.watch.close()
        self.watch = watch(kwargs.get("model"), kwargs.get("optimizer"))
        self.watch.__enter__()

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Stop, and say what was seen."""
        self.watch.close()
        if getattr(state, "is_world_process_zero", True):
            print(self.watch.summary())

    def diagnosis(self) -> Diagnosis:
        """What was seen so far; also where the training raised."""
        return self.watch.diagnosis()
