"""Labels of pairs whose two kinds are told by the sign, handed over as zeros and ones."""

from __future__ import annotations

from typing import Any

from ..operations import Call
from .check import Check
from .tensors import VALUES, readable

TARGETS = {"cosine_embedding_loss": 2, "hinge_embedding_loss": 1, "soft_margin_loss": 1}
"""Where each loss takes its labels. One that ranks takes a zero for a tie, and is none of these."""

FEWEST = 16
"""Labels below which no -1 among them may be chance."""


class PairLabels(Check):
    """Counts the labels of losses that want 1 for what belongs together, and -1 for what does not.

    A label of 0 gives the cosine loss zero and the others a constant, so that nothing is pushed apart and one output for
    all fulfils them best. Where one side has no gradient nothing can collapse: there a zero may leave out what pads a batch.
    """

    name = "pair labels"
    early = 4
    functions = tuple(TARGETS)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._zeros = self._ones = 0
        self._signed = False

    def called(self, call: Call) -> None:
        """A loss returned."""
        at = TARGETS[call.name]
        targets = call.argument(at, "target")
        names = ("input1", "input2") if at == 2 else ("input",)
        sides = [call.argument(place, name) for place, name in enumerate(names)]
        if self._signed or not readable(self.torch, targets) or targets.numel() > VALUES:
            return
        if not all(getattr(one, "requires_grad", False) for one in sides):
            return
        zeros, ones = int((targets == 0).sum()), int((targets == 1).sum())
        self._signed = zeros + ones < targets.numel()
        self._zeros += zeros
        self._ones += ones
        if self._signed:
            self.say("loss.labels_without_sign", False)
        elif self._zeros and self._ones and self._zeros + self._ones >= FEWEST:
            self.say("loss.labels_without_sign", True, call, note=call.name)
