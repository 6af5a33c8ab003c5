"""Windows of evaluation that were cut out of the same stretch of a series as windows of training."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..graphs import grad_fn_of
from ..journal import Journal
from ..look.values import tensors_in
from ..part import Part
from .tensors import readable

if TYPE_CHECKING:
    import torch

    from ..watcher import Watcher

NUMBERS = 600_000
"""Numbers that are kept of each side."""

LONG = (8, 4096)
"""Places of a window."""

MARK = 4
"""Places in a row that make a mark by which a stretch is known again."""

ONE_IN = 4
"""One mark in so many is kept. Its own numbers choose it, so that it is chosen wherever it stands."""

DIFFERENT = 5
"""So many numbers of a mark differ: padding and silence are alike wherever they are."""

CHANNELS = 4

ENOUGH, WHOLE = 4, 0.9
"""Marks of a window that is judged, and the share of them that were met in training."""

PART, PARTS, CLEAN = 16, 2, 0.25
"""Windows that are judged together, how many such there must be, and the share of them below which none leaks."""

MODELS = 4

Mark = tuple[int, ...]
Marks = list[tuple[int, Mark]]
"""The marks of a window that are kept, with their places."""


class Windows(Part):
    """Keeps what each model is given of series, and compares in the end the windows of evaluation with those of training.

    A window is within training where nearly all of it was met there, its beginning and its end too, and most of it at another
    place of a window. What is split by time has a beginning that training knows, as the past of the first windows, and an end that
    it does not. What is copied whole is for `copies`.
    """

    name = "windows"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal = journal
        self._torch = watcher.torch
        self._is_grad_enabled = watcher.torch.is_grad_enabled
        self._seen: dict[int, list[tuple[bool, torch.Tensor]]] = {}
        self._left: dict[tuple[int, bool], int] = {}

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Keep some channels of it, with time last."""
        trains = self._is_grad_enabled()
        if trains != root.training or (
            id(root) not in self._seen and (not trains or len(self._seen) >= MODELS)
        ):
            return
        left = self._left.setdefault((id(root), trains), NUMBERS)
        first: Any = next(tensors_in(self._torch.Tensor, (args, kwargs)), None)
        if left <= 0 or first is None or not self._tells(first):
            return
        series = _with_time_last(first.detach())
        self._left[id(root), trains] = left - series.numel()
        self._seen.setdefault(id(root), []).append((trains, series.clone()))

    def ended(self) -> None:
        """Compare them. A device that has failed gives nothing back."""
        with contextlib.suppress(RuntimeError):
            if any(self._overlaps(calls) for calls in self._seen.values()):
                self._journal.fact("data.windows_within_training", True)

    def _tells(self, tensor: torch.Tensor) -> bool:
        """Whether it may hold windows of measured series. Of pictures, neighbours in a line are much alike."""
        return (
            tensor.dim() in (2, 3)
            and tensor.is_floating_point()
            and readable(self._torch, tensor)
            and LONG[0] <= max(tensor.shape[1:]) <= LONG[1]
            and grad_fn_of(tensor) is None
            # What is recorded as a graph of the device would be computed with it each time.
            and not (tensor.is_cuda and self._torch.cuda.is_current_stream_capturing())
        )

    def _overlaps(self, calls: list[tuple[bool, torch.Tensor]]) -> bool:
        """Whether windows of evaluation lie within those of training, with some in every part of the evaluation."""
        met: dict[Mark, int] = {}
        evaluated = set[tuple[Mark, ...]]()
        within: list[bool] = []
        for trains, series in calls:
            for marks in self._marks(series.cpu()):
                if trains:
                    for place, mark in marks:
                        # Two places of training stand for any.
                        met[mark] = place if met.get(mark, place) == place else -1
                elif len(marks) >= ENOUGH and (known := tuple(mark for _, mark in marks)) not in evaluated:
                    evaluated.add(known)
                    within.append(_is_within(marks, met))
        parts = [within[start : start + PART] for start in range(0, len(within) - PART + 1, PART)]
        return len(parts) >= PARTS and all(sum(part) >= CLEAN * PART for part in parts)

    def _marks(self, series: torch.Tensor) -> Iterator[Marks]:
        """Of each window the marks that are kept, with their places."""
        torch = self._torch
        bits = series.float().contiguous().view(torch.int32).unfold(2, MARK, 1)
        sums = bits.sum((1, 3), dtype=torch.int64)
        chosen = (sums * 2654435761 >> 13) % ONE_IN == 0
        rows = bits.transpose(1, 2)[chosen].flatten(1)
        ordered = rows.sort(-1).values
        varied = (ordered[:, 1:] != ordered[:, :-1]).sum(-1) >= min(DIFFERENT, rows.shape[1]) - 1
        owners, places = (one[varied].tolist() for one in chosen.nonzero().unbind(1))
        windows: list[Marks] = [[] for _ in range(len(series))]
        for owner, place, mark in zip(owners, places, map(tuple, rows[varied].tolist())):
            windows[owner].append((place, mark))
        yield from windows


def _with_time_last(tensor: torch.Tensor) -> torch.Tensor:
    """Windows as (samples, channels, time): time is the longer axis. Some channels do."""
    if tensor.dim() == 2:
        return tensor.unsqueeze(1)
    one = tensor if tensor.shape[2] >= tensor.shape[1] else tensor.transpose(1, 2)
    return one[:, :: max(1, one.shape[1] // CHANNELS)]


def _is_within(marks: Marks, met: Mapping[Mark, int]) -> bool:
    known = [mark in met for _, mark in marks]
    moved = sum(met.get(mark, place) != place for place, mark in marks)
    return known[0] and known[-1] and sum(known) >= WHOLE * len(known) and 2 * moved >= len(known)
