"""The order of the colours of pictures in evaluation, beside that in training."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from ..graphs import grad_fn_of
from ..look.values import tensors_in
from .labelled import ENOUGH, SAMPLES, Labelled, Side
from .tensors import readable

if TYPE_CHECKING:
    import torch

APART = 12.0
"""Differences of as many times what chance gives, squared, are none of chance."""

ALIKE = 4.0
"""Those below this may be."""

EXPLAINED = 100.0
"""So do those that are smaller by so much than without the change of places: pictures of evaluation may differ a little in more than that."""

DIGITS = 4096
"""Means that are alike to one part in so many are those of one picture."""


class Channels(Labelled):
    """Compares the mean of each colour, class by class, in training and in evaluation.

    Where red and blue changed places, the classes differ in their red in evaluation as they differ in their blue in training, and
    the other way round, and in their green as ever. Only differences between classes are compared, in units of their spread: so
    it does not matter by which numbers each place is normalised.
    """

    name = "channels"

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Keep the mean of each colour of its pictures, beside the labels."""
        labels = self.labels_for(root)
        first: Any = (
            next(tensors_in(self._torch.Tensor, (args, kwargs)), None) if labels is not None else None
        )
        if first is not None and self._tells(labels, first):
            self.keep(root, labels, first.detach()[:SAMPLES].float().mean((2, 3)))

    def ended(self) -> None:
        """Compare them. A device that has failed gives nothing back."""
        with contextlib.suppress(RuntimeError):
            for evaluated, trained in self.sides():
                if evaluated and trained and self._reversed(self._joined(trained), self._joined(evaluated)):
                    self._journal.fact("data.channels_reversed_in_eval", True)

    def _tells(self, labels: Any, pictures: Any) -> bool:
        """Whether these are labelled pictures with three colours."""
        return (
            readable(self._torch, labels)
            and readable(self._torch, pictures)
            and pictures.is_floating_point()
            and pictures.dim() == 4
            and pictures.shape[1] == 3
            and len(pictures) == len(labels)
            and grad_fn_of(pictures) is None
            and not self.records(pictures)
        )

    def _joined(self, side: Side) -> tuple[Any, Any]:
        """All labels, and the colours in units of their spread. A picture that came again, as in each evaluation, counts once."""
        rows = [
            self._torch.cat([labels.cpu()[:, None].float(), colours.cpu()], 1) for labels, colours in side
        ]
        once = self._torch.cat(rows).mul(DIGITS).round().unique(dim=0) / DIGITS
        return once[:, 0].long(), once[:, 1:] / once[:, 1:].std(0).clamp(min=1e-6)

    def _reversed(self, trained: tuple[Any, Any], evaluated: tuple[Any, Any]) -> bool:
        """Whether the classes differ in the first colour as they do in training in the last, and not as in the first."""
        counts = [
            dict(zip(*map(list, labels.unique(return_counts=True)))) for labels, _ in (trained, evaluated)
        ]
        many = [{int(one) for one, times in known.items() if int(times) >= ENOUGH} for known in counts]
        classes = sorted(many[0] & many[1])[:SAMPLES]
        if len(classes) < 2:
            return False
        (one, its_error), (other, error) = (self._effects(*side, classes) for side in (trained, evaluated))

        def apart(order: tuple[int, int, int]) -> Any:
            squares = (one - other[:, order]).square() / (its_error + error[:, order]).clamp(min=1e-12)
            return squares.sum(0) / (len(classes) - 1)

        as_they_are, swapped = apart((0, 1, 2)), apart((2, 1, 0))
        least = float(as_they_are[[0, 2]].min())
        return least > APART and bool(swapped.max() < max(ALIKE, least / EXPLAINED))

    def _effects(self, labels: Any, colours: Any, classes: list[int]) -> tuple[Any, Any]:
        """By how much each class differs from all in each colour, and the squared error of that."""
        groups = [colours[labels == one] for one in classes]
        means = self._torch.stack([group.mean(0) for group in groups])
        errors = self._torch.stack([group.var(0) / len(group) for group in groups])
        return means - means.mean(0), errors
