"""The callback for the Trainer of Lightning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

try:
    import lightning.pytorch as lightning  # type: ignore[import-not-found]
except ImportError:
    import pytorch_lightning as lightning  # type: ignore[import-not-found]

from ..watching import is_told_elsewhere, watch

if TYPE_CHECKING:
    from traindx.engine.diagnosis import Diagnosis


class Callback(lightning.Callback):  # type: ignore[misc]
    """Watches from the start of the training to its end, and prints what it saw."""

    def __init__(self) -> None:
        self.watch = watch()

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        """Start watching."""
        self.watch.close()
        self.watch = watch(pl_module, next(iter(trainer.optimizers), None))
        self.watch.__enter__()

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        """Stop, and say what was seen."""
        self._end(trainer)

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        """The same, with what ended the training."""
        self._end(trainer, exception)

    def _end(self, trainer: Any, error: BaseException | None = None) -> None:
        if not self.watch.running:  # it ended before the training began, or was told of already
            return
        self.watch.close(error)
        if getattr(trainer, "is_global_zero", True) and not is_told_elsewhere():
            print(self.watch.summary())

    def diagnosis(self) -> Diagnosis:
        """What was seen so far."""
        return self.watch.diagnosis()
