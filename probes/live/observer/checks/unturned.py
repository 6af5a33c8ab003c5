"""Pictures that are mirrored or turned at random, and targets that are not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable

from ..graphs import grad_fn_of
from ..look.values import tensors_in
from ..operations import Call
from .check import Check
from .summed import nodes_of
from .tensors import readable

if TYPE_CHECKING:
    import torch

LOSSES = (
    "binary_cross_entropy_with_logits",
    "binary_cross_entropy",
    "cross_entropy",
    "nll_loss",
    "mse_loss",
    "l1_loss",
    "smooth_l1_loss",
    "huber_loss",
)

TIMES = ("mul", "__mul__", "multiply", "sub", "subtract", "__rsub__")
"""What an overlap, or a difference, is written with."""

SAMPLES, SIDE, LEAST = 32, 32, 8
"""Pictures of a batch that are read, the side to which they are made smaller, and the side that a target must have."""

FITS, ALONE = 0.3, 0.5
"""How closely a target must follow its picture, and the share of that at which others that are turned follow it at most."""

DECIDED, TURNED, OTHERS = 24, 0.2, 0.08
"""Pictures that fit in one way alone before anything is said; the share of them that must fit turned, and the share of the second way of all."""

STRANGE, CHANCE = 0.9, 4
"""More closely than this share of them fits the target of another picture must a picture fit its own, and so many times as often."""

UNDONE = ("Flip", "Rot90", "GridSampler")
"""Where the graph of a loss holds such a node, the network, or the script behind it, turns things itself."""


class Unturned(Check):
    """Sets what a network is given beside the dense target of its loss: as they are, mirrored, and turned.

    Of a picture that is told from its mirror image, the target follows one of them alone. Where it is another for some than for others,
    an augmentation has turned the pictures and left their targets. Where all are turned alike, that is the task. Two pictures that have
    nothing to do with each other, as of two styles, fit by chance in some way, and so does each with those of the rest.
    """

    name = "unturned targets"
    early = 6
    functions = (*LOSSES, *TIMES)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._input: Any = None
        self._target: Any = None
        self._place: Any = None
        self._fit = [0] * 6
        """Pictures that fit alone as they are, and with each turn."""
        self._strange = 0
        """Pictures that fit the target of another one so."""

    def before_forward(self, root: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """The first pictures that a model is given in the step."""
        if self._input is None:
            for one in tensors_in(self.torch.Tensor, (args, kwargs)):
                if readable(self.torch, one) and one.dim() == 4 and grad_fn_of(one) is None:
                    self._input = one[:SAMPLES].detach()
                    return

    def called(self, call: Call) -> None:
        """A loss, or a part of one written by hand, returned."""
        if self._input is None or self._target is not None:
            return
        one, other = call.argument(0, "input"), call.argument(1, "target")
        if call.name in TIMES:
            other = call.argument(1, "other")
            if grad_fn_of(one) is None:
                one, other = other, one
        if not (readable(self.torch, one) and readable(self.torch, other)) or grad_fn_of(one) is None:
            return
        if self._fits(other) and (call.name not in TIMES or one.shape == other.shape):
            self._target, self._place = other[:SAMPLES].detach(), call.place()

    def _fits(self, target: torch.Tensor) -> bool:
        """Whether it has a value for each place of a picture that nothing was computed for."""
        if grad_fn_of(target) is not None or target.requires_grad or target.dim() not in (3, 4):
            return False
        (high, wide), (tall, broad) = self._input.shape[-2:], target.shape[-2:]
        return bool(
            len(target[:SAMPLES]) == len(self._input)
            and min(high, wide, tall, broad) >= LEAST
            and high * broad == wide * tall
        )

    def before_backward(self, loss: torch.Tensor) -> None:
        """Compare them, unless what is compared was turned back before."""
        given, target, self._input, self._target = self._input, self._target, None, None
        if given is None or target is None or loss.grad_fn is None:
            return
        if any(type(node).__name__.startswith(UNDONE) for node in nodes_of(loss.grad_fn)):
            return
        sides = [min(SIDE, *both) for both in zip(given.shape[-2:], target.shape[-2:])]
        given, target = self._small(given, sides), self._small(target, sides)
        own, strange = self._fits_of(given, target), self._fits_of(given, target.roll(1, 0))
        least = max(FITS, float(strange.max(0).values.quantile(STRANGE)))
        for way in _alone(own, least):
            self._fit[way] += 1
        self._strange += len(_alone(strange, least))
        decided = sum(self._fit)
        if decided >= DECIDED:
            turned, second = decided - self._fit[0], sorted(self._fit)[-2]
            found = (
                turned >= TURNED * decided
                and second >= OTHERS * decided
                and decided >= CHANCE * max(1, self._strange)
            )
            self.say("data.target_left_unturned", found, place=self._place if found else None)

    def _small(self, pictures: torch.Tensor, sides: list[int]) -> torch.Tensor:
        """One plane for each picture, of this size."""
        plane = pictures.float()
        plane = plane.mean(1) if plane.dim() == 4 else plane
        small: torch.Tensor = self.torch.nn.functional.adaptive_avg_pool2d(plane[:, None], sides)[:, 0]
        return small

    def _fits_of(self, given: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """How closely each target follows its picture, as it is and with each turn."""
        turns: list[Callable[[torch.Tensor], torch.Tensor]] = [
            lambda one: one,
            lambda one: one.flip(-1),
            lambda one: one.flip(-2),
            lambda one: one.flip(-1, -2),
        ]
        if given.shape[-1] == given.shape[-2]:
            turns += [lambda one: one.rot90(1, (-2, -1)), lambda one: one.rot90(3, (-2, -1))]
        rows = self._even(given)
        fits: torch.Tensor = self.torch.stack(
            [(rows * self._even(turn(target))).sum(-1).abs() for turn in turns]
        )
        return fits

    def _even(self, planes: torch.Tensor) -> torch.Tensor:
        """Of mean zero and length one; what is even all over, or no number, stays zero."""
        rows = planes.flatten(1)
        rows = rows - rows.mean(1, keepdim=True)
        rows = rows / rows.norm(dim=1, keepdim=True).clamp(min=1e-6)
        even: torch.Tensor = self.torch.nan_to_num(rows, nan=0.0, posinf=0.0, neginf=0.0)
        return even

    def look_ended(self, step: int) -> None:
        """Keep nothing alive."""
        self._input = self._target = self._place = None


def _alone(fits: torch.Tensor, least: float) -> list[int]:
    """The way in which a target follows its picture, for each that it follows in one way alone."""
    best = fits.sort(0, descending=True)
    alone = (best.values[0] >= least) & (best.values[1] <= ALONE * best.values[0])
    ways: list[int] = best.indices[0][alone].tolist()
    return ways
