"""What a teacher says of a batch, beside the labels of that batch."""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

from ..graphs import grad_fn_of
from ..operations import Call
from .check import Check
from .tensors import readable

ENOUGH = 96
"""Samples that are compared before anything is said; the latest count."""

FEWEST_CLASSES = 4
"""Of fewer, a weak teacher agrees hardly more often than chance."""

SURE = 3.0
"""Standard deviations above chance that agreement must stay below."""

SURER = 1.5
"""Times as high as where nothing is known the largest share of a class is, on average, with a teacher that has learnt."""

ALIKE = 0.3
"""How far the classes that it names may lie from those of the labels, in the share of samples: one that has learnt names all."""


class _Batch(NamedTuple):
    """Labels, and what the teacher takes for them, of one look."""

    labels: list[int]
    taken: list[int]
    shares: list[float]


class Teachers(Check):
    """Sets soft targets that want no gradient, of kl_div or cross_entropy, beside the labels that the same scores are judged by.

    A teacher that has learnt to name classes, and names the right one no more often than by chance, was shown other samples: its
    outputs were kept in the order of another pass, or its classes have another order. One that has learnt nothing yet, as an average
    of the student at its start, names few classes or none clearly. The looks of a run are few, so that samples are counted over them.
    """

    name = "teachers"
    early = 3
    functions = ("kl_div", "cross_entropy")

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._seen: deque[_Batch] = deque(maxlen=4)
        self._classes = 0
        self._begin()

    def _begin(self) -> None:
        self._soft: list[Any] = []
        self._hard: list[Any] = []

    def look_began(self, step: int) -> None:
        """No target was seen yet."""
        self._begin()

    def called(self, call: Call) -> None:
        """A loss over classes returned."""
        scores, target = call.argument(0, "input"), call.argument(1, "target")
        if not all(readable(self.torch, one) for one in (scores, target)) or scores.dim() != 2:
            return
        if grad_fn_of(scores) is None or grad_fn_of(target) is not None or target.requires_grad:
            return
        if target.shape == scores.shape and target.is_floating_point():
            logarithms = call.name == "kl_div" and call.argument(5, "log_target", False)
            self._soft.append(target.detach().exp() if logarithms else target.detach())
        elif call.name == "cross_entropy" and target.dim() == 1 and not target.is_floating_point():
            self._hard.append((scores.shape[1], target))

    def look_ended(self, step: int) -> None:
        """Count where both were there, once."""
        soft, hard = self._soft, self._hard
        self._begin()
        if len(soft) != 1 or len(hard) != 1 or soft[0].shape != (len(hard[0][1]), hard[0][0]):
            return
        if hard[0][0] != self._classes:
            self._classes = hard[0][0]
            self._seen.clear()
        best = soft[0].max(1)
        self._seen.append(_Batch(hard[0][1].tolist(), best.indices.tolist(), best.values.tolist()))
        self._judge()

    def _judge(self) -> None:
        labels = [one for batch in self._seen for one in batch.labels]
        taken = [one for batch in self._seen for one in batch.taken]
        shares = [one for batch in self._seen for one in batch.shares]
        count, classes = len(labels), self._classes
        if count < ENOUGH or classes < FEWEST_CLASSES:
            return
        named = [taken.count(one) / count for one in range(classes)]
        right = [labels.count(one) / count for one in range(classes)]
        apart = sum(abs(one - two) for one, two in zip(named, right)) / 2
        chance = sum(one * two for one, two in zip(named, right))
        agreed = sum(one == two for one, two in zip(labels, taken)) / count
        learnt = apart < ALIKE and sum(shares) / count > SURER / classes
        by_chance = agreed < chance + SURE * (chance * (1 - chance) / count) ** 0.5
        if learnt and max(right) < 0.5:
            note = f"right in {agreed:.0%} of {count} samples"
            self.say("data.teacher_of_other_samples", by_chance, note=note)
