"""Functions that put samples together, and change a part of what a sample holds without the rest that goes with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Callable, NamedTuple

from ..journal import Journal
from ..look.values import tensors_in
from ..part import Part
from ..patching import replace
from .joined import points_to_first_rows

if TYPE_CHECKING:
    from ..watcher import Watcher

BATCHES = 8
"""Batches of each process that are looked at."""

FEWEST, ROWS = 4, 64
"""Samples in a batch: of fewer, many orders are sorted by chance; of more, the first are looked at."""

VALUES = 256
"""Numbers of a sample by which its row is known."""


class Field(NamedTuple):
    """What every sample of a batch holds in one place."""

    values: list[tuple[Any, ...]]
    """Its numbers, one after the other."""
    lengths: list[int]
    axes: int

    def is_name(self) -> bool:
        """Whether it may be a number by which samples are known, and nothing is learnt from."""
        whole = all(isinstance(one[0], int) for one in self.values)
        return self.axes == 0 and whole and len(set(self.values)) == len(self.values)


class Collated(Part):
    """Finds the samples again in the batch that was made of them.

    For packing, samples are sorted by their length, and what is not sorted with them belongs to others from then on. Told
    only where one field is found in the order of its lengths alone, and another only as it came, in two batches, and
    where the batch holds no order by which the outputs may be put back. What is mixed or changed is not found at all,
    and what is drawn from the others of a batch, to be told from them, goes by no length.
    """

    name = "collated"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        from torch.utils.data._utils import fetch
        from torch.utils.data.dataloader import default_collate

        self._journal, self._watcher, self._torch = journal, watcher, watcher.torch
        self._default = default_collate
        self._seen = self._apart = self._unshifted = 0
        for kind in (fetch._MapDatasetFetcher, fetch._IterableDatasetFetcher):
            replace(watcher, kind, "fetch", self._wrap)

    def _wrap(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def fetch(fetcher: Any, index: Any) -> Any:
            put_together = fetcher.collate_fn
            if self._seen >= BATCHES or put_together is self._default or not fetcher.auto_collation:
                return original(fetcher, index)

            def heard(samples: Any) -> Any:
                batch = put_together(samples)
                self._watcher.own(self.name, self._look, samples, batch)
                return batch

            fetcher.collate_fn = heard
            try:
                return original(fetcher, index)
            finally:
                fetcher.collate_fn = put_together

        return fetch

    def _look(self, samples: Any, batch: Any) -> None:
        self._seen += 1
        if not isinstance(samples, list) or not FEWEST <= len(samples) <= ROWS:
            return
        if points_to_first_rows(samples, batch, self._torch):
            self._unshifted += 1
            if self._unshifted == 2:
                self._say("data.indices_not_shifted")
        tensors = [one for one in tensors_in(self._torch.Tensor, batch) if self._has_rows(one, len(samples))]
        if any(_is_order(one) for one in tensors):
            return
        if self._sorts_apart(_fields(samples, self._torch), tensors):
            self._apart += 1
            if self._apart > 1:
                self._seen = BATCHES
                self._say("data.collate_sorts_apart")

    def _say(self, name: str) -> None:
        """A worker is silent but for this, which nobody else sees."""
        closed, self._journal.closed = self._journal.closed, False
        self._journal.fact(name, True, step=self._watcher.step or None)
        self._journal.closed = closed

    def _sorts_apart(self, fields: Iterable[Field], tensors: list[Any]) -> bool:
        """Whether each field is in one order, of which one goes by length, and one that it would have changed as it came."""
        found = [(field, _orders(field, tensors)) for field in fields]
        one_each = [(field, orders[0]) for field, orders in found if len(orders) == 1]
        moved = [order for field, order in one_each if _goes_by_length(field, order)]
        stayed = [field for field, order in one_each if _is_plain(order) and not field.is_name()]
        return any(
            sum(field.values[new] != field.values[old] for old, new in enumerate(order)) >= FEWEST
            for field in stayed
            for order in moved
        )

    def _has_rows(self, tensor: Any, count: int) -> bool:
        """Whether each row may be a sample. Masks are none."""
        plain = (
            tensor.is_cpu and tensor.layout is self._torch.strided and tensor.dtype is not self._torch.bool
        )
        return plain and tensor.dim() > 0 and len(tensor) == count


def _fields(samples: Sequence[Any], torch: Any) -> Iterator[Field]:
    """What the samples hold, place by place."""
    first = samples[0]
    for key in (
        list(first) if isinstance(first, dict) else range(len(first) if isinstance(first, tuple) else 0)
    ):
        try:
            tensors = [torch.as_tensor(one[key]) for one in samples]
        except (KeyError, IndexError, TypeError, ValueError, RuntimeError):
            continue  # texts, and what is missing in some
        axes = {one.dim() for one in tensors}
        if len(axes) == 1 and all(one.is_cpu and one.numel() for one in tensors):
            lengths = [len(one) if one.dim() else 1 for one in tensors]
            yield Field([_numbers(one) for one in tensors], lengths, axes.pop())


def _numbers(tensor: Any) -> tuple[Any, ...]:
    return tuple(tensor.detach().reshape(-1)[:VALUES].tolist())


def _orders(field: Field, tensors: list[Any]) -> list[list[int]]:
    """The orders in which the batch holds a field: for each row of a tensor, the sample that it begins with."""
    found: list[list[int]] = []
    for tensor in tensors:
        if tensor.dim() == field.axes + 1:
            order = [_best(_numbers(row), place, field.values) for place, row in enumerate(tensor)]
            if None not in order and order not in found:
                found.append(order)  # type: ignore[arg-type]
    return found


def _best(row: tuple[Any, ...], place: int, values: list[tuple[Any, ...]]) -> int | None:
    """The sample with which a row begins: the longest, and of several the one in its place."""
    fits = [number for number, one in enumerate(values) if row[: len(one)] == one[: len(row)]]
    return max(fits, key=lambda number: (len(values[number]), number == place), default=None)


def _goes_by_length(field: Field, order: list[int]) -> bool:
    """Whether the samples become shorter, or longer, in an order that they had not."""
    lengths = [field.lengths[number] for number in order]
    in_order = lengths == sorted(lengths) or lengths == sorted(lengths, reverse=True)
    return in_order and not _is_plain(order) and len(set(order)) == len(order) and len(set(lengths)) > 1


def _is_plain(order: list[int]) -> bool:
    return order == list(range(len(order)))


def _is_order(tensor: Any) -> bool:
    """Whether it is an order of the rows, by which the outputs can be put back."""
    if tensor.dim() != 1 or tensor.is_floating_point():
        return False
    return _is_plain(sorted(tensor.tolist()))
