"""Watch a training loop from within: `with traindx.watch(model, optimizer) as dx: ...`."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    import torch

    from traindx.engine.diagnosis import Diagnosis
    from traindx.engine.kb.knowledge import Knowledge
    from traindx.probes.live.observer.watcher import Watcher
    from traindx.probes.live.records import Kept


class watch:
    """Watches the training loops of this process while the block runs. It changes nothing in them.

    The model and the optimizer may be left out: what steps is found at its first step. With both, the first forward
    is seen, too. `save_batch` names a folder for a batch that gives NaN (tensors only). Raises ImportError without torch.
    """

    def __init__(
        self,
        model: torch.nn.Module | None = None,
        optimizer: torch.optim.Optimizer | None = None,
        *,
        save_batch: str | Path | None = None,
    ) -> None:
        self._model, self._optimizer = model, optimizer
        self._options = {"save_batch": str(save_batch)} if save_batch is not None else {}
        self._watcher: Watcher | None = None
        self._knowledge: Knowledge | None = None
        self._kept: Kept | None = None
        self._error: BaseException | None = None

    @property
    def running(self) -> bool:
        """Whether it watches now."""
        return self._watcher is not None

    def __enter__(self) -> Self:
        import torch

        from traindx.probes.live.observer.exits import Exits
        from traindx.probes.live.observer.journal import VERSION, Journal
        from traindx.probes.live.observer.watcher import install
        from traindx.probes.live.records import Kept, parsed

        self._kept = kept = Kept()

        def write(line: bytes) -> None:
            record = parsed(line)
            if record is not None:
                kept.add(record)

        journal = Journal(write)
        rank, ranks = _rank(torch)
        journal.record(
            "process",
            version=VERSION,
            pid=os.getpid(),
            parent=os.getppid(),
            argv=sys.argv,
            python=sys.version.split()[0],
            role="main",
            rank=rank,
            world_size=ranks,
            time=time.time(),
        )
        journal.record("torch", torch=str(torch.__version__), cuda=torch.version.cuda)
        self._watcher = watcher = install(torch, journal, self._options)
        self._exits = Exits(journal, lambda: watcher.step, watcher.failed, watcher.close)
        watcher.expect(self._model, self._optimizer)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close(error)

    def close(self, error: BaseException | None = None) -> None:
        """Stop watching. `error` is what ended the loop, if something did."""
        if self._watcher is None:
            return
        if isinstance(error, Exception):
            self._exits.uncaught(error)
        self._error = error
        self._watcher.close()
        self._watcher = None

    def diagnosis(self) -> Diagnosis:
        """What was seen so far, diagnosed; at any time, before the block, in it or after it."""
        from traindx.engine.diagnose import diagnose
        from traindx.engine.kb.load import load
        from traindx.engine.kb.packs import all_packs
        from traindx.probes.live.probe import LiveProbe

        from . import __version__

        if self._watcher is not None:
            self._watcher.flush()
        self._knowledge = self._knowledge or load(all_packs(()))
        probe = LiveProbe([self._kept.all()] if self._kept else [], self._knowledge)
        return diagnose(self._knowledge, [probe], version=__version__).diagnosis

    def summary(self) -> str:
        """The diagnosis in a few lines of plain text."""
        from traindx.engine.report.short import short

        if self._kept is None:
            ended = "not begun"
        elif self._error is not None:
            ended = f"ended with {type(self._error).__name__}"
        else:
            ended = "so far" if self.running else "ended"
        return "\n".join(
            "".join(span.text for span in line.spans) for line in short(self.diagnosis(), ended, failed=False)
        )


def is_told_elsewhere() -> bool:
    """Whether this process runs under `diagnose run`, which says in the end what was seen."""
    return "TRAINDX_RUN" in os.environ


def _rank(torch: ModuleType) -> tuple[int | None, int | None]:
    distributed: Any = torch.distributed
    if not (distributed.is_available() and distributed.is_initialized()):
        return None, None
    return distributed.get_rank(), distributed.get_world_size()
