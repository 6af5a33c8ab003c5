"""Says which rank this process is, where no launcher told it through the environment (`mp.spawn`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .journal import Journal
from .part import Part

if TYPE_CHECKING:
    from .model import ModelSeen
    from .watcher import Watcher


class Rank(Part):
    """Asks torch.distributed once, when the model is found: by then the process group is there."""

    name = "rank"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal = journal
        self._distributed = getattr(watcher.torch, "distributed", None)

    def model_found(self, model: ModelSeen) -> None:
        """The first step is about to be made."""
        group = self._distributed
        if group is not None and group.is_available() and group.is_initialized():
            self._journal.record("rank", rank=group.get_rank(), world_size=group.get_world_size())
        self._distributed = None
