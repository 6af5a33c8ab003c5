"""Losses over classes that are given what they do not expect: probabilities, or raw scores."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from ..graphs import grad_fn_of
from ..operations import Call
from .check import Check
from .tensors import VALUES, activations_before, are_probabilities, readable, some_rows

if TYPE_CHECKING:
    import torch

NEAR = 1e-3
"""How near to 1 single precision brings the sum of a softmax, a small constant added to each class included."""

AGAIN = 2
"""Calls in a row at one place in which what no softmax is seen to have made must sum to 1: a few scores may by chance."""

_SECOND_LAST = (1 << 64) - 2
"""How a node of the graph saves dim=-2."""


class ClassLosses(Check):
    """cross_entropy wants raw scores, nll_loss, ctc_loss and kl_div want log-probabilities (playbooks b12, b17).

    Log-probabilities in a cross_entropy change nothing, and targets that are probabilities are soft labels.
    """

    name = "class losses"
    early = 2
    functions = ("cross_entropy", "nll_loss", "ctc_loss", "kl_div", "log_softmax", "logsumexp")

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._summed: Counter[str] = Counter()
        """How often in a row the scores at a place summed to 1."""
        self._averaged: tuple[Any, int] | None = None
        """A divergence that was averaged over its classes as well, and how many there are."""

    def look_began(self, step: int) -> None:
        """No loss was computed yet."""
        self._averaged = None

    look_ended = look_began

    def before_backward(self, loss: torch.Tensor) -> None:
        """Whether the loss is such a divergence as it is: what weighs it may well take the classes back."""
        if self._averaged is not None and self._averaged[0] is loss:
            self.say("loss.divergence_over_classes", self._averaged[1])

    def called(self, call: Call) -> None:
        """A loss returned."""
        scores = call.argument(0, "log_probs" if call.name == "ctc_loss" else "input")
        if not readable(self.torch, scores):
            return
        if call.name == "ctc_loss":
            self._raw(call, some_rows(scores, -1))
            self._blank(call)
        elif call.name == "kl_div":
            self._kl_div(call, scores)
        elif call.name in ("log_softmax", "logsumexp"):
            self._log_softmax(call, scores)
        else:
            rows = some_rows(scores, 1 if scores.dim() > 1 else 0)
            # A square of similarities is compared along both of its sides.
            if scores.dim() == 2 and scores.shape[0] != scores.shape[1] and scores.numel() <= VALUES:
                self._dimension(call, scores)
            if call.name == "cross_entropy":
                self._cross_entropy(call, scores, rows)
            else:
                self._nll_loss(call, scores, rows)

    def _dimension(self, call: Call, scores: Any) -> None:
        """Whether the scores, of shape (samples, classes), were normalised over the samples.

        Of some rows of what was normalised (the labelled nodes of a graph) no column sums to 1, but the graph tells.
        """
        values = scores.detach().float()
        shares = values.exp() if call.name == "nll_loss" else values
        over_samples = not are_probabilities(self.torch, shares) and (
            are_probabilities(self.torch, shares.T) or _went_down(scores)
        )
        self.say("loss.softmax_over_batch", over_samples, call)

    def _cross_entropy(self, call: Call, scores: Any, rows: Any) -> None:
        shares = self._are_shares(call, scores, rows)
        if shares is not None:
            self.say("loss.input_is_probabilities", shares, call)
        last = next(iter(activations_before(scores, 1)), None)
        self.say("loss.activation_before_cross_entropy", last in ("sigmoid", "relu", "tanh"), call, note=last)

    def _are_shares(self, call: Call, scores: Any, rows: Any) -> bool | None:
        """Whether scores are probabilities of classes. None where it is not known yet, for chance may have made their sums."""
        single = scores.dtype in (self.torch.float32, self.torch.float64)
        place = str(call.place())
        if not are_probabilities(self.torch, rows, *([NEAR] if single else [])):
            self._summed[place] = 0
            return False
        if "softmax" in activations_before(scores, 1):
            return True
        if bool((rows == rows[0]).all()):
            return None
        self._summed[place] += 1
        return True if self._summed[place] >= AGAIN else None

    def _nll_loss(self, call: Call, scores: Any, rows: Any) -> None:
        shares = self._are_shares(call, scores, rows)
        if shares is not None:
            self.say("loss.nll_on_probabilities", shares, call)
        if shares is False:
            self._raw(call, rows)

    def _blank(self, call: Call) -> None:
        """Whether a label is the blank, which stands for "no label here"; what pads the labels may well be it."""
        targets, sizes = call.argument(1, "targets"), call.argument(3, "target_lengths")
        blank = call.argument(4, "blank", 0)
        if not readable(self.torch, targets) or targets.is_floating_point() or not isinstance(blank, int):
            return
        if targets.dim() == 2:
            sizes = self.torch.as_tensor(sizes, device=targets.device)
            within = self.torch.arange(targets.shape[1], device=targets.device) < sizes.reshape(-1, 1)
            targets = targets[within]
        self.say(
            "loss.ctc_blank_in_labels", bool((targets == blank).any()), call, note=f"the blank is {blank}"
        )

    def _raw(self, call: Call, rows: Any) -> None:
        """No probability is above 1, so no log-probability is above 0."""
        self.say("loss.nll_on_raw_scores", bool(rows.max() > 0.01), call)

    def _log_softmax(self, call: Call, scores: Any) -> None:
        """The first half of a cross-entropy written by hand, or what a distribution over classes does with scores."""
        dim = call.argument(1, "dim", -1)
        dim = dim[0] if isinstance(dim, (list, tuple)) and len(dim) == 1 else dim
        if "softmax" in activations_before(scores, 1) and isinstance(dim, int):
            shares = are_probabilities(self.torch, some_rows(scores, dim))
            # A smooth maximum over something else than classes is not what a loss is given.
            if shares or call.name == "log_softmax":
                self.say("loss.input_is_probabilities", shares, call)

    def _kl_div(self, call: Call, scores: Any) -> None:
        target = call.argument(1, "target")
        if call.argument(4, "reduction", "mean") == "mean" and scores.dim() > 1:
            self._averaged = call.result, int(scores.shape[-1])
        wrong = are_probabilities(self.torch, some_rows(scores, -1))
        if readable(self.torch, target) and not call.argument(5, "log_target", False):
            wrong = wrong or bool(some_rows(target, -1).min() < 0)
        self.say("loss.kl_arguments_wrong", wrong, call)


def _went_down(scores: Any) -> bool:
    """Whether scores are rows picked out of what a softmax normalised down its columns."""
    picked = grad_fn_of(scores)
    if picked is None or not picked.name().startswith(("IndexBackward", "IndexSelectBackward")):
        return False
    sizes = picked._saved_self_sym_sizes
    last = picked.next_functions[0][0]
    return (
        len(sizes) == 2
        and sizes[1] == scores.shape[1]
        and last is not None
        and last.name().startswith(("SoftmaxBackward", "LogSoftmaxBackward"))
        and last._saved_dim in (0, _SECOND_LAST)
    )
