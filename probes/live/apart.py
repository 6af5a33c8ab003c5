"""Which curves of a run are of something else than its main training: copies that learn for a while, preludes, opponents, newcomers."""

from __future__ import annotations

from collections.abc import Sequence

from .curves import Curve

_BRIEF, _COPIES = 200, 3
"""Steps of a copy of a model before what it is trained on is that of the run; and how many shorter ones are no accident."""
_PRELUDE = 4
"""How many times as long the phase is that follows a prelude."""
_LATE = 10
"""Steps of other optimizers before the first of one that is not there from the start."""


def aside(curves: Sequence[Curve]) -> list[Curve]:
    """Those of copies that train for a few steps: on a task of meta-learning, at a client, to see what a model could learn.

    And those of preludes, such as a head that is warmed up: a much longer phase follows when they are over. The loss begins anew
    in each, and what one of them comes to is not what the run comes to.
    """
    brief = [one for one in curves if one.copied and one.count < _BRIEF]
    preludes = [one for one in curves if any(_precedes(one, other) for other in curves)]
    return (brief if len(brief) >= _COPIES else []) + preludes


def _precedes(one: Curve, other: Curve) -> bool:
    """Whether one phase was over when another, much longer one began."""
    return one.process is other.process and one.last < other.first and one.count * _PRELUDE <= other.count


def are_apart(curves: Sequence[Curve]) -> bool:
    """Whether several optimizers of one process step in turn, on losses of their own, as the two sides of a GAN do.

    Or one of them is made in the course of the run, while another goes on: what it trains is new, and so is the loss.
    """
    brief = {id(one) for one in aside(curves)}
    own = [one for one in curves if one.process is curves[0].process and id(one) not in brief]
    if any(one.first + _LATE < other.first < one.last for one in own for other in own):
        return True
    in_turn = [one for one in own if any(one.overlaps(other) for other in own if other is not one)]
    losses = [list(series.values[:50]) for one in in_turn if (series := one.losses())]
    return any(one != losses[0] for one in losses[1:])
