"""What the losses of a generator and its opponent say. They need not fall, so nothing is read from their course alone."""

from __future__ import annotations

from . import curve
from .names import Names
from .series import Series, curve_of
from .store import Store
from .told import Told

_METRICS = ("adversarial_loss", "loss", "loss_part")


def tell_adversaries(told: Told, store: Store, names: Names) -> None:
    """Whether a loss of the two is no number, and whether the discriminator has won."""
    own = store.of("adversarial_loss")
    if own:
        bad = [one.first_bad for one in own if one.first_bad is not None]
        first = min(bad, key=lambda one: one.mark.number, default=None)
        told.tell("loss.nonfinite", first is not None, first.mark if first else own[0].marks[-1])
        if first is not None:
            told.tell("loss.first_nonfinite_step", told.step(first.mark), first.mark)
    every = [one for metric in _METRICS for one in store.of(metric)]
    gan = any(names.losses.is_of_gan(one.name.printed) for one in every)
    opponents = [one for one in every if names.losses.is_of_discriminator(one.name.printed, gan=gan)]
    generators = [one for one in every if names.losses.is_of_generator(one.name.printed)]
    if opponents and generators:
        won = all(_is_won(told, one) for one in opponents)
        risen = any(_has_risen(told, one) for one in generators)
        told.tell("log.discriminator_won", won and risen, opponents[0].marks[-1])


def _end(values: list[float]) -> float:
    return curve.median(values[-max(1, len(values) // 4) :])


def _is_won(told: Told, loss: Series) -> bool:
    """Whether a discriminator comes to have next to no loss: it tells real from made without a mistake."""
    values = curve_of(loss).values
    if len(values) < told.limits["points_few"] or min(values) < 0:
        return False
    # One that is switched on later has a loss of zero until then.
    began = curve.median(values[: max(1, len(values) // 10)]) > told.limits["discriminator_began"]
    return began and _end(values) < told.limits["discriminator_faultless"]


def _has_risen(told: Told, loss: Series) -> bool:
    """Whether a generator ends well above where it began."""
    values = curve_of(loss).values
    if len(values) < told.limits["points_few"]:
        return False
    start = curve.median(values[: max(1, len(values) // 20)])
    return _end(values) > told.limits["divergence_ratio"] * start > 0
