"""Train mode and eval mode, gradients on and off: where a model runs as it should not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..graphs import grad_fn_of, mark_of, nodes_below
from ..journal import Journal
from ..look.values import tensors_in
from ..part import Part
from ..reached import NODES
from .fed import Mark, count_unused
from .noisy import InMode
from .tensors import readable

if TYPE_CHECKING:
    import torch

    from ..watcher import Watcher

STEPS = 5
"""Steps in a row in eval mode after which it is no accident."""

RARE = 0.34
"""Forwards without gradients in more than this share of the rounds belong to the training (a teacher, a rollout)."""

USUAL = 8
"""Steps after which it is known how many forwards a step has."""

CHECKS = 3
"""How often it is looked whether what a module in eval mode gives goes into the loss."""

SAMPLES = 3
"""Forwards of the same inputs without gradients in train mode from which on they are a sample of predictions."""

MANY = 1000
"""What is remembered of a round is bounded."""


class Modes(Part):
    """Evaluation in train mode, training in eval mode, evaluation that records graphs (playbooks b15, b27).

    Evaluation is what no backward follows. A GAN, whose generator runs without gradients while its
    discriminator learns, is left alone: evaluation in train mode is looked for where there is one optimizer.
    """

    name = "modes"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal = journal
        self._watcher = watcher
        self._mode = InMode()
        self._recorded: list[str] = []
        self._marks: list[Mark] = []
        self._round: list[str] = []
        self._usual: Counter[int] = Counter()
        self._most = 0
        self._is_grad_enabled = watcher.torch.is_grad_enabled
        self._tensor = watcher.torch.Tensor
        self._rounds = self._rounds_with = self._evaluations = 0
        self._in_train = self._in_eval_steps = self._kept = 0
        self._places: Counter[int] = Counter()
        self._here: set[int] = set()
        self._trained: set[int] = set()
        self._checks, self._last, self._feeds = CHECKS, ("", -1), False
        self._meant = False

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """A forward without gradients is an evaluation, or belongs to a step of another kind."""
        if self._is_grad_enabled():
            if self._places:
                self._trained.add(self._address((args, kwargs)))
            return
        self._evaluations += 1
        if self._mode(root, evaluated=True) == "train":
            self._in_train += 1
            place = self._address((args, kwargs))
            self._places[place] += 1
            self._here.add(place)

    def after_forward(self, root: torch.nn.Module, output: Any) -> None:
        """A forward that recorded a graph waits for its backward."""
        whole = isinstance(output, self._tensor)
        first: Any = output if whole else next(tensors_in(self._tensor, output), None)
        if first is None or not first.requires_grad or len(self._recorded) >= MANY:
            return
        if self._is_grad_enabled():
            mode = self._mode(root)
            if mode == "averaging":
                return
            self._recorded.append(mode)
            self._marks.append(mark := mark_of(grad_fn_of(first)))
            if mode == "eval":
                self._meant = self._mode.is_meant(root)
                if self._checks:
                    self._last = mark

    def before_backward(self, loss: torch.Tensor) -> None:
        """Which of the forwards was this backward's?"""
        recorded, marks = self._recorded, self._marks
        if not recorded:
            return
        self._recorded, self._marks = [], []
        self._look_what_feeds(loss)
        if len(recorded) == self._most and "eval" not in recorded:
            self._usual[self._most] += 1
        elif "train" in recorded or "plain" in recorded:
            if "eval" in recorded:
                if not self._feeds:
                    self._unused(recorded.count("eval"))
                recorded = [one for one in recorded if one != "eval"]
            self._too_many(recorded, marks, loss.grad_fn)
        self._round += recorded

    def gradients_asked(self, inputs: Any) -> None:
        """What ran before had its graph for this: an adaptation, an attack, a derivative of the network."""
        self._recorded, self._marks = [], []

    def after_step(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        """A round is complete."""
        ran = self._round
        if ran:
            self._round = []
            in_eval = ran[0] == "eval" and set(ran) == {"eval"}
            self._in_eval_steps = self._in_eval_steps + 1 if in_eval else 0
            if self._in_eval_steps == STEPS:
                self._journal.fact("model.eval_mode_in_training", not self._meant, step=step)
            elif step == 2 * STEPS and not in_eval:
                self._journal.fact("model.eval_mode_in_training", False, step=step)
        self._rounds += 1
        if self._evaluations:
            self._close_round()

    def ended(self) -> None:
        """The last evaluation comes after the last step."""
        self._unused(self._recorded.count("eval"))
        self._too_many(self._recorded, self._marks, None)
        self._close_round(last=True)
        if self._evaluations and not self._kept:
            self._journal.fact("model.grad_in_eval", False)

    def _close_round(self, last: bool = False) -> None:
        """Judge the forwards without gradients of this round."""
        # The same inputs again and again: what dropout makes of them is wanted.
        sampled = self._in_train >= SAMPLES and len(self._here) == 1
        self._here.clear()
        if self._in_train and not sampled and self._watcher.models_found <= 1 and self._rounds:
            self._rounds_with += 1
            rare = self._rounds_with <= max(1, RARE * self._rounds)
            several = self._in_train > 1 or self._rounds_with > 1 or last
            validation = (
                len(self._places) == 1
                and self._rounds_with >= STEPS
                and not self._trained & set(self._places)
            )
            if self._rounds >= STEPS and ((rare and several) or validation):
                self._journal.fact("model.train_mode_in_eval", True)
        elif self._evaluations and (last or self._rounds >= STEPS):
            self._journal.fact("model.train_mode_in_eval", False)
        self._in_train = 0
        if len(self._trained) > MANY or len(self._places) > MANY:
            self._trained.clear()
            self._places.clear()

    def _look_what_feeds(self, loss: torch.Tensor) -> None:
        """A frozen trunk, or the features of a perceptual loss, are in eval mode and yet part of what is trained."""
        last, self._last = self._last, ("", -1)
        if last[1] >= 0 and self._checks:
            self._checks -= 1
            self._feeds = self._feeds or any(last == mark_of(one) for one in nodes_below(loss.grad_fn, NODES))

    def _unused(self, count: int) -> None:
        """Forwards in eval mode that recorded a graph for no backward."""
        self._kept += count
        if self._kept > 1:
            self._journal.fact("model.grad_in_eval", True)

    def _too_many(self, recorded: list[str], marks: list[Mark], last: Any) -> None:
        """Far more forwards before a backward than this loop ever needs: the others were an evaluation.

        Where two losses take turns (a critic's and its network's), the one that needs more uses them all.
        """
        usual, count = self._most, len(recorded)
        many = count >= usual + 3 and self._usual[usual] >= USUAL and len(self._usual) <= 2
        if many and count_unused(marks, last) >= 3:
            self._journal.fact("model.grad_in_eval", True)
            self._kept += count - usual
            if "train" in recorded and self._watcher.models_found <= 1:
                self._journal.fact("model.train_mode_in_eval", True)
        elif recorded:
            self._usual[count] += 1
            if count != usual and self._usual[count] > self._usual[usual]:
                self._most = count

    def _address(self, arguments: Any) -> int:
        """Where the first input lies, or 0."""
        first: Any = next(tensors_in(self._tensor, arguments), None)
        return first.data_ptr() if readable(self._watcher.torch, first) else 0
