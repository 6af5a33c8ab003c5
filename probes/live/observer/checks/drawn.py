"""Samplers that are given one weight for each class, where they take one for each sample."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Callable

from ..journal import Journal
from ..part import Part
from ..patching import replace

if TYPE_CHECKING:
    from ..watcher import Watcher

SHARE, OFTEN = 4, 2
"""At most one sample in so many has a weight; and each of those that have one is drawn so many times in an epoch."""


class Drawn(Part):
    """Compares the weights of a WeightedRandomSampler with the samples of its data set, whenever a loader begins.

    A sampler draws the places of its weights. With one weight for each class it draws the first few samples over and over, and
    nothing else. Who leaves samples out on purpose gives them the weight 0, or draws each of the others once.
    """

    name = "drawn"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        from torch.utils.data import WeightedRandomSampler, dataloader

        self._journal, self._watcher = journal, watcher
        self._kind = WeightedRandomSampler
        self._told = False
        replace(watcher, dataloader._BaseDataLoaderIter, "__init__", self._wrap)

    def _wrap(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def __init__(iterator: Any, loader: Any, *args: Any, **kwargs: Any) -> None:
            original(iterator, loader, *args, **kwargs)
            if not self._told:
                self._watcher.own(self.name, self._look, loader)

        return __init__

    def _look(self, loader: Any) -> None:
        sampler = getattr(loader, "sampler", None)
        if not isinstance(sampler, self._kind):
            sampler = getattr(getattr(loader, "batch_sampler", None), "sampler", None)
        if not isinstance(sampler, self._kind):
            return
        weights = getattr(sampler, "weights", None)
        try:
            weighed, samples = len(weights), len(loader.dataset)  # type: ignore[arg-type]
        except TypeError:
            return
        if weighed * SHARE <= samples and sampler.replacement and sampler.num_samples >= OFTEN * weighed:
            self._told = True
            self._journal.fact("data.sampler_weights", weighed)
            self._journal.fact("data.sampler_samples", samples)
