"""Samples of evaluation that stood in training before: copies on both sides of a split."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..graphs import grad_fn_of
from ..journal import Journal
from ..look.values import tensors_in
from ..part import Part
from .folds import Folds
from .overlap import all_are_copies, leaks
from .tensors import readable
from .wholes import Whole

if TYPE_CHECKING:
    import torch

    from ..model import ModelSeen
    from ..watcher import Watcher

SAMPLES = 16_384
"""Samples that are marked of each side; those of the first epochs are enough."""

LEAST = 8
"""An input of fewer numbers is the observation of an agent, or a point that others may equal by chance."""

READ = 64
"""Numbers of a sample that are kept to know it again, about, from all over it."""

MODELS = 4

BLOCK = 1024
"""Samples whose numbers lie in one piece of memory: a small one for each call would keep the memory around it from being used again."""


class _Seen:
    """Some numbers of each sample that one model was given, in the order of the calls."""

    def __init__(self) -> None:
        self.calls: list[tuple[bool, torch.Tensor]] = []
        """Whether a call trained, and numbers of its samples, a row each, which stay on their device until the process ends."""
        self.left = [SAMPLES, SAMPLES]
        self.compares = True
        """Whether what it is evaluated on can be set beside what it trains on: every evaluation was told from training."""
        self.whole = Whole()
        self._blocks: dict[tuple[Any, ...], tuple[torch.Tensor, int]] = {}

    def keep(self, torch: Any, trains: bool, rows: torch.Tensor) -> None:
        """Copy these to the next place in a block of their kind."""
        count, kind = len(rows), (rows.shape[1], rows.dtype, rows.device)
        block, used = self._blocks.get(kind, (None, 0))
        if block is None or used + count > len(block):
            # What is made in inference mode could not be written to outside of it.
            with torch.inference_mode(False):
                block = torch.empty((max(BLOCK, count), rows.shape[1]), dtype=rows.dtype, device=rows.device)
            used = 0
        kept = block[used : used + count]
        kept.copy_(rows)
        self._blocks[kind] = block, used + count
        self.calls.append((trains, kept))


class Copies(Part):
    """Keeps some numbers of each sample of training (in train mode, with gradients) and of evaluation.

    Only the first time counts that a sample is evaluated: what is predicted before it is trained on, as in pseudo-labelling and
    active learning, is no copy. A part of an evaluation that holds both copies and other samples is a split that leaks; one that
    holds nothing but samples of training is an evaluation on the training set, which many print on purpose.
    """

    name = "copies"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal = journal
        self._torch = watcher.torch
        self._is_grad_enabled = watcher.torch.is_grad_enabled
        self._seen: dict[int, _Seen] = {}
        self._folds = Folds(watcher)

    def model_found(self, model: ModelSeen) -> None:
        """An optimizer that comes after an evaluation begins another training, as of the next fold, whose evaluation is another too."""
        if any(not trains for seen in self._seen.values() for trains, _ in seen.calls):
            self._judge()
            self._seen.clear()

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Keep something of its samples."""
        trains = self._is_grad_enabled()
        seen = self._seen.get(id(root))
        if trains != root.training:
            if seen is not None:
                seen.compares = False
            return
        if seen is None:
            # Before anything was trained nothing can be a copy.
            if not trains or len(self._seen) >= MODELS:
                return
            seen = self._seen[id(root)] = _Seen()
        if not trains:
            self._folds.evaluated(root)
        if seen.left[trains] > 0:
            given: list[Any] = list(tensors_in(self._torch.Tensor, (args, kwargs)))
            first = given[0] if given else None
            if first is not None and self._tells(first):
                seen.left[trains] -= len(first)
                # The nodes of a graph are all there in training, and masks tell them apart.
                seen.compares &= all(one.dim() and len(one) == len(first) for one in given)
                seen.whole.given(first, given)
                rows = first.detach().flatten(1)
                seen.keep(self._torch, trains, rows[:, :: max(1, rows.shape[1] // READ)])

    def after_forward(self, root: torch.nn.Module, output: Any) -> None:
        """See whether each of its rows was one that it says something of."""
        if (seen := self._seen.get(id(root))) is not None and seen.whole.always:
            seen.whole.gave([len(one) for one in tensors_in(self._torch.Tensor, output) if one.dim()])

    def ended(self) -> None:
        """Compare what is left."""
        self._judge()
        with contextlib.suppress(RuntimeError):
            known = [one for seen in self._samples().values() if (one := _stays_within(seen)) is not None]
            if known:
                self._journal.fact("data.evaluated_on_training_alone", all(known))

    def _tells(self, tensor: torch.Tensor) -> bool:
        """Whether it holds measured data, of which no two samples are alike by chance."""
        return (
            tensor.dim() > 1
            and tensor.is_floating_point()
            and readable(self._torch, tensor)
            and tensor.numel() >= LEAST * len(tensor)
            and grad_fn_of(tensor) is None
            # What is recorded as a graph of the device would be computed with it each time.
            and not (tensor.is_cuda and self._torch.cuda.is_current_stream_capturing())
        )

    def _samples(self) -> dict[int, _Seen]:
        """What was seen of the models whose rows are samples."""
        return {key: seen for key, seen in self._seen.items() if not seen.whole.always}

    def _judge(self) -> None:
        """Say so where samples stand on both sides. A device that has failed gives nothing back."""
        with contextlib.suppress(RuntimeError):
            seen_apart = self._samples()
            if any(leaks(seen.calls) for seen in seen_apart.values()):
                self._journal.fact("data.split_overlap", True)
            # Each is asked, for each is followed.
            changed = {self._folds.changed_roles(key, seen.calls) for key, seen in seen_apart.items()}
            if True in changed:
                self._journal.fact("data.folds_share_weights", True)


def _stays_within(seen: _Seen) -> bool | None:
    """Whether nothing was evaluated but samples of training. None where that cannot be told, as where each step takes all there is."""
    trained = [rows for trains, rows in seen.calls if trains]
    if not seen.compares or min(seen.left) <= 0 or not trained:
        return None
    if all(one.shape == trained[0].shape and bool((one == trained[0]).all()) for one in trained[1:4]):
        return None
    return all_are_copies(seen.calls)
