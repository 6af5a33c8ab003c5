"""Binary cross-entropies: scores where probabilities are expected, and the other way round."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..journal import Journal
from ..operations import Call
from .check import Check
from .tensors import activations_before, arguments_in, readable, some_rows

if TYPE_CHECKING:
    from ..watcher import Watcher

SIGMOID_OF_SIGMOID = (0.4999, 0.7312)
"""Where a sigmoid ends up that is given what comes out of another."""


RARE = 0.3
"""A positive class that is rarer than this is to count more, not less."""
TURNED = 0.5
"""A weight for it below this lowers what it counts."""


class BinaryLosses(Check):
    """binary_cross_entropy wants probabilities, the one `_with_logits` wants raw scores (playbook b13).

    Values alone tell little: a young model's scores lie between 0 and 1 too. So the graph must show a sigmoid.
    """

    name = "binary losses"
    early = 2
    functions = ("binary_cross_entropy", "binary_cross_entropy_with_logits")

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        super().__init__(journal, options, watcher)
        self._positive, self._seen = 0.0, 0

    def called(self, call: Call) -> None:
        """A loss returned."""
        scores, target = call.argument(0, "input"), call.argument(1, "target")
        if not readable(self.torch, scores):
            return
        values, before = some_rows(scores, -1), activations_before(scores)
        low, high = float(values.min()), float(values.max())
        if call.name == "binary_cross_entropy":
            twice = (
                before == ["sigmoid", "sigmoid"]
                and SIGMOID_OF_SIGMOID[0] <= low <= high <= SIGMOID_OF_SIGMOID[1]
            )
            self.say("loss.sigmoid_twice", twice, call)
            self._raw_scores(call, values, before)
        else:
            self.say(
                "loss.sigmoid_twice",
                bool(before[:1] in (["sigmoid"], ["softmax"]) and 0 <= low <= high <= 1),
                call,
            )
        if readable(self.torch, target):
            self._weight(call, target)
            labels = some_rows(target, -1)
            self.say("data.labels.out_of_range", bool(labels.min() < 0) or bool(labels.max() > 1), call)

    def _weight(self, call: Call, target: Any) -> None:
        """A weight below 1 on a positive class that is rare makes it count still less. Of one output it is plain to see."""
        weight: Any = call.argument(6, "pos_weight") if call.name.endswith("logits") else None
        if readable(self.torch, weight) and weight.numel() == 1:
            self._positive += float((target > 0.5).float().mean())
            self._seen += 1
            share = self._positive / self._seen
            turned = float(weight) < TURNED and share < RARE
            self.say("loss.class_weights_inverted", turned, call, note=f"{float(weight):.3g} for {share:.1%}")

    def failed(self, error: BaseException) -> None:
        """On the CPU the loss raises where a value is no probability."""
        for names in arguments_in(error, ("binary_cross_entropy",)):
            scores: Any = names.get("input")
            if readable(self.torch, scores) and scores.device.type == "cpu":
                low, high = float(scores.detach().min()), float(scores.detach().max())
                if low < 0 or high > 1:
                    self.say("loss.bce_on_raw_scores", True, note=f"{low:.3g} .. {high:.3g}")

    def _raw_scores(self, call: Call, values: Any, before: list[str]) -> None:
        """Outside 0 to 1 the loss itself raises; scores that were cut to it stand at the bounds."""
        cut = (values <= 1e-4) | (values >= 1 - 1e-4)
        raw = before == ["clamp"] and bool(cut.float().mean() > 0.2)
        self.say("loss.bce_on_raw_scores", raw or bool((values < 0).any() | (values > 1).any()), call)
