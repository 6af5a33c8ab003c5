"""Which parameters get no gradient, a gradient of zero, or one far below that of the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .gradient_sums import GradientSums
from .journal import Journal
from .part import Part
from .products import zero_products

if TYPE_CHECKING:
    import torch

    from .model import ModelSeen
    from .watcher import Watcher

SPEAK_AT = (3, 20, 100)
"""Steps at which what was found is said; then again at the end."""
EVERY = 5
"""After the first steps, which are all looked at, each so many, and up to two more, so as to fall on every turn of a loop."""
STREAK = 8
"""Steps that were looked at, one after the other, in which nothing that an optimizer holds has a gradient any more."""
DEAD = 10
"""Steps that were looked at, one after the other, in which a gradient that was there once is exactly 0."""
NAMES = 20
THROWN = "thrown"
"""The column that says that the gradients were cleared between the backward pass and the step."""
WEIGHTS = "weights_any"
"""The column in which a device answers, some steps later, which of the weights asked for are not all 0."""


class Parameters(Part):
    """Follows each parameter's gradient over the run, for each model."""

    name = "parameters"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal = journal
        self._watcher = watcher
        self._seen: dict[int, GradientSums] = {}
        self._asked: list[tuple[GradientSums, torch.Tensor]] = []
        self._lacking: list[ModelSeen] = []
        """The models some of whose parameters had no gradient when that was said last."""
        self._at_start = float("inf")
        """The gradients of the first layers over those of the last in the first step, of the model that has least."""

    def gradients_clearing(self, optimizer: torch.optim.Optimizer) -> None:
        """Before a step nothing else has a gradient then, though there was one."""
        self._watcher.row[THROWN] = True

    def after_backward(self, loss: torch.Tensor) -> None:
        """There are gradients again."""
        self._watcher.row.pop(THROWN, None)

    def read(self, step: int, values: dict[str, Any]) -> None:
        """Take in one step."""
        if step in SPEAK_AT:
            self._speak()
        if WEIGHTS in values:
            asked, self._asked = self._asked, []
            self._say_products(asked, values[WEIGHTS])
        if step in SPEAK_AT[1:] and not self._asked:
            self._asked = self._silent()
            self._watcher.pending += [(WEIGHTS, one.detach().any()) for _, one in self._asked]
        if "parameters" not in values or values["skipped"] or values.get(THROWN):
            return
        model, seen = values["model"], self._seen.get(values["model"].number)
        if seen is None or seen.model is not model:
            # Another optimizer may have gone on with what this one trained.
            seen = self._seen[model.number] = GradientSums(model, self._watcher.torch)
        if step < seen.due:
            return
        seen.take_in(step, values["parameters"], values.get("norms", []))
        if step >= SPEAK_AT[1]:
            seen.due = step + EVERY + seen.steps % 3
        if seen.steps == 1 and step == 1 and (ratio := seen.first_to_last()) is not None:
            self._at_start = min(self._at_start, ratio)
            self._journal.fact("grad.first_to_last_at_start", self._at_start, step=1)

    def ended(self) -> None:
        """The whole run."""
        self._speak()
        asked = self._silent()
        self._say_products(asked, [bool(one.detach().any()) for _, one in asked])
        self._say_died()

    def with_gradient(self) -> set[int]:
        """The ids of the parameters that have had a gradient in a step that was looked at."""
        return {key for seen in self._seen.values() for key in seen.sums}

    def _speak(self) -> None:
        self._seen = {number: one for number, one in self._seen.items() if one.model.is_alive}
        steps = max((one.steps for one in self._seen.values()), default=0)
        training = [one for one in self._seen.values() if one.trained()]
        if not training or steps < 2:
            return
        of = sum(len(one.trained()) for one in training)
        self._say_missing(training, of, early=steps < SPEAK_AT[0])
        if any(one.without >= STREAK and one.sums for one in training):
            self._journal.fact("grad.lost", True)
        self._say_zero(training, of, early=steps < SPEAK_AT[0])
        ratios = [ratio for one in self._seen.values() if (ratio := one.first_to_last()) is not None]
        if ratios:
            self._journal.fact("grad.first_to_last", min(ratios))

    def _say_missing(self, training: list[GradientSums], of: int, *, early: bool) -> None:
        """Parts that are used now and then (a branch, a second head) get their gradient later in the run."""
        missing = [name for one in training for name in one.missing()]
        if not missing or not early:
            self._take_back(missing=bool(missing), all_missing=len(missing) == of)
            self._journal.fact("grad.missing", bool(missing), note=_listed(missing, of))
            self._journal.fact("grad.missing_all", len(missing) == of)
            idle = any(len(one.missing()) == len(one.trained()) for one in training)
            self._journal.fact("grad.missing_of_optimizer", idle)
            self._lacking = [one.model for one in training if one.missing()] or self._lacking
        if missing:
            self._journal.fact("grad.missing_names", ", ".join(missing[:NAMES]))

    def _say_zero(self, training: list[GradientSums], of: int, *, early: bool) -> None:
        zero = [name for one in training for name in one.zero()]
        if zero and not early:
            self._journal.fact("grad.zero_names", zero[:NAMES], note=_listed(zero, of))
        self._journal.fact("grad.zero_share", len(zero) / of)

    def _say_died(self) -> None:
        """What learnt once and gets nothing any more. A loss that is zero gives all of them nothing, and none has died."""
        models = [one for one in self._seen.values() if one.model.is_alive and one.trained()]
        for seen in models:
            died, of = seen.died(DEAD), len(seen.trained())
            if died and len(died) < of:
                self._journal.fact("grad.died_share", len(died) / of, note=_listed(died, of))
                return

    def _take_back(self, *, missing: bool, all_missing: bool) -> None:
        """What has got its gradient since. Of a model that is gone, what was said stays."""
        if not all(one.is_alive for one in self._lacking):
            return
        if not all_missing:
            self._journal.retract("grad.missing_all", "grad.missing_of_optimizer")
        if not missing:
            self._journal.retract("grad.missing", "grad.missing_names")

    def _silent(self) -> list[tuple[GradientSums, torch.Tensor]]:
        """The weights without a gradient, of each model."""
        models = [one for one in self._seen.values() if one.model.is_alive and one.steps > SPEAK_AT[0]]
        return [(seen, one) for seen in models for one in seen.silent()]

    def _say_products(self, asked: list[tuple[GradientSums, torch.Tensor]], any_of: list[Any]) -> None:
        """Zeros times zeros, where something else learns, or nothing else is there to learn: the loss itself is sound."""
        for seen in {id(seen): seen for seen, _ in asked if seen.model.is_alive}.values():
            silent = [(one, bool(some)) for (of, one), some in zip(asked, any_of) if of is seen]
            zero = zero_products([(seen.model.name_of(one), one) for one, some in silent if not some])
            learns = len(silent) < len(seen.trained())
            if zero and (learns or len(zero) == len(silent)):
                note = _listed(zero, len(seen.trained()))
                self._journal.fact("model.init_product_zero", " and ".join(zero[:2]), note=note)
                return


def _listed(names: list[str], of: int) -> str | None:
    """`conv.weight, conv.bias and 3 more of 40 parameters`."""
    if not names:
        return None
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{', '.join(names[:3])}{more} of {of} parameters"
