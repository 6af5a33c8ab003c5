"""The value that is to be predicted, among the numbers that it is predicted from."""

from __future__ import annotations

from typing import Any

from ..graphs import grad_fn_of
from ..look.values import tensors_in
from ..operations import Call
from .check import Check
from .tensors import readable

REGRESSION = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")
CLASSES = ("cross_entropy", "nll_loss", "binary_cross_entropy_with_logits", "binary_cross_entropy")

SAMPLES = 8
"""Numbers of as many samples are not equal by chance, place by place, where they are measured."""

FLAGS = 48
"""Nor are so many flags."""

RARE = 0.1
"""The share of its samples that each of two classes has in such a batch at least."""

LOOKS = 2


class GivenAnswer(Check):
    """Compares, in a whole batch, the target with the last step of a window, or with each column of a table.

    What a model is to remember from the beginning of a sequence, or to copy as a whole, stands in its input too. So a target
    counts that is one number for each sample, and in a window only the last step, which is where a window ends that is cut by one
    place too late.
    """

    name = "given answer"
    early = 3
    functions = (*REGRESSION, *CLASSES)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._input: Any = None
        self._found = 0

    def before_forward(self, root: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """What the model is given first, of the first model of the step."""
        first: Any = next(tensors_in(self.torch.Tensor, (args, kwargs)), None)
        if (
            self._input is None
            and readable(self.torch, first)
            and first.is_floating_point()
            and first.dim() in (2, 3)
            and grad_fn_of(first) is None
        ):
            self._input = first.detach()

    def called(self, call: Call) -> None:
        """A loss returned."""
        given, target = self._input, call.argument(1, "target")
        if given is None or not readable(self.torch, target) or grad_fn_of(target) is not None:
            return
        samples = len(given)
        if (
            target.numel() != samples
            or len(target) != samples
            or target.device != given.device
            or given[0].numel() < 2
        ):
            return
        columns = given if given.dim() == 2 else given[:, -1]
        answer = target.detach().reshape(-1, 1).to(columns.dtype)
        if not self._varies(answer, call.name in REGRESSION):
            return
        found = bool((columns == answer).all(0).any())
        self._found = self._found + 1 if found else -LOOKS
        if not found or self._found >= LOOKS:
            self.say("data.target_among_inputs", found, call)

    def look_ended(self, step: int) -> None:
        """Nothing is kept between looks."""
        self._input = None

    def _varies(self, answer: Any, measured: bool) -> bool:
        """Whether it could not be met by chance."""
        values, counts = self.torch.unique(answer, return_counts=True)
        if measured and len(values) >= SAMPLES and 2 * len(values) >= len(answer):
            return True
        return (
            len(answer) >= FLAGS and len(values) > 1 and float(counts.sort().values[-2]) >= RARE * len(answer)
        )
